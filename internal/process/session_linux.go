package process

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/orthd/orth/job"
)

// sessions keeps trees together by session, descent and mark.
type sessions struct{ limits Limits }

func openSessions(s *Spawner) (keeper, error) {
	if names := s.config.Limits.unkept(limitCPU, limitFiles, limitSize); names != "" {
		return nil, job.Errorf(job.Unavailable, "it cannot limit %s of a tree: take the limit away, "+
			"or give the executor a cgroup that it may write", names)
	}
	return sessions{s.config.Limits}, nil
}

func (sessions) describe() string { return "process group and marks" }

func (s sessions) newTree(mark string) (tree, error) {
	return &sessionTree{limits: s.limits, mark: mark}, nil
}

func (sessions) close() error { return nil }

// sessionTree is the tree of one child.
type sessionTree struct {
	limits Limits
	mark   string
	leader int
}

func (s *sessionTree) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if s.limits.needRlimits() {
		stopFirst(cmd)
	}
}

func (s *sessionTree) adopt(p *os.Process) error {
	s.leader = p.Pid
	return s.limits.rlimits(p.Pid)
}

func (s *sessionTree) terminate() {
	for _, p := range s.members() {
		p.signal(unix.SIGTERM)
		p.signal(unix.SIGCONT)
	}
}

// killAll ends the group in one step of the kernel, and then the processes outside of it until
// none is found.
func (s *sessionTree) killAll() int {
	var between pause
	for {
		_ = syscall.Kill(-s.leader, syscall.SIGKILL)
		found := s.members()
		for _, p := range found {
			p.signal(unix.SIGKILL)
		}
		if len(found) == 0 || !between.waitForNext() {
			return len(found)
		}
	}
}

func (s *sessionTree) reason(state *os.ProcessState) string { return s.limits.rlimitReason(state) }

func (s *sessionTree) release() error { return nil }

// members finds the processes of the tree.
func (s *sessionTree) members() []stat {
	all := table()
	in := map[int]bool{s.leader: true}
	mark := []byte(markName + "=" + s.mark + "\x00")
	for _, p := range all {
		if p.session == s.leader || p.group == s.leader {
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grown = true, true
			}
		}
	}
	var members []stat
	self := os.Getpid()
	for _, p := range all {
		if p.pid != self && p.pid != 1 && (in[p.pid] || bytes.Contains(environ(p.pid), mark)) {
			members = append(members, p)
		}
	}
	return members
}

// environ reads the environment that a process was started with; empty when it
// is another user's.
func environ(pid int) []byte {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, 4<<20))
	return text
}

// signal sends sig to the process that the line of the table was about, and not to a later
// one with its number.
func (s stat) signal(sig unix.Signal) {
	fd, err := unix.PidfdOpen(s.pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		_ = unix.Kill(s.pid, sig)
		return
	}
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if now, ok := readStat(s.pid); ok && now.started == s.started {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// sweepMarked kills what dead executors have left, by their groups and by the
// marks.
func sweepMarked(logger *slog.Logger) {
	for _, m := range mounts() {
		sweepGroups(m.own, m.version)
	}
	prefix := []byte(markName + "=")
	var between pause
	for killed := 0; ; {
		found := 0
		for _, p := range table() {
			_, after, marked := bytes.Cut(environ(p.pid), prefix)
			mark, _, _ := bytes.Cut(after, []byte{0})
			if marked && p.pid != os.Getpid() && isDead(string(mark)) {
				p.signal(unix.SIGKILL)
				found++
			}
		}
		killed += found
		if found == 0 || !between.waitForNext() {
			if killed > 0 {
				logger.Warn("processes of an executor that is no longer alive were killed", "signals", killed)
			}
			return
		}
	}
}
