// Compiles the sources in the first folder into the second and tells what runs
// Groovy here, a fact a line. The mark keeps the lines apart from what Java and
// start scripts may print.
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.CompilerConfiguration

def sources = []
new File(args[0]).eachFileRecurse { if (it.name.endsWith('.groovy')) sources << it }
def unit = new CompilationUnit(new CompilerConfiguration(targetDirectory: new File(args[1]), sourceEncoding: 'UTF-8'))
unit.addSources(sources as File[])
unit.compile()

def root = this.class.classLoader.rootLoader
def jars = root ? root.URLs.collect { new File(it.toURI()).path } : System.getProperty('java.class.path').split(File.pathSeparator) as List
def out = new PrintStream(System.out, true, 'UTF-8')
out.println "orth:version=${GroovySystem.version}"
out.println "orth:java=${System.getProperty('java.home')}"
jars.findAll { new File(it).exists() }.each { out.println "orth:jar=$it" }
