package orth.glue

import java.lang.annotation.Retention
import java.lang.annotation.RetentionPolicy

/**
 * Stands for an annotation of a container, such as Autowired, that a job's
 * class names and that nobody can honour outside of the container.
 */
@Retention(RetentionPolicy.RUNTIME)
@interface Absent {
    String value() default ''
    String name() default ''
    Class<?> type() default Object
    boolean required() default true
}
