package com.xxl.job.core.util

import com.xxl.job.core.context.XxlJobContext
import groovy.transform.CompileStatic

/** The shard of a job of the old kind. */
@CompileStatic
class ShardingUtil {
    static ShardingVO getShardingVo() {
        new ShardingVO(XxlJobContext.xxlJobContext.shardIndex, XxlJobContext.xxlJobContext.shardTotal)
    }

    @CompileStatic
    static class ShardingVO {
        int index
        int total

        ShardingVO(int index, int total) {
            this.index = index
            this.total = total
        }
    }
}
