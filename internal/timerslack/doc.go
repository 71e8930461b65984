// Package timerslack lets Linux be late with this process's timers.
//
// It knows the timer slack of threads. It must never know what a process does. Nothing
// comes in or goes out but the slack of the calling thread. On other systems it does
// nothing.
//
// The Go runtime has a thread that looks every 20 µs for system calls that last, as long
// as anything runs. Each of its naps ends up to 50 µs late, the default slack, so a process
// that wakes for a millisecond now and then naps ten times or more, which costs it more
// than its work does: half of the processor time of a server with 100 runs a second, see
// docs/decisions/timer-slack.md. The thread starts before any code of ours, so its slack
// can only be inherited: the process sets it and starts its program again.
package timerslack

import "time"

const (
	// Coarse is the slack of processes that called [Coarsen].
	Coarse = time.Millisecond
	// standard is what the kernel gives the first process, and nearly all have.
	standard = 50 * time.Microsecond
)
