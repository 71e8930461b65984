package job

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNewTask(t *testing.T) {
	t.Parallel()
	planned := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	triggered := planned.Add(42 * time.Millisecond)
	j := &Job{
		ID: 7, Handler: Handler{Kind: HandlerNamed, Name: "report"}, Param: "daily",
		Overlap: OverlapConcurrent, Concurrency: 3, Labels: map[string]string{"team": "data"},
		Timeout: time.Minute, OnCrash: CrashRerun,
	}
	a := &Attempt{ID: 99, RunID: 5, JobID: 7, Number: 2, TriggeredAt: triggered}
	want := Task{
		AttemptID: 99, JobID: 7, RunID: 5, Try: 2, Labels: map[string]string{"team": "data"}, Concurrency: 3, Handler: Handler{Kind: HandlerNamed, Name: "report"}, Param: "daily",
		Overlap: OverlapConcurrent, Timeout: time.Minute, TriggeredAt: triggered, PlannedAt: planned,
		ShardTotal: 1, OnCrash: CrashRerun,
	}
	if diff := cmp.Diff(want, NewTask(j, &Run{ID: 5, JobID: 7, PlannedAt: planned}, a)); diff != "" {
		t.Errorf("NewTask() (-want +got):\n%s", diff)
	}
	for _, param := range []string{"weekly", ""} {
		if got := NewTask(j, &Run{Param: &param}, a).Param; got != param {
			t.Errorf("the run's param %q became %q", param, got)
		}
	}
}

func TestMillis(t *testing.T) {
	t.Parallel()
	if got := Millis(time.Time{}); got != 0 {
		t.Errorf("Millis of the zero time is %d, want 0", got)
	}
	if got := FromMillis(0); !got.IsZero() {
		t.Errorf("FromMillis(0) = %s, want the zero time", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(-1<<45, 1<<45).Draw(t, "ms")
		at := FromMillis(ms)
		if got := Millis(at); got != ms {
			t.Fatalf("Millis(FromMillis(%d)) = %d", ms, got)
		}
		if !at.IsZero() && at.Location() != time.UTC {
			t.Fatalf("FromMillis(%d) is in %s", ms, at.Location())
		}
	})
}
