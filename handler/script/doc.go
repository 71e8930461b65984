// Package script runs the scripts that travel with tasks.
//
// It knows interpreters, script files and exit values. It must never know a queue, a
// protocol, how a process tree is ended or what follows a run. A [handler.Task] with a
// script in it comes in; the program's output in the run log, a result and an error for a
// bad exit go out.
//
// A script runs with the rights of the executor, or of the user that its children run as:
// authors of scripts may do what that user may. The environment is an allow-list, so that
// the executor's own secrets stay its own.
package script
