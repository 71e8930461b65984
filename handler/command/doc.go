// Package command runs programs of the executor's machine, named by a task's
// parameter, without any shell.
//
// It knows how a parameter becomes arguments, and which programs are allowed.
// It must never know a queue, a protocol, how a process tree is ended or what
// follows a run. A [handler.Task] comes in; the program's output in the run
// log, a result and an error for a bad exit go out.
package command
