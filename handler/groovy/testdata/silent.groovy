import com.xxl.job.core.handler.IJobHandler

class Silent extends IJobHandler {
    void execute() { println "param <${com.xxl.job.core.context.XxlJobHelper.jobParam}>" }
}
