package orth.glue

import com.xxl.job.core.biz.model.ReturnT
import com.xxl.job.core.context.XxlJobContext
import groovy.transform.CompileStatic

import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.Path
import java.nio.file.Paths
import java.util.concurrent.CountDownLatch

/**
 * The process of one run: Main FILE PARAM SHARD_INDEX SHARD_TOTAL. It ends with 0
 * for success, 1 for failure and 124 for a job that says its time was up; the
 * message goes to the file that ORTH_JOB_RESULT_FILE names.
 */
@CompileStatic
final class Main {
    private static final int FAILED = 1
    private static final int TIMED_OUT = 124
    private static final int MESSAGE_LIMIT = 16 * 1024
    private static final int MAX_CAUSES = 50

    private Main() {}

    static void main(String[] arguments) {
        System.out = utf8(FileDescriptor.out)
        System.err = utf8(FileDescriptor.err)
        if (arguments.length == 0) {
            System.out.println(GroovySystem.version)
            return
        }
        CountDownLatch ended = endOnSignal(Thread.currentThread())
        int exit = FAILED
        try {
            exit = run(arguments)
        } finally {
            ended.countDown() // or the end of the process would wait for ever
        }
        System.exit(exit) // threads that the job has left do not hold the process
    }

    private static PrintStream utf8(FileDescriptor to) {
        return new PrintStream(new BufferedOutputStream(new FileOutputStream(to)), true, 'UTF-8')
    }

    /**
     * On SIGTERM the job's thread is interrupted, and the process waits for it:
     * whoever sent the signal decides how long. A job that calls System.exit
     * itself is not waited for.
     */
    private static CountDownLatch endOnSignal(Thread job) {
        CountDownLatch ended = new CountDownLatch(1)
        Runtime.runtime.addShutdownHook(new Thread('orth-end') {
            @Override
            void run() {
                for (StackTraceElement frame : job.stackTrace) {
                    if (frame.className == 'java.lang.Shutdown') {
                        return
                    }
                }
                job.interrupt()
                ended.await()
            }
        })
        return ended
    }

    private static int run(String[] arguments) {
        Map<String, String> environment = environment()
        XxlJobContext context = new XxlJobContext(
            number(environment.get('ORTH_JOB_ID')),
            environment.get('ORTH_JOB_PARAM') ?: (arguments.length > 1 ? arguments[1] : ''),
            number(environment.get('ORTH_JOB_LOG_ID')),
            '',
            arguments.length > 2 ? (int) number(arguments[2]) : 0,
            arguments.length > 3 ? (int) number(arguments[3]) : 1)
        XxlJobContext.xxlJobContext = context
        try {
            Glue glue = new Glue(arguments[0], new String(Files.readAllBytes(Paths.get(arguments[0])), StandardCharsets.UTF_8))
            take(context, glue.run(context.jobParam))
        } catch (Refusal e) {
            Log.line(e.message)
            fail(context, e)
        } catch (Throwable e) {
            Log.trace(e)
            fail(context, e)
        }
        write(environment.get('ORTH_JOB_RESULT_FILE'), context.handleMsg)
        switch (context.handleCode) {
            case XxlJobContext.HANDLE_CODE_SUCCESS: return 0
            case XxlJobContext.HANDLE_CODE_TIMEOUT: return TIMED_OUT
            default: return FAILED
        }
    }

    private static void fail(XxlJobContext context, Throwable thrown) {
        context.handleCode = XxlJobContext.HANDLE_CODE_FAIL
        context.handleMsg = describe(thrown)
    }

    /** Returns what went wrong, and its root cause unless the text names that already. */
    private static String describe(Throwable thrown) {
        Throwable root = thrown
        for (int depth = 0; depth < MAX_CAUSES && root.cause != null; depth++) {
            root = root.cause
        }
        String text = thrown.toString()
        return text.contains(root.toString()) ? text : text + '; caused by: ' + root
    }

    /** Takes the result that the job returned, unless it has set another one itself. */
    private static void take(XxlJobContext context, Object returned) {
        if (returned instanceof ReturnT && context.handleCode == XxlJobContext.HANDLE_CODE_SUCCESS && context.handleMsg == null) {
            context.handleCode = ((ReturnT) returned).code
            context.handleMsg = ((ReturnT) returned).msg
        }
    }

    private static void write(String file, String message) {
        if (!file || !message) {
            return
        }
        String text = message.length() > MESSAGE_LIMIT ? message.substring(0, MESSAGE_LIMIT) : message
        try {
            Files.write(Paths.get(file), text.getBytes(StandardCharsets.UTF_8))
        } catch (IOException | InvalidPathException e) {
            Log.line("write the result: $e")
        }
    }

    private static long number(String text) {
        return text ? Long.parseLong(text) : -1L
    }

    /**
     * The environment as UTF-8, whatever the locale is: in the locale C, Java
     * reads neither its variables nor its arguments as what they are.
     */
    private static Map<String, String> environment() {
        Path raw = Paths.get('/proc/self/environ')
        if (!Files.isReadable(raw)) {
            return System.getenv()
        }
        Map<String, String> all = new HashMap<String, String>()
        for (String each : new String(Files.readAllBytes(raw), StandardCharsets.UTF_8).split('\0')) {
            int equals = each.indexOf('=')
            if (equals > 0) {
                all.put(each.substring(0, equals), each.substring(equals + 1))
            }
        }
        return all
    }
}
