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
)

const sigKill = unix.SIGKILL

// groups2 keeps trees together with cgroup v2.
type groups2 struct {
	limits Limits
	dir    string // of this Spawner's groups
}

// openGroups2 makes the Spawner's group next to or beneath the own one: a group that has
// processes cannot hand controllers down, its parent can.
func openGroups2(s *Spawner) (keeper, error) {
	all := mounts()
	i := slices.IndexFunc(all, func(m mount) bool { return m.version == 2 })
	if i < 0 {
		return nil, errNoGroup(2)
	}
	own := all[i].own
	var errs []error
	for _, parent := range []string{own, filepath.Dir(own)} {
		if _, err := os.Stat(filepath.Join(parent, "cgroup.procs")); err != nil {
			continue
		}
		g := groups2{limits: s.config.Limits}
		var err error
		if g.dir, err = makeGroup(s.id, 2, parent); err == nil {
			if err = g.enable(parent); err == nil {
				return g, nil
			}
			_ = removeGroup(g.dir)
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// enable hands the controllers of the limits down to the children's groups.
func (g groups2) enable(parent string) error {
	for _, c := range []struct {
		name, limit string
		wanted      bool
	}{{"memory", limitMemory, g.limits.Memory > 0}, {"pids", limitProcesses, g.limits.Processes > 0}} {
		if !c.wanted {
			continue
		}
		for _, dir := range []string{parent, g.dir} {
			on, _ := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
			if slices.Contains(strings.Fields(string(on)), c.name) {
				continue
			}
			if err := writeKernelFile(dir, "cgroup.subtree_control", "+"+c.name); err != nil {
				return fmt.Errorf("the limit on %s needs the %s controller: %w", c.limit, c.name, err)
			}
		}
	}
	return nil
}

func (groups2) describe() string { return "cgroup v2" }

func (g groups2) close() error { return removeGroup(g.dir) }

func (g groups2) newTree(mark string) (tree, error) {
	t := &group2{limits: g.limits, dir: filepath.Join(g.dir, mark)}
	err := os.Mkdir(t.dir, 0o755) //nolint:gosec // the kernel's own mode
	if err == nil && t.limits.Memory > 0 {
		err = writeKernelFile(t.dir, "memory.max", strconv.FormatInt(t.limits.Memory, 10))
		_ = writeKernelFile(t.dir, "memory.swap.max", "0")  // there may be no swap
		_ = writeKernelFile(t.dir, "memory.oom.group", "1") // younger kernels
	}
	if err == nil && t.limits.Processes > 0 {
		err = writeKernelFile(t.dir, "pids.max", strconv.Itoa(t.limits.Processes))
	}
	if err == nil {
		t.folder, err = os.Open(t.dir)
	}
	if err != nil {
		return nil, errors.Join(err, removeGroup(t.dir))
	}
	return t, nil
}

// group2 is the tree of one child.
type group2 struct {
	limits Limits
	dir    string
	folder *os.File // dir, open until release
}

func (t *group2) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(t.folder.Fd())
	if t.limits.needRlimits() {
		stopFirst(cmd)
	}
}

func (t *group2) adopt(p *os.Process) error { return t.limits.rlimits(p.Pid) }

func (t *group2) terminate() {
	for _, p := range living(t.dir) {
		p.signal(unix.SIGTERM)
		p.signal(unix.SIGCONT)
	}
}

// killAll leaves it to the kernel, which lets no fork escape. Kernels before 5.14
// cannot; there a frozen tree is killed one by one.
func (t *group2) killAll() int {
	if writeKernelFile(t.dir, "cgroup.kill", "1") != nil {
		_ = writeKernelFile(t.dir, "cgroup.freeze", "1")
	}
	return killGroup(t.dir)
}

func (t *group2) reason(state *os.ProcessState) string {
	if text := t.limits.groupReason(counter(t.dir, "memory.events", "oom_kill"), counter(t.dir, "pids.events", "max")); text != "" {
		return text
	}
	return t.limits.rlimitReason(state)
}

func (t *group2) release() error {
	t.folder.Close()
	return removeGroup(t.dir)
}
