package orth.glue

import com.xxl.job.core.biz.model.ReturnT
import com.xxl.job.core.context.XxlJobContext
import com.xxl.job.core.context.XxlJobHelper
import com.xxl.job.core.handler.IJobHandler
import com.xxl.job.core.handler.annotation.JobHandler
import com.xxl.job.core.handler.annotation.XxlJob
import com.xxl.job.core.log.XxlJobLogger
import com.xxl.job.core.util.ShardingUtil
import groovy.transform.CompileStatic
import org.codehaus.groovy.control.CompilerConfiguration

/**
 * Compiles a job's class. A name of the job API that is not found under its
 * package is looked up by its last part, so that a class may import it from the
 * package of another product or of another release. The compiler then writes
 * our class's true name into the byte code.
 */
@CompileStatic
final class Loader extends GroovyClassLoader {
    private static final Map<String, Class> API = [
        IJobHandler     : (Class) IJobHandler,
        ReturnT         : (Class) ReturnT,
        XxlJobHelper    : (Class) XxlJobHelper,
        OrthJobHelper   : (Class) XxlJobHelper,
        XxlJobContext   : (Class) XxlJobContext,
        OrthJobContext  : (Class) XxlJobContext,
        XxlJobLogger    : (Class) XxlJobLogger,
        OrthJobLogger   : (Class) XxlJobLogger,
        ShardingUtil    : (Class) ShardingUtil,
        XxlJob          : (Class) XxlJob,
        OrthJob         : (Class) XxlJob,
        JobHandler      : (Class) JobHandler,
    ]
    private static final List<String> CONTAINER = ['org.springframework.', 'javax.annotation.', 'jakarta.annotation.', 'javax.inject.', 'jakarta.inject.']
    private static final Set<String> ANNOTATIONS = ['Autowired', 'Resource', 'Inject', 'Qualifier', 'Value', 'Named',
        'Component', 'Service', 'Lazy'] as Set<String>

    Loader(ClassLoader parent) { super(parent, configuration()) }

    private static CompilerConfiguration configuration() {
        CompilerConfiguration c = new CompilerConfiguration()
        c.sourceEncoding = 'UTF-8'
        return c
    }

    @Override
    Class loadClass(String name, boolean lookupScriptFiles, boolean preferClassOverScript, boolean resolve) {
        try {
            return super.loadClass(name, lookupScriptFiles, preferClassOverScript, resolve)
        } catch (ClassNotFoundException missing) {
            Class ours = alias(name)
            if (ours == null) {
                throw missing
            }
            return ours
        }
    }

    private static Class alias(String name) {
        int dot = name.lastIndexOf('.')
        if (dot < 0) {
            return null
        }
        String last = name.substring(dot + 1)
        if (name.contains('.job.')) {
            return API.get(last)
        }
        if (ANNOTATIONS.contains(last)) {
            for (String prefix : CONTAINER) {
                if (name.startsWith(prefix)) {
                    return Absent
                }
            }
        }
        return null
    }

    /** Tells whether an annotation of this simple name asks a container for something. */
    static boolean injects(String simpleName) { simpleName in ['Absent', 'Autowired', 'Resource', 'Inject', 'Value'] }
}
