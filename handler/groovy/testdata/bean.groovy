import com.xxl.job.core.handler.IJobHandler;
import com.example.DemoService;
import org.springframework.beans.factory.annotation.Autowired;

public class BeanJob extends IJobHandler {
    @Autowired
    private DemoService service;

    @Override
    public void execute() throws Exception { service.work(); }
}
