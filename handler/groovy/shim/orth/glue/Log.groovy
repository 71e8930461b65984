package orth.glue

import groovy.transform.CompileStatic

import java.time.LocalDateTime
import java.time.format.DateTimeFormatter
import java.util.regex.Pattern

/** Lines of the run log, which is this process's standard output. */
@CompileStatic
final class Log {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern('yyyy-MM-dd HH:mm:ss.SSS')
    private static final String HOLE = '{}'

    private Log() {}

    static void line(String text) {
        System.out.println(TIME.format(LocalDateTime.now()) + ' ' + text)
    }

    static void trace(Throwable thrown) { line(thrown == null ? 'null' : traceOf(thrown)) }

    /**
     * Puts the arguments into the holes of the pattern in order. A backslash
     * before a hole keeps the hole. A Throwable left over at the end is written
     * as a stack trace below.
     */
    static String format(String pattern, Object... arguments) {
        if (pattern == null || arguments == null || arguments.length == 0) {
            return pattern
        }
        StringBuilder text = new StringBuilder(pattern.length() + 16 * arguments.length)
        int from = 0
        int used = 0
        while (used < arguments.length) {
            int hole = pattern.indexOf(HOLE, from)
            if (hole < 0) {
                break
            }
            if (hole > from && pattern.charAt(hole - 1) == ('\\' as char)) {
                text.append(pattern, from, hole - 1).append(HOLE)
            } else {
                text.append(pattern, from, hole).append(show(arguments[used]))
                used++
            }
            from = hole + HOLE.length()
        }
        text.append(pattern, from, pattern.length())
        Object last = arguments[arguments.length - 1]
        if (used < arguments.length && last instanceof Throwable) {
            text.append('\n').append(traceOf((Throwable) last))
        }
        return text.toString()
    }

    private static String show(Object value) {
        if (value instanceof Object[]) {
            return Arrays.deepToString((Object[]) value)
        }
        return String.valueOf(value)
    }

    /** Returns the stack trace without the frames of Groovy's and our own machinery. */
    private static String traceOf(Throwable thrown) {
        Pattern machinery = Pattern.compile('^\\tat (?:[\\w.@]+/)*(?:java\\.lang\\.reflect|jdk\\.internal\\.reflect|sun\\.reflect|' +
            'groovy\\.lang|org\\.codehaus\\.groovy|org\\.apache\\.groovy|orth\\.glue)\\.')
        StringWriter all = new StringWriter()
        thrown.printStackTrace(new PrintWriter(all, true))
        StringBuilder text = new StringBuilder()
        for (String each : all.toString().split('\\R')) {
            if (!machinery.matcher(each).find()) {
                text.append(text.length() == 0 ? '' : '\n').append(each)
            }
        }
        return text.toString()
    }
}
