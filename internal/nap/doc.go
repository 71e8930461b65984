// Package nap sleeps for the last milliseconds before an instant, more precisely than
// package time.
//
// It knows the clocks of the kernel. It must never know who sleeps, and what for. Durations
// and instants come in, and nothing goes out.
//
// A timer of package time is up to 2 ms late in a process that does nothing else. A caller
// that has to be on time waits with one until [Lag] before the instant and naps from there,
// or has an [Alarm], which wakes the process only once.
package nap

import "time"

// Lag is how late a timer of package time may be when nothing else happens in the process.
const Lag = 2 * time.Millisecond
