//go:build unix && !linux

package process

import (
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"github.com/orthd/orth/job"
)

// identity is this process's number: dead processes cannot be recognized here.
func identity() string { return strconv.Itoa(os.Getpid()) }

func isDead(string) bool { return false }

func sweepMarked(*slog.Logger) {}

// awaitExit cannot detect an end without reaping here. The group is killed right after the
// reaping, when its number is very likely still its own.
func awaitExit(*os.Process) bool { return false }

func awaitStop(*exec.Cmd) error { return nil }

func resume(*exec.Cmd) error { return nil }

func isolations(isolation string) []way {
	all := []way{
		{name: cgroup2, open: openNone},
		{name: cgroup1, open: openNone},
		{name: group, open: openSessions, bare: true},
	}
	if isolation == auto {
		return all[2:]
	}
	return slices.DeleteFunc(all, func(w way) bool { return w.name != isolation })
}

func openNone(*Spawner) (keeper, error) {
	return nil, job.Errorf(job.Unavailable, "only Linux has it")
}

// sessions keeps trees together by process group.
type sessions struct{}

func openSessions(s *Spawner) (keeper, error) {
	if names := s.config.Limits.unkept(); names != "" {
		return nil, job.Errorf(job.Unavailable, "this system cannot limit %s of children: take the limit away", names)
	}
	return sessions{}, nil
}

func (sessions) describe() string { return "process group, without what leaves it" }

func (sessions) newTree(string) (tree, error) { return &sessionTree{}, nil }

func (sessions) close() error { return nil }

type sessionTree struct{ leader int }

func (s *sessionTree) prepare(*exec.Cmd) {}

func (s *sessionTree) adopt(p *os.Process) error {
	s.leader = p.Pid
	return nil
}

func (s *sessionTree) terminate() { _ = syscall.Kill(-s.leader, syscall.SIGTERM) }

func (s *sessionTree) killAll() int {
	_ = syscall.Kill(-s.leader, syscall.SIGKILL)
	return 0
}

func (s *sessionTree) reason(*os.ProcessState) string { return "" }

func (s *sessionTree) release() error { return nil }
