import com.xxl.job.core.handler.IJobHandler;
import javax.annotation.Resource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

@Component
public class SpringJob extends IJobHandler {
    @Resource(name = "list")
    private List<String> list;
    @Autowired
    private Map<String, String> map;

    @Override
    public void execute() throws Exception {
        System.out.println("list is " + list);
    }
}
