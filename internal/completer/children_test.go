package completer

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// kid is a child that a success starts.
func kid(id int64) Child { return child(id, 0, 0) }

func child(id, version, group int64) Child {
	return Child{Child: job.Child{JobID: id}, Version: version, GroupID: group}
}

// on returns the child with a condition and a parameter.
func on(c Child, when job.ChildOn, param string) Child {
	c.On, c.Param = when, param
	return c
}

// family is a child for each condition.
func family() []Child {
	return []Child{kid(4), on(kid(5), job.ChildOnSuccess, ""), on(kid(6), job.ChildOnFailure, ""), on(kid(8), job.ChildOnAlways, "")}
}

func TestChildrenByEnd(t *testing.T) {
	t.Parallel()
	failed, timedOut := []int64{6, 8}, job.TimedOut
	for _, test := range []struct {
		name    string
		tries   int
		outcome job.State
		want    []int64
		reason  string
	}{
		{"success", 1, job.Succeeded, []int64{4, 5, 8}, "run 7 succeeded"},
		{"success of the last try", 3, job.Succeeded, []int64{4, 5, 8}, "run 7 succeeded"},
		{"failure with a try left", 2, job.Failed, nil, ""},
		{"last failure", 3, job.Failed, failed, "run 7 failed"},
		{"last timeout", 3, timedOut, failed, "run 7 timed out"},
		{"last loss", 3, job.Lost, failed, "run 7 was lost"},
		{"cancelled", 1, job.Cancelled, nil, ""},
		{"skipped", 1, job.Skipped, nil, ""},
	} {
		s := open(test.tries, 0)
		s.Retry, s.Children = retry.Policy{Tries: 2}, family()
		var got []int64
		for _, r := range decide(s, job.Outcome{State: test.outcome}, now, 0).Children {
			got = append(got, r.JobID)
			if r.Reason != test.reason || r.Param != nil {
				t.Errorf("%s: child %d because %q with %v", test.name, r.JobID, r.Reason, r.Param)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestChildParam(t *testing.T) {
	t.Parallel()
	own := "own {{result}}"
	for _, test := range []struct {
		name, template string
		alter          func(*Snapshot)
		want           string
	}{
		{
			"all words", `{"r":"{{result}}","p":"{{param}}","id":{{run_id}},"at":"{{planned_at}}","is":"{{state}}"}`, nil,
			`{"r":"rows: 7","p":"job's","id":7,"at":"2026-02-28T00:00:00Z","is":"succeeded"}`,
		},
		{"what a word brings stays", "{{param}}", func(s *Snapshot) { s.Run.Param = &own }, own},
		{"no slot", "<{{planned_at}}>", func(s *Snapshot) { s.Run.PlannedAt = time.Time{} }, "<>"},
		{"other words stay", "{{ result }} {{today}} {{", nil, "{{ result }} {{today}} {{"},
	} {
		s := open(1, 0)
		s.Param, s.Children = "job's", []Child{on(kid(4), "", test.template)}
		if test.alter != nil {
			test.alter(&s)
		}
		runs := decide(s, job.Outcome{State: job.Succeeded, Message: "rows: 7"}, now, 0).Children
		if len(runs) != 1 || runs[0].Param == nil || *runs[0].Param != test.want {
			t.Errorf("%s: %+v", test.name, runs)
		}
		if loose := test.name != "all words"; runs[0].Loose != loose {
			t.Errorf("%s: a value can say more than was meant: %t, want %t", test.name, runs[0].Loose, loose)
		}
	}
}

// A parameter that would be too large must not be cut: the child could not know.
func TestChildParamTooLarge(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Children = []Child{on(kid(4), "", strings.Repeat("{{result}}", 7))}
	runs := decide(s, job.Outcome{State: job.Succeeded, Message: strings.Repeat("x", 10_000)}, now, 0).Children
	if len(runs) != 1 || runs[0].Param != nil || !strings.Contains(runs[0].Reason, "run 7 succeeded; ") ||
		!strings.Contains(runs[0].Reason, "more than 65536 bytes") {
		t.Errorf("got %+v", runs)
	}
}

// What an executor discards is no failure: no other try, no children, and the
// count of failures stays.
func TestSkippedEndsTheRun(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Retry, s.Children, s.StopAfter, s.Failures, s.After = retry.Policy{Tries: 3}, family(), 2, 1, time.Minute
	got := decide(s, job.Outcome{State: job.Skipped, Message: "busy there"}, now, 0)
	want := Completion{
		AttemptID: 70, RunID: 7, Outcome: job.Skipped, RunState: job.Skipped, Message: "busy there", Reason: "busy there",
		EndedAt: now, NextAt: now.Truncate(time.Millisecond).Add(time.Minute),
	}
	got.JobID, got.StartedAt, got.Late = 0, time.Time{}, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRetryOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy  retry.Policy
		outcome job.State
		again   bool
		reason  string
	}{
		{retry.Policy{Tries: 2, On: []string{"failed"}}, job.Failed, true, "attempt 1 failed; retry 1 of 2 follows in 0s"},
		{retry.Policy{Tries: 2, On: []string{"failed"}}, job.TimedOut, false, "not tried again: the job retries only after failures"},
		{retry.Policy{Tries: 2, On: []string{"timed_out", "lost"}}, job.Failed, false, "not tried again: the job retries only after timeouts and losses"},
		{retry.Policy{On: []string{"lost"}}, job.Failed, false, "attempt 1 ended without a message"},
		{
			retry.Policy{Tries: 2, Delays: []time.Duration{time.Minute}, On: []string{"lost"}},
			job.Lost, true,
			"attempt 1 lost; retry 1 of 2 follows in 1m0s",
		},
	} {
		s := open(1, 0)
		s.Retry = test.policy
		got := decide(s, job.Outcome{State: test.outcome}, now, 0)
		if (got.RunState == job.WaitingRetry) != test.again || got.Reason != test.reason {
			t.Errorf("%+v after %s: %s, %q", test.policy, test.outcome, got.RunState, got.Reason)
		}
	}
}
