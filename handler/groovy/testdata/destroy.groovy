import com.xxl.job.core.handler.IJobHandler

class FailingDestroy extends IJobHandler {
    void execute() { com.xxl.job.core.context.XxlJobHelper.handleSuccess('done before') }

    void destroy() { throw new IOException('cannot close') }
}
