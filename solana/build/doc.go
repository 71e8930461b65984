// Package build makes, of a thread that is due, the transaction that executes it: its
// instructions, its limits, its price, and its expected gain.
//
// It knows the thread program's instructions, how a message is made, and how to read its
// simulation. It must never know how a transaction is sent or confirmed, when it is tried
// again, or who else executes. The key of a thread comes in; a signed transaction goes out,
// or an [Error] with the class of what blocks it.
//
// An execution is worth less than its fee, and a fiber may do anything: no transaction is
// signed before a simulation has shown what it leaves the executor with.
package build
