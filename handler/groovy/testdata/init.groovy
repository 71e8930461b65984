import com.xxl.job.core.handler.IJobHandler

class FailingInit extends IJobHandler {
    void init() { throw new IOException('no connection') }

    void execute() { println 'never' }

    void destroy() { println 'never' }
}
