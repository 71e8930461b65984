package com.xxl.job.core.biz.model

import groovy.transform.CompileStatic

/** What a job of the old kind returns: a code, a message and a content. */
@CompileStatic
class ReturnT<T> implements Serializable {
    public static final int SUCCESS_CODE = 200
    public static final int FAIL_CODE = 500
    public static final int TIMEOUT_CODE = 502
    public static final ReturnT<String> SUCCESS = new ReturnT<String>(SUCCESS_CODE, null)
    public static final ReturnT<String> FAIL = new ReturnT<String>(FAIL_CODE, null)
    public static final ReturnT<String> FAIL_TIMEOUT = new ReturnT<String>(TIMEOUT_CODE, null)

    private static final long serialVersionUID = 1L

    int code
    String msg
    T content

    ReturnT() {}

    ReturnT(int code, String msg) {
        this.code = code
        this.msg = msg
    }

    ReturnT(T content) {
        this.code = SUCCESS_CODE
        this.content = content
    }

    static <T> ReturnT<T> ofSuccess() { new ReturnT<T>(SUCCESS_CODE, null) }

    static <T> ReturnT<T> ofSuccess(T content) { new ReturnT<T>(content) }

    static <T> ReturnT<T> ofFail() { new ReturnT<T>(FAIL_CODE, null) }

    static <T> ReturnT<T> ofFail(String msg) { new ReturnT<T>(FAIL_CODE, msg) }

    boolean isSuccess() { code == SUCCESS_CODE }

    @Override
    String toString() { "ReturnT [code=$code, msg=$msg, content=$content]" }
}
