package sim

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

// calmFor is how long nothing has to have touched an executor, and the server that judges
// it, until what is said of the executor has no excuse: a lease, the look that finds its
// end, and the questions after that.
const calmFor = leaseTTL + 12*time.Second

// fresh is how old the last beat of an executor may be when it proves that the executor is there,
// and settledFor how old it is at least when every server has heard of it.
const (
	fresh      = leaseTTL / 2
	settledFor = time.Second
	asking     = 8 * time.Second // how long a look at executors takes at most
)

// lost judges a loss at the moment at which it is recorded: no executor that lives, and whose
// beats arrive, has the attempt.
func (j *judge) lost(s *server, c *completer.Completion) {
	if c.Outcome != job.Lost || strings.Contains(c.Reason, "deadline") || s.calm.since() < calmFor {
		return
	}
	for _, m := range j.w.machines {
		p := m.current()
		if p == nil {
			continue
		}
		if age := time.Since(time.Unix(0, p.beaten.Load())); age > fresh || age < settledFor || !slices.Contains(p.says().Holds, c.AttemptID) {
			continue
		}
		if m.calm.since() < asking {
			continue // it was not there when it was asked
		}
		j.fault("I9: attempt %d of run %d is recorded as lost (%s), and %s holds it, whose beats arrive (calm for %s)",
			c.AttemptID, c.RunID, c.Message, m.name, m.calm.since().Round(time.Millisecond))
	}
}

// begins judges the beginning of a call when it happens: the server has given no other
// executor the job, and has not recorded the attempt's end.
func (j *judge) begins(e *entry, beside []*entry) {
	state := j.stateOf(e.run, e.attempt)
	calm := e.by.calm.since()
	if state.Final() && calm >= calmFor {
		j.fault("I9: attempt %d of run %d begins on %s and was recorded as %s before; nothing has touched it for %s",
			e.attempt, e.run, e.by.name, state, calm.Round(time.Second))
	}
	made := j.w.job(e.job)
	if made.OverlapLimit() == 0 || made.Key == everywhere {
		return
	}
	var others []int64
	for _, other := range beside {
		if other.job == e.job && !j.stateOf(other.run, other.attempt).Final() {
			others = append(others, other.attempt)
		}
	}
	if len(others) >= made.OverlapLimit() && !state.Final() {
		j.fault("I8: attempt %d of job %s begins on %s while %v run, and %d may", e.attempt, made.Key, e.by.name, others, made.OverlapLimit())
	}
}

// stateOf returns how the database has an attempt.
func (j *judge) stateOf(run, attempt int64) job.State {
	attempts, err := j.w.store.Attempts(context.Background(), run)
	if err != nil {
		j.w.t.Errorf("read the attempts of run %d: %v", run, err)
	}
	for _, a := range attempts {
		if a.ID == attempt {
			return a.State
		}
	}
	return ""
}

// job returns a job as it was made.
func (w *world) job(id int64) job.Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.jobs[id]
}

// starts judges that a run whose job allows no second try began once, whatever became of its
// attempts.
func (j *judge) starts(r *job.Run, attempts []job.Attempt, journal map[int64][]entry) {
	made := j.w.jobs[r.JobID]
	if made.Retry.Tries > 0 || made.OnCrash == job.CrashRerun || made.Key == everywhere {
		return
	}
	began := 0
	for _, a := range attempts {
		began += len(journal[a.ID])
	}
	if began > 1 {
		j.fault("I4: run %d of job %s began %d times, and its job has no retries", r.ID, r.JobKey, began)
	}
}

// reason is a sentence about a run, with what must be so for it to be true.
type reason struct {
	says *regexp.Regexp
	true func(j *judge, r *job.Run, attempts []job.Attempt, parts []string) bool
}

// reasons are the sentences that the judge can check. Others are taken as they are.
var reasons = []reason{
	{regexp.MustCompile(`^expired: waited`), func(_ *judge, r *job.Run, attempts []job.Attempt, _ []string) bool {
		return r.State == job.Skipped && !r.EndedAt.Before(r.ExpireAt) && len(attempts) == 0 || r.Undelivered == len(attempts)
	}},
	{regexp.MustCompile(`^gave up after (\d+) retr`), func(j *judge, r *job.Run, _ []job.Attempt, _ []string) bool {
		return r.State != job.Succeeded && r.Tries-r.Undelivered == j.w.jobs[r.JobID].Retry.Tries+1
	}},
	{regexp.MustCompile(`^the deadline of`), func(j *judge, r *job.Run, attempts []job.Attempt, _ []string) bool {
		length := j.w.jobs[r.JobID].Delivery.Deadline
		return length > 0 && len(attempts) > 0 && !r.EndedAt.Before(attempts[0].TriggeredAt.Add(length))
	}},
	{regexp.MustCompile(`^the job was deleted`), func(j *judge, r *job.Run, _ []job.Attempt, _ []string) bool { return j.mayStand(r.JobKey) }},
	{regexp.MustCompile(`the job was stopped`), func(j *judge, r *job.Run, _ []job.Attempt, _ []string) bool {
		return j.mayStand(r.JobKey) || r.JobKey == toggled || j.w.jobs[r.JobID].StopAfter > 0
	}},
	{regexp.MustCompile(`held by pause`), func(j *judge, r *job.Run, _ []job.Attempt, _ []string) bool { return j.w.jobs[r.JobID].Group == beta }},
	{regexp.MustCompile(`misfire policy (\w+)`), func(j *judge, r *job.Run, _ []job.Attempt, parts []string) bool {
		policy := string(j.w.jobs[r.JobID].Misfire)
		return parts[1] == policy || policy == "" && parts[1] == "skip"
	}},
	{regexp.MustCompile(`^run (\d+) of this job is still running`), func(j *judge, r *job.Run, _ []job.Attempt, _ []string) bool {
		return r.State == job.Skipped && j.w.jobs[r.JobID].Overlap == job.OverlapDiscard
	}},
	{regexp.MustCompile(`^covered by run`), func(j *judge, r *job.Run, _ []job.Attempt, _ []string) bool {
		return j.w.jobs[r.JobID].Overlap == job.OverlapCover
	}},
}

// why judges that a run which did not go as planned says why, and that it is true as far as
// the judge can tell.
func (j *judge) why(r *job.Run, attempts []job.Attempt) {
	said := r.Reason + r.Message
	switch {
	case r.State == job.Skipped && r.Reason == "":
		j.fault("I10: run %d of job %s is skipped and does not say why", r.ID, r.JobKey)
	case r.State.Final() && r.State != job.Succeeded && said == "":
		j.fault("I10: run %d of job %s is %s and does not say why", r.ID, r.JobKey, r.State)
	case r.Cause == job.CauseMisfire && r.State != job.Skipped && len(attempts) == 0 && r.Reason == "":
		j.fault("I10: run %d of job %s was late and does not say why", r.ID, r.JobKey)
	}
	for _, a := range attempts {
		if a.State.Final() && a.State != job.Succeeded && a.Message == "" {
			j.fault("I10: attempt %d of run %d of job %s is %s and does not say why", a.ID, r.ID, r.JobKey, a.State)
		}
	}
	for _, known := range reasons {
		if parts := known.says.FindStringSubmatch(r.Reason); parts != nil && !known.true(j, r, attempts, parts) {
			j.fault("I10: run %d of job %s, which is %s after %d attempts, says %q, which is not so", r.ID, r.JobKey, r.State, len(attempts), r.Reason)
		}
	}
}
