import com.xxl.job.core.handler.IJobHandler;

public class LambdaJob extends IJobHandler {
    @Override
    public void execute() throws Exception {
        Runnable r = () -> System.out.println("from a lambda");
        r.run();
    }
}
