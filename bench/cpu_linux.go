package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpu returns the processor time that the process has used so far.
func (w *worker) cpu() time.Duration { return cpuOf(w.cmd.Process.Pid) }

// cpuOf reads the kernel's clock of a process, which counts its threads that have ended too. It
// is exact where /proc/PID/stat counts ticks of 10 ms.
func cpuOf(pid int) time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|ofProcess), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// memory returns the process's resident memory in bytes.
func (w *worker) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", w.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// diskWritten returns the bytes that have been written to the disk of a folder, by whomever: 0 when
// the folder is on none. The processes' own write_bytes would mislead: they count all of the unit in
// which the kernel caches a file, up to 2 MiB for a small write into a preallocated one.
func diskWritten(dir string) int64 {
	const sector = 512
	var s unix.Stat_t
	if unix.Stat(dir, &s) != nil {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(s.Dev), unix.Minor(s.Dev)))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 7 {
		return 0
	}
	sectors, _ := strconv.ParseInt(string(fields[6]), 10, 64)
	return sectors * sector
}

// switchesOf counts how often a thread of the process that still runs has given up its processor
// to wait.
func switchesOf(pid int) (n int64) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is good
	for _, t := range threads {
		text, err := os.ReadFile(t)
		if err != nil {
			continue // it has ended
		}
		_, text, _ = bytes.Cut(text, []byte("\nvoluntary_ctxt_switches:"))
		value, _, _ := bytes.Cut(text, []byte("\n"))
		switches, _ := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
		n += switches
	}
	return n
}
