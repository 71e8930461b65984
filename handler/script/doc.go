// Package script runs the scripts that travel with tasks.
//
// It knows files, processes and their groups, environments and exit values. It
// must never know a queue, a protocol or what follows a run. A [handler.Task]
// with a script in it comes in; the process's output in the run log and an
// error for a bad exit go out.
//
// A script runs with the rights of the executor: whoever may write a script may
// do what the executor may. The environment is an allow-list, so that the
// executor's own secrets stay its own.
package script
