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
	// KeepFor is how long the job keeps the log; see [job.LogPolicy].
	KeepFor time.Duration
}

// logOf returns the log that came with an outcome; nil when there is none, or when it is not
// stored in that form.
func (c *Completer) logOf(s *Snapshot, o *job.Outcome) *Log {
	policy := s.Logs
	if s.Run.Cause == job.CauseTrial { // a trial keeps its whole log
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
