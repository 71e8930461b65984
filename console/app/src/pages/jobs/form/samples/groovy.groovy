import com.xxl.job.core.context.XxlJobHelper
import com.xxl.job.core.handler.IJobHandler

// A class as XXL-JOB's GLUE(Java) has it. An exception fails the run.
class SampleJobHandler extends IJobHandler {
    @Override
    void execute() throws Exception {
        XxlJobHelper.log("Parameter: " + XxlJobHelper.getJobParam())
        XxlJobHelper.log("Planned time: " + (System.getenv("ORTH_JOB_SCHEDULE_TIME") ?: "none"))
        XxlJobHelper.log("Shard: " + XxlJobHelper.getShardIndex() + " of " + XxlJobHelper.getShardTotal())
    }
}
