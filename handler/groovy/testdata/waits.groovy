import com.xxl.job.core.context.XxlJobHelper
import com.xxl.job.core.handler.IJobHandler

class Waits extends IJobHandler {
    void execute() {
        XxlJobHelper.log('waiting')
        try {
            Thread.sleep(3_600_000)
        } catch (InterruptedException e) {
            XxlJobHelper.log('interrupted')
            XxlJobHelper.handleFail('ended early')
        }
    }

    void destroy() { XxlJobHelper.log('cleaned up') }
}
