//go:build !linux

package main

import "time"

// cpu is not known on this system; the table shows zero.
func (w *worker) cpu() time.Duration { return cpuOf(w.cmd.Process.Pid) }

// cpuOf is not known either.
func cpuOf(int) time.Duration { return 0 }

// memory is not known on this system; the table shows zero.
func (w *worker) memory() int64 { return 0 }

// diskWritten is not known on this system.
func diskWritten(string) int64 { return 0 }

// switchesOf is not known on this system.
func switchesOf(int) int64 { return 0 }
