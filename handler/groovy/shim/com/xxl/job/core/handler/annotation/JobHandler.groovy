package com.xxl.job.core.handler.annotation

import java.lang.annotation.Retention
import java.lang.annotation.RetentionPolicy

/** Names a class as a job inside of an application. It has no effect here. */
@Retention(RetentionPolicy.RUNTIME)
@interface JobHandler {
    String value() default ''
}
