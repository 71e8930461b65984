package main

import (
	"context"
	"time"
)

// spent is what the processes of a rig have used.
type spent struct {
	server, executor, database time.Duration // processor time
	written                    int64         // bytes, to the disk of the rig's folder
	switches                   int64         // how often a thread of any of them has waited
}

// spent reads it, for all servers and for the database's processes that still run.
func (r *rig) spent(ctx context.Context) (s spent) {
	databases := databaseProcesses(ctx, r.o)
	s.written = diskWritten(r.o.Dir)
	for _, w := range append([]*worker{r.server}, r.others...) {
		s.add(&s.server, w)
	}
	s.add(&s.executor, r.executor)
	for _, pid := range databases {
		s.addProcess(&s.database, pid)
	}
	return s
}

func (s *spent) add(to *time.Duration, w *worker) {
	if w != nil {
		s.addProcess(to, w.cmd.Process.Pid)
	}
}

func (s *spent) addProcess(to *time.Duration, pid int) {
	*to += cpuOf(pid)
	s.switches += switchesOf(pid)
}

// since returns what was used after another reading.
func (s spent) since(before spent) spent {
	return spent{
		s.server - before.server, s.executor - before.executor, s.database - before.database,
		s.written - before.written, s.switches - before.switches,
	}
}
