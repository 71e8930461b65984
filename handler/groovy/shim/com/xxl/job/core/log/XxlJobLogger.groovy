package com.xxl.job.core.log

import groovy.transform.CompileStatic
import orth.glue.Log

/** The log of jobs of the old kind. */
@CompileStatic
class XxlJobLogger {
    static void log(String pattern, Object... arguments) { Log.line(Log.format(pattern, arguments)) }

    static void log(Throwable thrown) { Log.trace(thrown) }
}
