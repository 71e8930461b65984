// Package ownership decides which of several executors goes first with a thread, so that
// they do not pay for each other's executions.
//
// It knows who has executed a thread last, how late it is, and the result of going first.
// It must never know how a thread is executed or how its state comes here. Executors do not
// communicate: all is decided by what the chain shows to all, and an executor without these
// rules harms only itself.
//
// A thread is its last executor's. Others leave it alone until it is overdue by the
// takeover delay, and then go one after the other. So of executors that keep the rules one
// goes first with each execution, and a dead one's threads find another. The one exception
// is a thread without any execution so far, seen by executors that have not seen each other
// execute anything yet.
package ownership
