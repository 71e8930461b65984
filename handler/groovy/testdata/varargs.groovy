import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.handler.annotation.JobHandler;
import com.xxl.job.core.log.XxlJobLogger;

@JobHandler(value = "varargs")
public class VarargsJob extends IJobHandler {
    @Override
    public ReturnT<String> execute(String... params) throws Exception {
        XxlJobLogger.log("{} parameters: {}", params.length, params);
        return ReturnT.SUCCESS;
    }
}
