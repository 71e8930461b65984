import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import com.xxl.job.core.handler.annotation.XxlJob;
import java.util.List;

/**
 * An executor built on XXL-JOB's own Java library, without Spring.
 *
 * <p>java Peer.java ADMIN TOKEN GROUP PORT LOGS
 */
public final class Peer {
  public static void main(String[] args) throws Exception {
    XxlJobSimpleExecutor executor = new XxlJobSimpleExecutor();
    executor.setAdminAddresses(args[0]);
    executor.setAccessToken(args[1]);
    executor.setTimeout(3);
    executor.setAppname(args[2]);
    executor.setIp("127.0.0.1");
    executor.setPort(Integer.parseInt(args[3]));
    executor.setLogPath(args[4]);
    executor.setLogRetentionDays(-1);
    executor.setXxlJobBeanList(List.of(new Handlers()));
    executor.start();
    Runtime.getRuntime().addShutdownHook(new Thread(executor::destroy));
    Thread.currentThread().join();
  }

  /** The handlers that jobs name. */
  public static final class Handlers {
    @XxlJob("greet")
    public void greet() {
      XxlJobHelper.log("greeting {}", XxlJobHelper.getJobParam());
      XxlJobHelper.log("shard {} of {}", XxlJobHelper.getShardIndex(), XxlJobHelper.getShardTotal());
      XxlJobHelper.handleSuccess("hello " + XxlJobHelper.getJobParam());
    }

    @XxlJob("explode")
    public void explode() {
      XxlJobHelper.log("about to fail with {}", XxlJobHelper.getJobParam());
      throw new IllegalStateException("the handler failed on purpose");
    }

    @XxlJob("slow")
    public void slow() throws InterruptedException {
      Thread.sleep(60_000);
    }
  }
}
