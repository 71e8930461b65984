package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/orthd/orth/job"
)

// groups1 keeps trees together with the hierarchies of cgroup v1. One that can
// stop a tree from growing is needed: freezer or pids.
type groups1 struct {
	limits Limits
	dirs   parts
}

// parts are the folders of a group in the hierarchies; empty where it has none.
type parts struct{ freezer, pids, memory string }

func (p parts) cgroupPaths() []string {
	return slices.DeleteFunc([]string{p.freezer, p.pids, p.memory}, func(dir string) bool { return dir == "" })
}

func openGroups1(s *Spawner) (keeper, error) {
	g := groups1{limits: s.config.Limits}
	var errs []error
	open := func(controller string) string {
		dir, err := makeGroup1(s.id, controller)
		if err != nil {
			errs = append(errs, err)
		}
		return dir
	}
	g.dirs.freezer, g.dirs.pids = open("freezer"), open("pids")
	if g.limits.Memory > 0 {
		g.dirs.memory = open("memory")
	}
	var missing error
	switch {
	case g.dirs.freezer == "" && g.dirs.pids == "":
		missing = errors.Join(errs...)
	case g.limits.Memory > 0 && g.dirs.memory == "":
		missing = job.Errorf(job.Unavailable, "the limit on memory needs the memory controller: %w", errors.Join(errs...))
	case g.limits.Processes > 0 && g.dirs.pids == "":
		missing = job.Errorf(job.Unavailable, "the limit on processes needs the pids controller: %w", errors.Join(errs...))
	}
	if missing != nil {
		return nil, errors.Join(missing, g.close())
	}
	return g, nil
}

func makeGroup1(id, controller string) (string, error) {
	for _, m := range mounts() {
		if m.version == 1 && slices.Contains(m.controllers, controller) {
			return makeGroup(id, 1, m.own)
		}
	}
	return "", fmt.Errorf("%w with the %s controller", errNoGroup(1), controller)
}

func (g groups1) describe() string {
	var names []string
	for _, dir := range []struct{ name, path string }{
		{"freezer", g.dirs.freezer}, {"pids", g.dirs.pids}, {"memory", g.dirs.memory},
	} {
		if dir.path != "" {
			names = append(names, dir.name)
		}
	}
	return "cgroup v1: " + strings.Join(names, ", ")
}

func (g groups1) close() error {
	var errs []error
	for _, dir := range g.dirs.cgroupPaths() {
		errs = append(errs, removeGroup(dir))
	}
	return errors.Join(errs...)
}

func (g groups1) newTree(mark string) (tree, error) {
	t := &group1{limits: g.limits}
	below := func(dir string) string {
		if dir == "" {
			return ""
		}
		return filepath.Join(dir, mark)
	}
	t.dirs = parts{below(g.dirs.freezer), below(g.dirs.pids), below(g.dirs.memory)}
	var err error
	for _, dir := range t.dirs.cgroupPaths() {
		err = errors.Join(err, os.Mkdir(dir, 0o755)) //nolint:gosec // the kernel's own mode
	}
	if err == nil && t.limits.Memory > 0 {
		bytes := strconv.FormatInt(t.limits.Memory, 10)
		err = writeKernelFile(t.dirs.memory, "memory.limit_in_bytes", bytes)
		_ = writeKernelFile(t.dirs.memory, "memory.memsw.limit_in_bytes", bytes) // swap may not be counted
	}
	if err == nil && t.limits.Processes > 0 {
		err = writeKernelFile(t.dirs.pids, "pids.max", strconv.Itoa(t.limits.Processes))
	}
	if err != nil {
		return nil, errors.Join(err, t.release())
	}
	return t, nil
}

// group1 is the tree of one child.
type group1 struct {
	limits Limits
	dirs   parts
	// refused is how many processes did not start for the limit.
	refused int64
	killed  bool
}

// prepare stops the child first: a process is put into a group of version 1
// after its start, and it must not have children by then.
func (t *group1) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	stopFirst(cmd)
}

func (t *group1) adopt(p *os.Process) error {
	for _, dir := range t.dirs.cgroupPaths() {
		if err := writeKernelFile(dir, "cgroup.procs", strconv.Itoa(p.Pid)); err != nil {
			return err
		}
	}
	return t.limits.rlimits(p.Pid)
}

// main is the folder whose members are the tree.
func (t *group1) main() string { return t.dirs.cgroupPaths()[0] }

func (t *group1) terminate() {
	for _, p := range living(t.main()) {
		p.signal(unix.SIGTERM)
		p.signal(unix.SIGCONT)
	}
}

// killAll keeps the tree from growing and kills one by one. The frozen die when
// they thaw.
func (t *group1) killAll() int {
	if t.dirs.pids != "" {
		if !t.killed { // what a kill refuses does not count
			t.refused = counter(t.dirs.pids, "pids.events", "max")
		}
		t.killed = true
		_ = writeKernelFile(t.dirs.pids, "pids.max", "0")
	}
	if t.dirs.freezer != "" {
		_ = writeKernelFile(t.dirs.freezer, "freezer.state", "FROZEN")
		for _, p := range living(t.main()) {
			p.signal(unix.SIGKILL)
		}
		_ = writeKernelFile(t.dirs.freezer, "freezer.state", "THAWED")
	}
	return killGroup(t.main())
}

func (t *group1) reason(state *os.ProcessState) string {
	killed := int64(0)
	if t.dirs.memory != "" {
		killed = counter(t.dirs.memory, "memory.oom_control", "oom_kill")
	}
	if text := t.limits.groupReason(killed, t.refused); text != "" {
		return text
	}
	return t.limits.rlimitReason(state)
}

func (t *group1) release() error {
	var errs []error
	for _, dir := range t.dirs.cgroupPaths() {
		errs = append(errs, removeGroup(dir))
	}
	return errors.Join(errs...)
}
