package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// identity is this process among all that were and are: its number, when it
// started in clock ticks, and the namespace of the number.
func identity() string {
	pid := os.Getpid()
	entry, _ := readStat(pid)
	return fmt.Sprintf("%d.%d.%s", pid, entry.started, namespace())
}

func namespace() string {
	link, _ := os.Readlink("/proc/self/ns/pid")
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
}

// isDead reports whether id was made from the identity of a process that is
// certainly not alive: not one of another namespace.
func isDead(id string) bool {
	fields := strings.SplitN(id, ".", 4)
	if len(fields) < 4 || fields[2] != namespace() {
		return false
	}
	pid, err := strconv.Atoi(fields[0])
	started, err2 := strconv.ParseUint(fields[1], 10, 64)
	if err != nil || err2 != nil || pid <= 0 || started == 0 {
		return false
	}
	entry, ok := readStat(pid)
	// A zombie is as dead as a process that is gone.
	return !ok || entry.started != started || entry.ended
}

// stat is a line of the process table.
type stat struct {
	pid, parent, group, session int
	started                     uint64 // clock ticks since the boot
	ended                       bool   // a zombie
}

// readStat reads /proc/<pid>/stat. The name in it may hold anything, so what
// follows it is looked for from the end.
func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, text)
}

func parseStat(pid int, text []byte) (stat, bool) {
	end := bytes.LastIndexByte(text, ')')
	if end < 0 {
		return stat{}, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 20 {
		return stat{}, false
	}
	s := stat{pid: pid, ended: fields[0] == "Z" || fields[0] == "X"}
	var errs [4]error
	s.parent, errs[0] = strconv.Atoi(fields[1])
	s.group, errs[1] = strconv.Atoi(fields[2])
	s.session, errs[2] = strconv.Atoi(fields[3])
	s.started, errs[3] = strconv.ParseUint(fields[19], 10, 64)
	for _, err := range errs {
		if err != nil {
			return stat{}, false
		}
	}
	return s, true
}

// table is the processes that run now.
func table() []stat {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var all []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, ok := readStat(pid); ok && !s.ended {
			all = append(all, s)
		}
	}
	return all
}
