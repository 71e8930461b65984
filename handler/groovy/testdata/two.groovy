import com.xxl.job.core.handler.IJobHandler

class Row { }

class First extends IJobHandler { void execute() {} }

class Second extends IJobHandler { void execute() {} }
