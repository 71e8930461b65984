package completer

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 123_456_789, time.UTC)

// open returns attempt 70 of run 7 of job 3 after so many tries.
func open(tries, undelivered int) Snapshot {
	return Snapshot{
		Attempt: job.Attempt{ID: 70, RunID: 7, JobID: 3, Number: tries, Address: "http://10.0.0.1", State: job.Running},
		Run: job.Run{
			ID: 7, JobID: 3, PlannedAt: slot, Cause: job.CauseSchedule, State: job.Running,
			Tries: tries, Undelivered: undelivered, AttemptID: 70,
		},
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	thrice := retry.Policy{Tries: 3, Initial: time.Second, Multiplier: 2}
	tests := []struct {
		name    string
		alter   func(s *Snapshot)
		outcome job.State
		want    Completion
	}{
		{"success", nil, job.Succeeded, Completion{Outcome: job.Succeeded, RunState: job.Succeeded}},
		{"failure without a policy", nil, job.Failed, Completion{Outcome: job.Failed, RunState: job.Failed}},
		{
			"failure with retries", func(s *Snapshot) { s.Retry = thrice }, job.Failed,
			Completion{
				Outcome: job.Failed, RunState: job.WaitingRetry, RetryAt: now.Add(time.Second),
				Reason: "attempt 1 failed; retry 1 of 3 follows in 1s",
			},
		},
		{
			"timeout is tried again", func(s *Snapshot) { *s = open(2, 0); s.Retry = thrice }, job.TimedOut,
			Completion{
				Outcome: job.TimedOut, RunState: job.WaitingRetry, RetryAt: now.Add(2 * time.Second),
				Reason: "attempt 2 timed_out; retry 2 of 3 follows in 2s",
			},
		},
		{
			"attempts that nobody took do not count", func(s *Snapshot) { *s = open(9, 8); s.Retry = thrice }, job.Lost,
			Completion{
				Outcome: job.Lost, RunState: job.WaitingRetry, RetryAt: now.Add(time.Second),
				Reason: "attempt 9 lost; retry 1 of 3 follows in 1s",
			},
		},
		{
			"the last retry", func(s *Snapshot) { *s = open(4, 0); s.Retry = thrice }, job.Failed,
			Completion{Outcome: job.Failed, RunState: job.Failed, Reason: "gave up after 3 retries"},
		},
		{
			"cancelled is not tried again", func(s *Snapshot) { s.Retry = thrice }, job.Cancelled,
			Completion{Outcome: job.Cancelled, RunState: job.Cancelled},
		},
		{
			"nothing follows when the job is deleted",
			func(s *Snapshot) { s.Retry, s.Deleted = thrice, true }, job.Failed,
			Completion{Outcome: job.Failed, RunState: job.Failed},
		},
		{
			"no children when the job is deleted",
			func(s *Snapshot) { s.Children, s.Deleted = []Child{kid(4)}, true }, job.Succeeded,
			Completion{Outcome: job.Succeeded, RunState: job.Succeeded},
		},
		{
			"no children after a failure", func(s *Snapshot) { s.Children = []Child{kid(4)} }, job.Failed,
			Completion{Outcome: job.Failed, RunState: job.Failed},
		},
		{
			"nothing follows from a failed trial", func(s *Snapshot) {
				s.Run.Cause, s.Retry, s.StopAfter = job.CauseTrial, thrice, 1
			}, job.Failed,
			Completion{Outcome: job.Failed, RunState: job.Failed},
		},
		{
			"nothing follows from a good one", func(s *Snapshot) {
				s.Run.Cause, s.Children, s.After, s.StopAfter = job.CauseTrial, []Child{kid(4)}, time.Second, 1
			}, job.Succeeded,
			Completion{Outcome: job.Succeeded, RunState: job.Succeeded},
		},
		{
			"a state that is no end", nil, job.Running,
			Completion{
				Outcome: job.Failed, RunState: job.Failed,
				Message: `the executor reported the state "running", which is not an end`,
			},
		},
		{
			"children, never the job itself",
			func(s *Snapshot) {
				s.Children = []Child{child(4, 2, 1), kid(3), child(5, 9, 8)}
			}, job.Succeeded,
			Completion{Outcome: job.Succeeded, RunState: job.Succeeded, Children: []job.Run{
				childRun(4, 2, 1), childRun(5, 9, 8),
			}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(1, 0)
			if test.alter != nil {
				test.alter(&s)
			}
			test.want.AttemptID, test.want.RunID, test.want.EndedAt = 70, 7, now
			if test.want.Message == "" {
				test.want.Message = "text"
			}
			got := decide(s, job.Outcome{AttemptID: 70, State: test.outcome, Message: "text"}, now, 0)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("decide (-want +got):\n%s", diff)
			}
		})
	}
}

