package main

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestOwnFigures(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("they are known on Linux alone")
	}
	before, switches := cpuOf(os.Getpid()), switchesOf(os.Getpid())
	for start := time.Now(); cpuOf(os.Getpid()) < before+20*time.Millisecond; {
		if time.Since(start) > time.Minute {
			t.Fatal("a minute's work has taken no processor time")
		}
	}
	if spent := cpuOf(os.Getpid()); spent > time.Hour || switches <= 0 {
		t.Errorf("this process has used %s and waited %d times", spent, switches)
	}
	if cpuOf(1<<22+1) != 0 || switchesOf(1<<22+1) != 0 || diskWritten("/proc/no/such/folder") != 0 {
		t.Error("what does not exist has figures")
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	got := spent{10, 20, 30, 40, 50}.since(spent{1, 2, 3, 4, 5})
	if got != (spent{9, 18, 27, 36, 45}) {
		t.Errorf("%+v", got)
	}
}
