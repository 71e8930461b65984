package app

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

const (
	// plannerSilence is how long the planner may not have looked at the database
	// before the server counts as one that does not work: it looks once a second.
	plannerSilence = 15 * time.Second
	// clockSlack is how far the clock may be behind the last write to the database.
	clockSlack = time.Minute
)

// readiness has the state that the parts of the server report. Loops write it, and probes
// read it.
type readiness struct {
	refused  atomic.Bool  // the database did not take the last transaction
	turned   atomic.Int64 // when the planner last looked at it well, in Unix nanoseconds; 0 before
	stopping atomic.Bool
}

// committed implements sqlstore.Hooks.
func (r *readiness) committed(err error) { r.refused.Store(job.Is(err, job.Unavailable)) }

// planned implements planner.Hooks.
func (r *readiness) planned(err error) {
	if err == nil {
		r.turned.Store(time.Now().UnixNano())
	}
}

// unready returns why the server does not do its work.
func (s *Server) unready() []api.Unready {
	reasons := s.ready.reasons(time.Now(), s.lastWrite())
	if skew := s.cluster.Skew(); skew.Abs() > maxSkew {
		reasons = append(reasons, api.Unready{
			Code: "clock", Detail: fmt.Sprintf("the clock is %s off from the database's: let both take the time from the same source", skew.Abs().Round(time.Millisecond)),
		})
	}
	return reasons
}

// reasons returns why the server does not work at an instant. written is when the database
// was last written to, zero when that is not known.
func (r *readiness) reasons(now, written time.Time) (reasons []api.Unready) {
	say := func(code, format string, args ...any) {
		reasons = append(reasons, api.Unready{Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	if r.stopping.Load() {
		say("stopping", "the server stops: it takes no more requests soon")
	}
	if r.refused.Load() {
		say("database", "the database takes no writes: look at the disk and at the server's log")
	}
	switch turned := r.turned.Load(); {
	case turned == 0:
		say("starting", "the planner has not begun")
	case now.Sub(time.Unix(0, turned)) > plannerSilence:
		say("planner", "the planner has not looked at the database for %s: look at the server's log",
			now.Sub(time.Unix(0, turned)).Round(time.Second))
	}
	if !written.IsZero() && written.Sub(now) > clockSlack {
		say("clock", "the clock is %s behind the last write to the database: set it right", written.Sub(now).Round(time.Second))
	}
	return reasons
}