// What the handler says of its failure decides with the policy.
func TestDecideByClass(t *testing.T) {
	t.Parallel()
	none, thrice := retry.Policy{}, retry.Policy{Tries: 3, Initial: time.Second}
	const where = "http://1"
	type outcome = job.Outcome
	tests := []struct {
		name    string
		policy  retry.Policy
		tries   int
		outcome outcome
		state   job.State
		delay   time.Duration
		avoid   string
		reason  string
	}{
		{
			"nothing said", thrice, 1,
			outcome{State: job.Failed},
			job.WaitingRetry, time.Second, "",
			"attempt 1 failed; retry 1 of 3 follows in 1s",
		},
		{
			"transient", thrice, 1,
			outcome{State: job.Failed, Class: retry.ClassTransient},
			job.WaitingRetry, time.Second, "",
			"attempt 1 failed; retry 1 of 3 follows in 1s",
		},
		{
			"a class of tomorrow", thrice, 1,
			outcome{State: job.Failed, Class: "lunar"},
			job.WaitingRetry, time.Second, "",
			"attempt 1 failed; retry 1 of 3 follows in 1s",
		},
		{
			"permanent", thrice, 1,
			outcome{State: job.Failed, Class: retry.ClassPermanent, RetryAfter: time.Hour},
			job.Failed, 0, "",
			"not tried again: the handler said that no further try can succeed",
		},
		{
			"permanent without a policy", none, 1,
			outcome{State: job.Failed, Class: retry.ClassPermanent},
			job.Failed, 0, "",
			"not tried again: the handler said that no further try can succeed",
		},
		{
			"permanent timeout", thrice, 2,
			outcome{State: job.TimedOut, Class: retry.ClassPermanent},
			job.TimedOut, 0, "",
			"not tried again: the handler said that no further try can succeed",
		},
		{
			"not ready for long", thrice, 1,
			outcome{State: job.Failed, Class: retry.ClassNotReady, RetryAfter: time.Minute},
			job.WaitingRetry, time.Minute, "", "attempt 1 was not ready; retry 1 of 3 follows in 1m0s, as the handler asked",
		},
		{
			"not ready for a moment", thrice, 3,
			outcome{State: job.Failed, Class: retry.ClassNotReady, RetryAfter: time.Second},
			job.WaitingRetry, 4 * time.Second, "", "attempt 3 was not ready; retry 3 of 3 follows in 4s",
		},
		{
			"never ready", thrice, 4,
			outcome{State: job.Failed, Class: retry.ClassNotReady, RetryAfter: time.Second},
			job.Failed, 0, "", "gave up after 3 retries",
		},
		{
			"not ready without a policy", none, 1,
			outcome{State: job.Failed, Class: retry.ClassNotReady, RetryAfter: time.Second},
			job.Failed, 0, "", "not tried again although the handler was only not ready: the job allows no retries",
		},
		{
			"shortage", thrice, 1,
			outcome{State: job.Failed, Class: retry.ClassResource},
			job.WaitingRetry, time.Second, where,
			"attempt 1 failed; retry 1 of 3 follows in 1s, on another executor when one is alive",
		},
		{
			"shortage for long", thrice, 2,
			outcome{State: job.Failed, Class: retry.ClassResource, RetryAfter: time.Minute},
			job.WaitingRetry, time.Minute, where,
			"attempt 2 failed; retry 2 of 3 follows in 1m0s, as the handler asked, on another executor when one is alive",
		},
		{
			"shortage at the last try", thrice, 4,
			outcome{State: job.Failed, Class: retry.ClassResource},
			job.Failed, 0, "",
			"gave up after 3 retries",
		},
		{
			"a wait beyond all bounds", thrice, 1,
			outcome{State: job.Failed, RetryAfter: 1 << 62},
			job.WaitingRetry, retry.MaxDelayCap, "",
			"attempt 1 failed; retry 1 of 3 follows in 720h0m0s, as the handler asked",
		},
		{
			"a wait below all bounds", thrice, 1,
			outcome{State: job.Failed, RetryAfter: -time.Hour},
			job.WaitingRetry, time.Second, "",
			"attempt 1 failed; retry 1 of 3 follows in 1s",
		},
		{"success", thrice, 1, outcome{State: job.Succeeded, Class: retry.ClassResource, RetryAfter: time.Hour}, job.Succeeded, 0, "", ""},
		{"cancelled", thrice, 1, outcome{State: job.Cancelled, Class: retry.ClassNotReady, RetryAfter: time.Hour}, job.Cancelled, 0, "", "attempt 1 ended without a message"},
		{"no retries", none, 2, outcome{State: job.TimedOut}, job.TimedOut, 0, "", "attempt 2 ended without a message"},
		{"a message and no retries", none, 2, outcome{State: job.Failed, Message: "exit 1"}, job.Failed, 0, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(test.tries, 0)
			s.Retry, s.Attempt.Address = test.policy, where
			got := decide(s, test.outcome, now, 0)
			want := Completion{
				AttemptID: 70, RunID: 7, Outcome: test.outcome.State, RunState: test.state, EndedAt: now,
				Message: test.outcome.Message, Avoid: test.avoid, Reason: test.reason,
			}
			if test.delay > 0 {
				want.RetryAt = now.Add(test.delay)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("decide (-want +got):\n%s", diff)
			}
		})
	}
}

