package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// mount is where a hierarchy of control groups is mounted, and the own group
// in it.
type mount struct {
	version     int
	controllers []string // of version 1
	own         string   // the folder of the own group
}

// mounts finds the hierarchies, in the order of /proc/self/mountinfo.
func mounts() []mount {
	info, err := os.ReadFile("/proc/self/mountinfo")
	groups, err2 := os.ReadFile("/proc/self/cgroup")
	if err != nil || err2 != nil {
		return nil
	}
	return parseMounts(string(info), string(groups))
}

func parseMounts(info, groups string) []mount {
	var found []mount
	for line := range strings.Lines(info) {
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		m := mount{}
		switch right[0] {
		case "cgroup2":
			m.version = 2
		case "cgroup":
			m.version = 1
			m.controllers = strings.Split(right[2], ",")
		default:
			continue
		}
		if own, ok := m.ownGroup(groups); ok {
			inside, within := strings.CutPrefix(own, strings.TrimSuffix(left[3], "/"))
			if !within || strings.HasPrefix(own, "/..") {
				inside = "" // the mount shows only this process's part
			}
			m.own = filepath.Join(unescape(left[4]), inside)
			found = append(found, m)
		}
	}
	return found
}

// ownGroup finds the hierarchy's line in /proc/self/cgroup.
func (m mount) ownGroup(groups string) (string, bool) {
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		if m.version == 2 && fields[0] == "0" && fields[1] == "" {
			return fields[2], true
		}
		if m.version == 1 && fields[1] != "" && slices.Contains(m.controllers, strings.Split(fields[1], ",")[0]) {
			return fields[2], true
		}
	}
	return "", false
}

// unescape undoes the octal escapes of mountinfo.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// isolations are what Linux can do, best first.
func isolations(isolation string) []way {
	all := []way{
		{name: cgroup2, open: openGroups2},
		{name: cgroup1, open: openGroups1},
		{name: group, open: openSessions, bare: true},
	}
	if isolation == auto {
		return all
	}
	return slices.DeleteFunc(all, func(w way) bool { return w.name != isolation })
}

// groupPrefix starts the names of the groups of executors.
const groupPrefix = "orth-"

// makeGroup makes the folder of a Spawner's groups in the first parent where
// that is possible, after the groups of dead executors there are gone.
func makeGroup(id string, version int, parents ...string) (string, error) {
	var errs []error
	for _, parent := range parents {
		sweepGroups(parent, version)
		dir := filepath.Join(parent, groupPrefix+id)
		err := os.Mkdir(dir, 0o755) //nolint:gosec // the kernel's own mode
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// sweepGroups kills and removes what dead executors have left.
func sweepGroups(parent string, version int) {
	entries, _ := os.ReadDir(parent)
	for _, entry := range entries {
		if id, ours := strings.CutPrefix(entry.Name(), groupPrefix); ours && entry.IsDir() && isDead(id) {
			dir := filepath.Join(parent, entry.Name())
			if version == 2 {
				_ = writeKernelFile(dir, "cgroup.kill", "1")
			}
			killGroup(dir)
			_ = removeGroup(dir)
		}
	}
}

// living returns the processes in a group and the groups below it, never this
// one.
func living(dir string) []stat {
	var found []stat
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a group may go while it is looked at
		}
		if !entry.IsDir() {
			return nil
		}
		text, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		for field := range bytes.FieldsSeq(text) {
			pid, _ := strconv.Atoi(string(field))
			if s, ok := readStat(pid); ok && !s.ended && pid != os.Getpid() {
				found = append(found, s)
			}
		}
		return nil
	})
	return found
}

// killGroup kills one by one until no process is left, and returns how many are.
func killGroup(dir string) int {
	var between pause
	for {
		found := living(dir)
		for _, p := range found {
			p.signal(sigKill)
		}
		if len(found) == 0 || !between.waitForNext() {
			return len(found)
		}
	}
}

// removeGroup removes a group and those below it. The kernel may need a moment
// until it holds a group for empty.
func removeGroup(dir string) error {
	var between pause
	for {
		var below []string
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				below = append(below, path)
			}
			return nil
		})
		var err error
		for _, path := range slices.Backward(below) {
			err = os.Remove(path)
		}
		if len(below) == 0 || err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if len(living(dir)) > 0 || !between.waitForNext() {
			return err
		}
	}
}

// writeKernelFile writes one of the kernel's files.
func writeKernelFile(dir, name, value string) error {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(value)
	return err
}

// counter reads the number after a word in one of the kernel's files.
func counter(dir, name, word string) int64 {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == word {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}

// groupReason names the limit of the whole tree that was broken.
func (l Limits) groupReason(killed, refused int64) string {
	switch {
	case l.Memory > 0 && killed > 0:
		return fmt.Sprintf("killed: it used more than %s of memory", formatSize(l.Memory))
	case l.Processes > 0 && refused > 0:
		return fmt.Sprintf("it wanted more than %d processes and threads", l.Processes)
	}
	return ""
}

func errNoGroup(version int) error {
	return job.Errorf(job.Unavailable, "no hierarchy of cgroup v%d is mounted", version)
}
