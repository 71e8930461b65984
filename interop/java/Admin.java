import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import com.sun.net.httpserver.HttpServer;
import com.xxl.job.core.biz.ExecutorBiz;
import com.xxl.job.core.biz.client.ExecutorBizClient;
import com.xxl.job.core.biz.model.HandleCallbackParam;
import com.xxl.job.core.biz.model.IdleBeatParam;
import com.xxl.job.core.biz.model.KillParam;
import com.xxl.job.core.biz.model.LogParam;
import com.xxl.job.core.biz.model.LogResult;
import com.xxl.job.core.biz.model.RegistryParam;
import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.biz.model.TriggerParam;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Drives an executor with the client of XXL-JOB's own Java library, as an admin does, and reads its registrations and callbacks with that
 * library's classes. One line of JSON goes to standard output for each thing that happened; a test compares them.
 *
 * <p>Written for releases 2.5 to 3.2; the test gives its classes the names that they have in others.
 *
 * <p>java Admin PORT TOKEN: listens on PORT, waits for the executor to register, drives it, and ends.
 */
public final class Admin {
  private static final Gson GSON = new Gson();
  private static final ConcurrentHashMap<Long, HandleCallbackParam> CALLBACKS = new ConcurrentHashMap<>();
  private static final CountDownLatch REGISTERED = new CountDownLatch(1);
  private static volatile RegistryParam registration;
  private static String token;
  private static ExecutorBiz executor;

  public static void main(String[] args) throws Exception {
    token = args[1];
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
    server.createContext("/xxl-job-admin/api/", exchange -> {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String shown = exchange.getRequestHeaders().getFirst("XXL-JOB-ACCESS-TOKEN");
      String path = exchange.getRequestURI().getPath();
      ReturnT<String> reply = new ReturnT<>(200, null);
      if (!token.equals(shown)) {
        reply = new ReturnT<>(500, "The access token is wrong.");
      } else if (path.endsWith("/registry")) {
        registration = GSON.fromJson(body, RegistryParam.class);
        REGISTERED.countDown();
      } else if (path.endsWith("/callback")) {
        List<HandleCallbackParam> batch = GSON.fromJson(body, new TypeToken<List<HandleCallbackParam>>() {}.getType());
        for (HandleCallbackParam one : batch) {
          CALLBACKS.put(one.getLogId(), one);
        }
      }
      byte[] answer = GSON.toJson(reply).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json;charset=UTF-8");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    server.start();
    try {
      drive();
    } finally {
      server.stop(0);
    }
  }

  private static void drive() throws Exception {
    if (!REGISTERED.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no executor has registered");
    }
    say("registry", registration.getRegistryGroup() + " " + registration.getRegistryKey());
    executor = client(registration.getRegistryValue(), token);
    say("beat", executor.beat());
    say("wrong token", client(registration.getRegistryValue(), "x" + token).beat());

    say("run", executor.run(shell(1, 11, "SERIAL_EXECUTION", 0, "echo \"param $1 shard $2 of $3\"")));
    outcome("run", 11);
    LogResult log = executor.log(new LogParam(WHEN, 11, 1)).getContent();
    say("log", log.getFromLineNum() + ".." + log.getToLineNum() + " end=" + log.isEnd() + " "
        + log.getLogContent().contains("param a b shard 0 of 1"));
    LogResult none = executor.log(new LogParam(WHEN, 999, 1)).getContent();
    say("no log", none.getToLineNum() + " end=" + none.isEnd() + " " + none.getLogContent());
    say("again", executor.run(shell(1, 11, "SERIAL_EXECUTION", 0, "echo never")));

    say("exit", executor.run(shell(2, 12, "SERIAL_EXECUTION", 0, "exit 3")));
    outcome("exit", 12);
    say("timeout", executor.run(shell(3, 13, "SERIAL_EXECUTION", 1, "sleep 60")));
    outcome("timeout", 13);

    executor.run(shell(4, 14, "SERIAL_EXECUTION", 0, "echo it has begun; sleep 60"));
    begun(14);
    say("idle", executor.idleBeat(new IdleBeatParam(99)));
    say("busy", executor.idleBeat(new IdleBeatParam(4)));
    say("discard", executor.run(shell(4, 15, "DISCARD_LATER", 0, "echo never")));
    say("behind", executor.run(shell(4, 16, "SERIAL_EXECUTION", 0, "echo never")));
    say("cover", executor.run(shell(4, 17, "COVER_EARLY", 0, "echo it has begun; sleep 60")));
    outcome("covered", 14);
    outcome("covered behind", 16);
    begun(17);
    say("kill", executor.kill(new KillParam(4)));
    outcome("killed", 17);
    say("kill nothing", executor.kill(new KillParam(98)));

    TriggerParam unknown = shell(5, 18, "SERIAL_EXECUTION", 0, "");
    unknown.setGlueType("BEAN");
    unknown.setExecutorHandler("nobody");
    say("unknown handler", executor.run(unknown));
    TriggerParam groovy = shell(6, 19, "SERIAL_EXECUTION", 0, "");
    groovy.setGlueType("GLUE_RUBY");
    say("unknown glue", executor.run(groovy));
  }

  private static ExecutorBiz client(String address, String shown) {
    return new ExecutorBizClient(address, shown, 3);
  }

  private static final long WHEN = System.currentTimeMillis();

  private static TriggerParam shell(int job, long log, String strategy, int timeout, String source) {
    TriggerParam p = new TriggerParam();
    p.setJobId(job);
    p.setLogId(log);
    p.setLogDateTime(WHEN);
    p.setExecutorParams("a b");
    p.setExecutorBlockStrategy(strategy);
    p.setExecutorTimeout(timeout);
    p.setGlueType("GLUE_SHELL");
    p.setGlueSource(source);
    p.setGlueUpdatetime(1700000000000L + log);
    p.setBroadcastIndex(0);
    p.setBroadcastTotal(1);
    return p;
  }

  /** Waits until a script has begun: what happens to it depends on that. */
  private static void begun(long log) throws InterruptedException {
    long end = System.currentTimeMillis() + 30_000;
    while (true) {
      LogResult page = executor.log(new LogParam(WHEN, log, 1)).getContent();
      if (page != null && page.getLogContent() != null && page.getLogContent().contains("it has begun")) {
        return;
      }
      if (System.currentTimeMillis() > end) {
        throw new IllegalStateException(log + " has not begun: " + (page == null ? "no page" : page.getFromLineNum() + ".." + page.getToLineNum() + " " + page.getLogContent()));
      }
      Thread.sleep(20);
    }
  }

  private static void outcome(String what, long log) throws InterruptedException {
    long end = System.currentTimeMillis() + 30_000;
    while (!CALLBACKS.containsKey(log)) {
      if (System.currentTimeMillis() > end) {
        throw new IllegalStateException("no callback of " + log);
      }
      Thread.sleep(5);
    }
    HandleCallbackParam p = CALLBACKS.get(log);
    say(what + " callback", p.getHandleCode() + " " + p.getHandleMsg() + (p.getLogDateTim() == WHEN ? "" : " at another time"));
  }

  private static void say(String what, ReturnT<String> r) {
    say(what, r.getCode() + " " + r.getMsg() + (r.getContent() == null ? "" : " " + r.getContent()));
  }

  private static void say(String what, String text) {
    System.out.println(what + ": " + text);
  }
}
