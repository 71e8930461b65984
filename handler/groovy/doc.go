// Package groovy makes a machine's Groovy able to run the job classes of other
// schedulers: Java or Groovy source of one class that extends IJobHandler.
//
// It knows where Groovy is, which Java runs it, and the classes that such
// sources are written against, which stand in the folder shim. It must never
// know a task, a queue, a protocol or how a process is kept and killed. A folder
// and perhaps a path come in; the command that runs a source file goes out.
//
// The sources of the shim are compiled by the Groovy that was found, once for
// each version of it, so no Java compiler is needed and no byte code is carried
// along. A run then starts Java directly, without Groovy's own start script.
package groovy
