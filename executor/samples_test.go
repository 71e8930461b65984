package executor_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/orthd/orth/executor"
)

// TestSamples: after some tasks the samples count their outcomes.
func TestSamples(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	l := launch(t, a, plain(t, a))
	l.run(t, bean(1, 11, "demo"), success)
	l.run(t, bean(2, 21, "hold").with(func(r *run) { r.Timeout = 1 }), success)
	l.run(t, bean(3, 31, "hold"), success)
	l.run(t, bean(3, 32, "demo"), success)
	l.run(t, bean(4, 41, "nope"), refusal("job handler [nope] not found."))
	a.want(t, 11, "200 did ")
	a.want(t, 21, "502 job execute timeout ")
	l.started(t, 31)
	eventually(t, "the delivery", func() bool { return l.value(t, "outcomes_sent_total") == 2 })
	for name, want := range map[string]float64{
		"lanes": 3, "tasks_running": 1, "tasks_waiting": 1, "handlers_stuck": 0,
		"tasks_accepted_total": 4, "tasks_started_total": 3, "tasks_interrupted_total": 0, "tasks_rerun_total": 0, "tasks_buried_total": 0,
		"tasks_ended_total succeeded": 1, "tasks_ended_total timed_out": 1, "tasks_ended_total failed": 0, "tasks_ended_total cancelled": 0,
		"outcomes_refused_total": 0, "outbox_failures_total": 0, "queue_commit_failures_total": 0, "queue_damage_total": 0,
		"queue_items tasks remembered": 2, "queue_items tasks dead": 0, "queue_items outbox dead": 0,
	} {
		words := strings.Split(name, " ")
		if got := l.value(t, words[0], words[1:]...); got != want {
			t.Errorf("%s is %v; want %v", name, got, want)
		}
	}
	if l.value(t, "queue_items", "tasks", "scheduled")+l.value(t, "queue_items", "tasks", "processing") != 2 {
		t.Error("the queue does not hold the task that runs and the one that waits")
	}
	if commits, in := l.value(t, "queue_commits_total"), l.value(t, "queue_transactions_total"); commits < 1 || in < commits {
		t.Errorf("%v commits of %v transactions", commits, in)
	}
	if spent := l.value(t, "task_seconds"); spent < 1 || spent > patience.Seconds() {
		t.Errorf("tasks took %v s; one of them 1 s", spent)
	}
	wellFormed(t, l.Samples(t.Context()))
	l.release(31)
	a.want(t, 32, "200 did ")
}

// wellFormed: Prometheus refuses a page with two values of one name and labels,
// or with two kinds of one name.
func wellFormed(t *testing.T, samples []executor.Sample) {
	t.Helper()
	seen := make(map[string]bool)
	first := make(map[string]executor.Sample)
	for _, s := range samples {
		id := fmt.Sprint(s.Name, s.Labels)
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
		if f, ok := first[s.Name]; ok && (f.Help != s.Help || f.Counter != s.Counter || len(f.Labels) != len(s.Labels)) {
			t.Errorf("the samples of %s are not of one kind", s.Name)
		}
		first[s.Name] = s
		if s.Counter != strings.HasSuffix(s.Name, "_total") {
			t.Errorf("%s: a counter's name ends with _total, and only a counter's", s.Name)
		}
		if strings.ContainsFunc(s.Name, func(r rune) bool { return r != '_' && !unicode.IsLower(r) }) || !strings.HasSuffix(s.Help, ".") {
			t.Errorf("%s: %q", s.Name, s.Help)
		}
	}
}
