package com.xxl.job.core.handler

import com.xxl.job.core.biz.model.ReturnT
import groovy.transform.CompileStatic

/**
 * What a job's class extends. It overrides one of the three execute methods,
 * which came with three generations of the API. None of them is abstract here,
 * so that a class of any generation compiles.
 */
@CompileStatic
abstract class IJobHandler {
    public static final ReturnT<String> SUCCESS = ReturnT.SUCCESS
    public static final ReturnT<String> FAIL = ReturnT.FAIL
    public static final ReturnT<String> FAIL_TIMEOUT = ReturnT.FAIL_TIMEOUT

    void execute() throws Exception { throw new AbstractMethodError('execute()') }

    ReturnT<String> execute(String param) throws Exception { throw new AbstractMethodError('execute(String)') }

    ReturnT<String> execute(String... params) throws Exception { throw new AbstractMethodError('execute(String...)') }

    void init() throws Exception {}

    void destroy() throws Exception {}
}
