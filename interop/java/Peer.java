import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import com.xxl.job.core.handler.annotation.XxlJob;
import com.xxl.job.core.log.XxlJobFileAppender;
import java.lang.reflect.Field;
import java.util.List;

/**
 * An executor built on XXL-JOB's own Java library, without Spring. One source serves all its releases.
 *
 * <p>java Peer ADMIN TOKEN GROUP PORT LOGS
 */
public final class Peer {
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

  /**
   * Release 3.3 keeps reports that no admin took in a folder that all executors of a machine share, whatever it is told, and each of them
   * sends what it finds there to its own admin. Here many run beside each other.
   */
  private static void keepReports(String folder) throws IllegalAccessException {
    try {
      Field path = XxlJobFileAppender.class.getDeclaredField("callbackLogPath");
      path.setAccessible(true);
      path.set(null, folder);
    } catch (NoSuchFieldException e) {
      System.out.println("this release keeps reports below its own log path");
    }
  }

  /** The handlers that jobs name; the programs in other languages have the same ones. */
  public static final class Handlers {
    @XxlJob("ok")
    public void ok() {
      XxlJobHelper.log("param {}", XxlJobHelper.getJobParam());
      XxlJobHelper.log("shard {} of {}", XxlJobHelper.getShardIndex(), XxlJobHelper.getShardTotal());
      XxlJobHelper.handleSuccess("did " + XxlJobHelper.getJobParam());
    }

    @XxlJob("fail")
    public void fail() {
      XxlJobHelper.handleFail("no " + XxlJobHelper.getJobParam());
    }

    @XxlJob("throw")
    public void explode() {
      XxlJobHelper.log("about to throw");
      throw new IllegalStateException("thrown on purpose");
    }

    @XxlJob("sleep")
    public void sleep() throws InterruptedException {
      XxlJobHelper.log("begin {}", String.valueOf(System.currentTimeMillis()));
      Thread.sleep(Long.parseLong(XxlJobHelper.getJobParam()));
      XxlJobHelper.log("end {}", String.valueOf(System.currentTimeMillis()));
    }

    @XxlJob("lines")
    public void lines() throws InterruptedException {
      int count = Integer.parseInt(XxlJobHelper.getJobParam());
      for (int i = 1; i <= count; i++) {
        XxlJobHelper.log("line {} of {}", i, count);
        if (i == count / 2) {
          Thread.sleep(2500);
        }
      }
    }
  }
}
