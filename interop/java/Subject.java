import com.xxl.job.core.context.XxlJobContext;
import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import com.xxl.job.core.handler.annotation.XxlJob;
import com.xxl.job.core.log.XxlJobFileAppender;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * An executor built on XXL-JOB's own Java library, without Spring, with the handlers that the conformance suite names. One source serves all
 * its releases.
 *
 * <p>java Subject ADMINS TOKEN GROUP PORT LOGS
 */
public final class Subject {
  public static void main(String[] args) throws Exception {
    keepReports(args[4] + "/callbacklogs");
    XxlJobSimpleExecutor executor = new XxlJobSimpleExecutor();
    executor.setAdminAddresses(args[0]);
    executor.setAccessToken(args[1]);
    executor.setAppname(args[2]);
    executor.setIp("127.0.0.1");
    executor.setPort(Integer.parseInt(args[3]));
    executor.setLogPath(args[4]);
    executor.setLogRetentionDays(-1);
    executor.setXxlJobBeanList(List.of(new Handlers()));
    try {
      XxlJobSimpleExecutor.class.getMethod("setTimeout", int.class).invoke(executor, 3);
    } catch (NoSuchMethodException e) {
      System.out.println("this release has a time limit that cannot be set");
    }
    executor.start();
    Runtime.getRuntime().addShutdownHook(new Thread(executor::destroy));
    Thread.currentThread().join();
  }

  /** Release 3.3 keeps reports that no admin took in a folder that all executors of a machine share, whatever it is told. */
  private static void keepReports(String folder) throws IllegalAccessException {
    try {
      Field path = XxlJobFileAppender.class.getDeclaredField("callbackLogPath");
      path.setAccessible(true);
      path.set(null, folder);
    } catch (NoSuchFieldException e) {
      System.out.println("this release keeps reports below its own log path");
    }
  }

  /** The handlers of an executor under test, as docs/conformance.md lists them. */
  public static final class Handlers {
    @XxlJob("demo")
    public void demo() {
      XxlJobHelper.log("demo " + XxlJobHelper.getJobParam());
    }

    @XxlJob("say")
    public void say() {
      XxlJobHelper.handleSuccess(XxlJobHelper.getJobParam());
    }

    @XxlJob("fail")
    public void fail() {
      XxlJobHelper.handleFail(XxlJobHelper.getJobParam());
    }

    @XxlJob("long")
    public void tooLong() {
      XxlJobHelper.handleFail("x".repeat(60_000));
    }

    @XxlJob("boom")
    public void boom() {
      throw new IllegalStateException("the sky fell");
    }

    @XxlJob("zero")
    public void zero() {
      XxlJobContext.getXxlJobContext().setHandleCode(0);
    }

    @XxlJob("raw")
    public void raw() throws Exception {
      byte[] bytes = "bad \u00ff\u00fe bytes\nafter them\n".getBytes(StandardCharsets.ISO_8859_1);
      Files.write(Path.of(logFile()), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static String logFile() throws ReflectiveOperationException {
      XxlJobContext context = XxlJobContext.getXxlJobContext();
      try {
        return (String) XxlJobContext.class.getMethod("getLogFileName").invoke(context);
      } catch (NoSuchMethodException e) {
        return (String) XxlJobContext.class.getMethod("getJobLogFileName").invoke(context); // up to 3.2
      }
    }

    @XxlJob("sleep")
    public void sleep() throws InterruptedException {
      XxlJobHelper.log("begin " + System.currentTimeMillis());
      try {
        Thread.sleep(Long.parseLong(XxlJobHelper.getJobParam()));
      } finally {
        XxlJobHelper.log("end " + System.currentTimeMillis());
      }
    }

    @XxlJob("nap")
    public void nap() throws InterruptedException {
      sleep();
    }
  }
}
