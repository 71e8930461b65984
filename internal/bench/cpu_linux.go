package main

import (
	"bufio"
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
	if unix.ClockGettime(int32(^pid<<3|ofProcess), &t) != nil { //nolint:gosec // The kernel's own layout.
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

// writtenBy returns the bytes that the process has caused to be written to disks.
func writtenBy(pid int) int64 { return lineOf(fmt.Sprintf("/proc/%d/io", pid), "write_bytes") }

// switchesOf counts how often a thread of the process that still runs has given up its processor
// to wait.
func switchesOf(pid int) (n int64) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is good
	for _, t := range threads {
		n += lineOf(t, "voluntary_ctxt_switches")
	}
	return n
}

// lineOf reads the number in the line of a name, 0 when there is none.
func lineOf(path, name string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, found := bytes.CutPrefix(lines.Bytes(), []byte(name+":")); found {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			return n
		}
	}
	return 0
}
