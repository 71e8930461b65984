package com.xxl.job.service.handler;

import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.log.XxlJobLogger;
import com.xxl.job.core.util.ShardingUtil;

public class ReturningJob extends IJobHandler {

    @Override
    public ReturnT<String> execute(String param) throws Exception {
        ShardingUtil.ShardingVO shard = ShardingUtil.getShardingVo();
        XxlJobLogger.log("{} on {}/{}", param, shard.getIndex(), shard.getTotal());
        if ("fail".equals(param)) {
            return new ReturnT<String>(ReturnT.FAIL_CODE, "returned a failure");
        }
        if ("timeout".equals(param)) {
            return FAIL_TIMEOUT;
        }
        if ("null".equals(param)) {
            return null;
        }
        return SUCCESS;
    }
}
