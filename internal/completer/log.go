package completer

import (
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// Log is a whole run log as it is stored with the end of its attempt.
type Log struct {
	GroupID int64
	Address string // of the executor
	Text    string // whole lines, masked
	Lines   int
	// KeepFor says how long the job keeps it; see [job.LogPolicy].
	KeepFor time.Duration
}

// log returns the log that came with an outcome, nil when none did or when it is not
// kept as it came.
func (c *Completer) log(s *Snapshot, o *job.Outcome) *Log {
	policy := s.Logs
	if s.Run.Cause == job.CauseTrial { // all of a trial is kept
		policy = job.LogPolicy{}
	}
	if o.Log == "" || policy.Off || policy.MaxBytes > 0 && policy.MaxBytes < job.MaxOutcomeLog || s.Attempt.State.Final() {
		return nil
	}
	text := c.config.CleanLog(o.Log)
	return &Log{
		GroupID: s.Run.GroupID, Address: s.Attempt.Address, Text: text, Lines: strings.Count(text, "\n"), KeepFor: policy.KeepFor,
	}
}
