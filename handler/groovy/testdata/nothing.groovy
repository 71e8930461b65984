import com.xxl.job.core.handler.IJobHandler

class Nothing extends IJobHandler {}
