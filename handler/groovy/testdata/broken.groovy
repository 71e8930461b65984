import com.xxl.job.core.handler.IJobHandler

class Broken extends IJobHandler {
    void execute() { Missing x = null }
}
