package com.xxl.job.core.context

import groovy.transform.CompileStatic

/** The one run of this process: its inputs, and its result when the job has set one. */
@CompileStatic
class XxlJobContext {
    public static final int HANDLE_CODE_SUCCESS = 200
    public static final int HANDLE_CODE_FAIL = 500
    public static final int HANDLE_CODE_TIMEOUT = 502

    private static volatile XxlJobContext current

    final long jobId
    final String jobParam
    final long logId
    final String jobLogFileName
    final int shardIndex
    final int shardTotal
    volatile int handleCode = HANDLE_CODE_SUCCESS
    volatile String handleMsg

    XxlJobContext(long jobId, String jobParam, long logId, String jobLogFileName, int shardIndex, int shardTotal) {
        this.jobId = jobId
        this.jobParam = jobParam
        this.logId = logId
        this.jobLogFileName = jobLogFileName
        this.shardIndex = shardIndex
        this.shardTotal = shardTotal
    }

    XxlJobContext(long jobId, String jobParam, String jobLogFileName, int shardIndex, int shardTotal) {
        this(jobId, jobParam, 0L, jobLogFileName, shardIndex, shardTotal)
    }

    static void setXxlJobContext(XxlJobContext context) { current = context }

    static XxlJobContext getXxlJobContext() { current }

    static XxlJobContext getOrthJobContext() { current }

    String getLogFileName() { jobLogFileName }
}
