import com.xxl.job.core.handler.IJobHandler

class Row { String name }

abstract class Common extends IJobHandler {
    void execute() { println "shared by ${new Row(name: 'rows').name}" }
}

class Concrete extends Common {}
