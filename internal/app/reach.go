package app

import (
	"crypto/rand"
	"time"

	"github.com/orthd/orth/internal/app/executors"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// reach builds what calls executors, of whatever protocol.
func (s *Server) reach(speak *executors.Dialects, refused func(address string)) executors.ByDialect {
	c := &s.config
	calls := xxl.NewExecutorClient(xxl.ClientConfig{
		Timeout: c.ExecutorTimeout, Peer: speak.To, Heard: speak.Heard, Speeches: executors.Forks(), TLS: s.callTLS, Control: egress.CheckReach,
	})
	s.boxes = mailbox.New(mailbox.Config{
		Timeout: c.ExecutorTimeout, Came: func(address string) { speak.Leases.Came(address) },
	})
	s.self = rand.Text()
	s.natives = native.NewExecutorClient(native.ClientConfig{
		Peer: speak.Sign, Self: s.self, Mailboxes: s.boxes, Timeout: c.ExecutorTimeout, TLS: s.callTLS, Control: egress.CheckReach, Follow: logKept,
	})
	return executors.ByDialect{
		Xxl: calls, Native: s.natives, Natively: speak.Natively, Refused: refused, MayHave: speak.MayHave,
		Settled: func(address string, attempts []job.Attempt) []bool { return speak.Leases.Settled(address, attempts) },
	}
}

// comings is what is done when executors come, go, or can be reached again.
func (s *Server) comings(breakers *breaker.Set, wake func(), restarted func(string, time.Time, []int64) bool) registry.Hooks {
	return registry.Hooks{
		Changed: func() { wake(); s.news.Look() }, Restarted: restarted,
		Reached: func(address string) { breakers.Reached(address, time.Now()); wake() },
	}
}

// accepted is what is done when an executor has taken an attempt of a job. Those that do not
// report their process are asked what they do while they have it.
func (s *Server) accepted(a job.Attempt, j *job.Job, ours func(group, address string) bool, keep *upkeep.Upkeep) {
	a.JobID = j.ID // also that of a trial, which executors know by another one
	s.keeper.Begin(a, j.GroupID, j.Logs)
	if !ours(j.Group, a.Address) {
		keep.Taken(a.Address, j.ID)
	}
}