// slot is the logical time of run 7.
var slot = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)

func childRun(id, version, group int64) job.Run {
	at := now.Truncate(time.Millisecond)
	return job.Run{
		JobID: id, JobVersion: version, GroupID: group, PlannedAt: slot, ReadyAt: at, DueAt: at, CreatedAt: now,
		Cause: job.CauseParent, CauseID: 7, State: job.Planned, Reason: "run 7 succeeded",
	}
}

// Whatever an executor reports, the run makes a legal move, the text fits its
// column, and a retry lies in the future of a policy that allows it.
func TestDecideAlwaysLegal(t *testing.T) {
	t.Parallel()
	ends := append(job.States(), "nonsense")
	rapid.Check(t, func(t *rapid.T) {
		tries := rapid.IntRange(1, 40).Draw(t, "tries")
		s := open(tries, rapid.IntRange(0, tries).Draw(t, "undelivered"))
		s.Attempt.State = rapid.SampledFrom([]job.State{job.Dispatched, job.Running}).Draw(t, "from")
		s.Run.State = s.Attempt.State
		s.Attempt.Address = "http://1"
		s.Deleted = rapid.Bool().Draw(t, "deleted")
		s.Retry = retry.Policy{
			Tries:   rapid.IntRange(0, 10).Draw(t, "retries"),
			Initial: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "initial")),
			Jitter:  rapid.Float64Range(0, 1).Draw(t, "jitter"),
		}
		s.Children = []Child{kid(rapid.Int64Range(1, 5).Draw(t, "child"))}
		s.Children[0].On = rapid.SampledFrom(append(job.ChildOns(), "")).Draw(t, "on")
		s.Retry.On = rapid.SampledFrom([][]string{nil, {retry.OnFailed}, {retry.OnTimedOut, retry.OnLost}}).Draw(t, "covers")
		s.Run.Cause = rapid.SampledFrom(causes).Draw(t, "cause")
		s.After = time.Duration(rapid.IntRange(0, 5000).Draw(t, "delay")) * time.Millisecond
		s.StopAfter = rapid.IntRange(0, 3).Draw(t, "stop after")
		s.Failures = rapid.IntRange(0, 3).Draw(t, "failures")
		if rapid.Bool().Draw(t, "for no slot") {
			s.Run.PlannedAt = time.Time{}
		}
		o := job.Outcome{
			State:   rapid.SampledFrom(ends).Draw(t, "end"),
			Message: strings.Repeat("ä\xff\x00", rapid.IntRange(0, 10_000).Draw(t, "length")),
			Class: rapid.SampledFrom([]retry.Class{
				"", retry.ClassTransient, retry.ClassPermanent, retry.ClassNotReady, retry.ClassResource, "nonsense",
			}).Draw(t, "class"),
			RetryAfter: time.Duration(rapid.Int64().Draw(t, "after")),
			Over:       rapid.SampledFrom([]string{"", "the deadline has passed"}).Draw(t, "over"),
		}
		c := decide(s, o, now, rapid.Float64Range(0, 0.999).Draw(t, "random"))
		switch {
		case !c.Outcome.Final():
			t.Fatalf("outcome %s is not final", c.Outcome)
		case !job.MayMove(s.Run.State, c.RunState):
			t.Fatalf("illegal move %s to %s", s.Run.State, c.RunState)
		case !utf8.ValidString(c.Message) || utf8.RuneCountInString(c.Message) > job.MaxMessage || strings.ContainsRune(c.Message, 0):
			t.Fatal("message cannot be stored")
		case (c.RunState == job.WaitingRetry) == c.RetryAt.IsZero():
			t.Fatalf("run state %s with retry at %s", c.RunState, c.RetryAt)
		case c.RunState == job.WaitingRetry && (s.Deleted || c.RetryAt.Before(now) || tries-s.Run.Undelivered > s.Retry.Tries):
			t.Fatalf("retry at %s against the policy", c.RetryAt)
		case c.RunState == job.WaitingRetry && (o.Over != "" || !s.Retry.Covers(string(c.Outcome))):
			t.Fatalf("%s is tried again, over %q", c.Outcome, o.Over)
		case c.RunState == job.WaitingRetry && o.Class == retry.ClassPermanent:
			t.Fatal("a permanent failure is tried again")
		case c.RunState == job.WaitingRetry && c.RetryAt.Before(now.Add(min(o.RetryAfter, retry.MaxDelayCap))):
			t.Fatalf("retry at %s, asked to wait %s", c.RetryAt, o.RetryAfter)
		case c.RetryAt.After(now.Add(2 * retry.MaxDelayCap)):
			t.Fatalf("retry at %s", c.RetryAt)
		case c.Avoid != "" && (c.RunState != job.WaitingRetry || o.Class != retry.ClassResource):
			t.Fatalf("the executor is avoided after %s, class %s", c.Outcome, o.Class)
		case len(c.Children) > 0 && (!s.Children[0].On.Meets(c.RunState) || s.Deleted):
			t.Fatalf("a child on %q after %s", s.Children[0].On, c.RunState)
		case len(c.Children) == 0 && s.Children[0].On.Meets(c.RunState) && s.Children[0].JobID != s.Run.JobID && !s.Deleted:
			t.Fatalf("no child on %q after %s", s.Children[0].On, c.RunState)
		}
		checkSchedule(t, &s, &c)
		for _, child := range c.Children {
			if !child.PlannedAt.Equal(s.Run.PlannedAt) || !child.DueAt.Equal(child.ReadyAt) {
				t.Fatalf("a child serves %s and is due at %s, ready at %s", child.PlannedAt, child.DueAt, child.ReadyAt)
			}
			if child.JobID == s.Run.JobID || child.CauseID != s.Run.ID || child.Cause != job.CauseParent {
				t.Fatalf("wrong child %+v", child)
			}
		}
	})
}
