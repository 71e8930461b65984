//go:build unix

package users

import (
	"syscall"
	"testing"
	"time"
)

// cost is the time that this process has had of its processors.
func cost(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
