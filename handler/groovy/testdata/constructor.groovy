import com.xxl.job.core.handler.IJobHandler

class Needs extends IJobHandler {
    Needs(String name) {}

    void execute() {}
}
