package com.xxl.job.core.context

import groovy.transform.CompileStatic
import orth.glue.Log

/** What a job calls: its inputs, its log and its result. Any thread may call it. */
@CompileStatic
class XxlJobHelper {
    static long getJobId() { XxlJobContext.xxlJobContext.jobId }

    static String getJobParam() { XxlJobContext.xxlJobContext.jobParam }

    static long getLogId() { XxlJobContext.xxlJobContext.logId }

    static String getJobLogFileName() { XxlJobContext.xxlJobContext.jobLogFileName }

    static String getLogFileName() { XxlJobContext.xxlJobContext.jobLogFileName }

    static int getShardIndex() { XxlJobContext.xxlJobContext.shardIndex }

    static int getShardTotal() { XxlJobContext.xxlJobContext.shardTotal }

    static boolean log(String pattern, Object... arguments) {
        Log.line(Log.format(pattern, arguments))
        true
    }

    static boolean log(Throwable thrown) {
        Log.trace(thrown)
        true
    }

    static boolean handleSuccess() { handleResult(XxlJobContext.HANDLE_CODE_SUCCESS, null) }

    static boolean handleSuccess(String message) { handleResult(XxlJobContext.HANDLE_CODE_SUCCESS, message) }

    static boolean handleFail() { handleResult(XxlJobContext.HANDLE_CODE_FAIL, null) }

    static boolean handleFail(String message) { handleResult(XxlJobContext.HANDLE_CODE_FAIL, message) }

    static boolean handleTimeout() { handleResult(XxlJobContext.HANDLE_CODE_TIMEOUT, null) }

    static boolean handleTimeout(String message) { handleResult(XxlJobContext.HANDLE_CODE_TIMEOUT, message) }

    static boolean handleResult(int code, String message) {
        XxlJobContext.xxlJobContext.handleCode = code
        if (message != null) {
            XxlJobContext.xxlJobContext.handleMsg = message
        }
        true
    }
}
