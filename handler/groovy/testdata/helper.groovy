package com.xxl.job.service.handler;

import com.xxl.job.core.context.XxlJobContext;
import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.IJobHandler;

public class HelperJob extends IJobHandler {

    @Override
    public void init() {
        XxlJobHelper.log("init");
    }

    @Override
    public void execute() throws Exception {
        XxlJobHelper.log("job {} attempt {} shard {} of {} with {}", XxlJobHelper.getJobId(), XxlJobContext.getXxlJobContext().getLogId(),
                XxlJobHelper.getShardIndex(), XxlJobHelper.getShardTotal(), XxlJobHelper.getJobParam());
        XxlJobHelper.log("no hole", 1);
        XxlJobHelper.log("a kept \\{} and a filled {}, one without {}", new int[0].length);
        XxlJobHelper.log("100% of 你好");
        XxlJobHelper.log(new IllegalStateException("only logged"));
        XxlJobHelper.log("with {}", "cause", new IllegalStateException("below"));
        System.out.println("plain output");
        XxlJobHelper.handleSuccess("all of 你好");
    }

    @Override
    public void destroy() {
        XxlJobHelper.log("destroy");
    }
}
