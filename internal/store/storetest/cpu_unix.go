//go:build unix

package storetest

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time of the process so far.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
