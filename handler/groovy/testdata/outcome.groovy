import com.xxl.job.core.context.XxlJobHelper
import com.xxl.job.core.handler.IJobHandler

class Outcome extends IJobHandler {
    void execute() {
        switch (XxlJobHelper.jobParam) {
            case 'fail': XxlJobHelper.handleFail('it went wrong'); break
            case 'fail without text': XxlJobHelper.handleFail(); break
            case 'timeout': XxlJobHelper.handleTimeout('too slow'); break
            case 'result': XxlJobHelper.handleResult(42, 'an own code'); break
            case 'success after fail': XxlJobHelper.handleFail('no'); XxlJobHelper.handleSuccess('yes'); break
            case 'throw after success': XxlJobHelper.handleSuccess('yes'); throw new IllegalArgumentException('the file is missing')
            case 'cause': throw new IllegalStateException('the import failed', new IOException('3 rows', new ConnectException('Connection refused')))
            case 'same cause': throw new RuntimeException(new ConnectException('Connection refused'))
            case 'error': throw new StackOverflowError('too deep')
            case 'thread': new Thread({ Thread.sleep(3_600_000) }).start(); XxlJobHelper.handleSuccess("left ${1} thread"); break
            case 'exit': System.exit(7)
            case 'long': XxlJobHelper.handleSuccess('x' * 100_000); break
        }
    }
}
