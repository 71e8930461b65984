package orth.glue

import groovy.transform.CompileStatic

/** A class that cannot run. Its text is for the job's author and needs no stack trace. */
@CompileStatic
final class Refusal extends Exception {
    Refusal(String message) { super(message) }

    @Override
    String toString() { message }
}
