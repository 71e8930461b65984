package orth.glue

import com.xxl.job.core.handler.IJobHandler
import groovy.transform.CompileStatic
import org.codehaus.groovy.control.CompilationFailedException

import java.lang.annotation.Annotation
import java.lang.reflect.Field
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.util.regex.Pattern

/** A job's source: compiles it, finds its class and runs it once. */
@CompileStatic
final class Glue {
    private final String path
    private final String source

    Glue(String path, String source) {
        this.path = path
        this.source = source
    }

    /** Runs the class with its init and destroy and returns what execute has returned. */
    Object run(String param) {
        if (source.trim().isEmpty()) {
            throw new Refusal("$path: the source is blank: write a class that extends IJobHandler")
        }
        Class<?> type = load()
        warnOfFields(type)
        Method execute = entry(type)
        IJobHandler job = create(type)
        job.init()
        try {
            switch (execute.parameterCount) {
                case 0: return call(job, execute)
                default: return call(job, execute, execute.parameterTypes[0] == String ? param : params(param))
            }
        } finally {
            destroy(job)
        }
    }

    private Class<?> load() {
        Loader loader = new Loader(Glue.classLoader)
        Thread.currentThread().contextClassLoader = loader
        GroovyCodeSource code = new GroovyCodeSource(source, path, '/groovy/script')
        code.cachable = false
        Class<?> first
        try {
            first = loader.parseClass(code, false)
        } catch (CompilationFailedException e) {
            explain()
            throw new Refusal(e.message.trim())
        }
        List<Class<?>> found = []
        for (Class<?> each : loader.loadedClasses) {
            if (IJobHandler.isAssignableFrom(each) && !Modifier.isAbstract(each.modifiers)) {
                found.add(each)
            }
        }
        if (found.contains(first)) {
            return first
        }
        if (found.size() == 1) {
            return found.get(0)
        }
        String what = found.isEmpty() ? 'no class' : "${found.size()} classes"
        throw new Refusal("$path: $what in the source that can run: write one class that extends IJobHandler")
    }

    /** Says what often lies behind a source that does not compile. */
    private void explain() {
        if (Pattern.compile('@(Resource|Autowired|Inject)\\b|\\borg\\.springframework\\.').matcher(source).find()) {
            Log.line('This class asks for beans of Spring. It runs in a process of its own, where there are none: ' +
                'make what it needs in the class itself.')
        }
        if (GroovySystem.version.startsWith('2.') && Pattern.compile('->|::').matcher(source).find()) {
            Log.line("Groovy $GroovySystem.version does not know Java's lambdas and method references: " +
                'install Groovy 3 or newer, or write closures.')
        }
    }

    private static void warnOfFields(Class<?> type) {
        for (Class<?> each = type; each != null && each != IJobHandler; each = each.superclass) {
            for (Field field : each.declaredFields) {
                for (Annotation annotation : field.annotations) {
                    if (Loader.injects(annotation.annotationType().simpleName)) {
                        Log.line("The field ${each.simpleName}.${field.name} stays as it is: nothing is injected here, " +
                            'because the class runs in a process of its own, outside of Spring.')
                    }
                }
            }
        }
    }

    private Method entry(Class<?> type) {
        Class[][] signatures = [[] as Class[], [String] as Class[], [String[]] as Class[]] as Class[][]
        for (Class[] signature : signatures) {
            Method method = type.getMethod('execute', signature)
            if (method.declaringClass != IJobHandler) {
                method.accessible = true
                return method
            }
        }
        throw new Refusal("$path: the class $type.name has no execute(), execute(String) or execute(String...): write one")
    }

    private IJobHandler create(Class<?> type) {
        try {
            return (IJobHandler) type.getDeclaredConstructor().newInstance()
        } catch (NoSuchMethodException ignored) {
            throw new Refusal("$path: the class $type.name has no constructor without parameters: add one")
        } catch (InvocationTargetException e) {
            throw e.targetException
        }
    }

    private static Object call(IJobHandler job, Method execute, Object... arguments) {
        try {
            Object result = execute.invoke(job, arguments)
            if (result == null && execute.returnType != void) {
                throw new Refusal("${job.class.name}.execute returned null: return a ReturnT, such as ReturnT.SUCCESS")
            }
            return result
        } catch (InvocationTargetException e) {
            throw e.targetException
        }
    }

    /** The oldest classes take the parameter in parts, between commas. */
    private static Object params(String param) {
        return (Object) (param == null || param.isEmpty() ? new String[0] : param.split(','))
    }

    private static void destroy(IJobHandler job) {
        try {
            job.destroy()
        } catch (Throwable e) {
            Log.line('destroy ended with an error, which does not change the result:')
            Log.trace(e)
        }
    }
}
