package job_test

import (
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

func TestExpiredReason(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		run   job.Run
		after time.Duration
		now   time.Time
		want  string
	}{
		{
			"at its end",
			job.Run{ExpireAt: made.Add(time.Minute), Reason: "nobody there"},
			10 * time.Minute, made.Add(time.Minute),
			"expired: waited 10m0s and no executor took it; the last reason: nobody there",
		},
		{
			"late",
			job.Run{ExpireAt: made.Add(time.Minute)},
			10 * time.Minute, made.Add(61500 * time.Millisecond),
			"expired: waited 10m1.5s and no executor took it",
		},
		{
			"a job that allows any time by now",
			job.Run{ExpireAt: made.Add(time.Minute), CreatedAt: made},
			0, made.Add(2 * time.Minute),
			"expired: waited 2m0s and no executor took it",
		},
	} {
		if got := job.ExpiredReason(&test.run, test.after, test.now); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	features := []string{"shell", "python=3.11.2", "zone=eu", "disk="}
	for _, test := range []struct {
		selector map[string]string
		want     bool
	}{
		{nil, true},
		{map[string]string{"zone": "eu"}, true},
		{map[string]string{"zone": "eu", "python": "3.11.2"}, true},
		{map[string]string{"zone": "eu", "python": "3.11"}, false},
		{map[string]string{"zone": ""}, false},
		{map[string]string{"disk": ""}, true},
		{map[string]string{"shell": ""}, false},
	} {
		if got := job.Matches(test.selector, features); got != test.want {
			t.Errorf("%v matches: %t, want %t", test.selector, got, test.want)
		}
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	ranks := map[job.Priority]int{job.PriorityHigh: 0, job.PriorityNormal: 1, "": 1, "unknown": 1, job.PriorityLow: 2}
	for priority, want := range ranks {
		if got := priority.Rank(); got != want {
			t.Errorf("rank of %q is %d, want %d", priority, got, want)
		}
	}
	if !(job.Delivery{}).IsZero() || (job.Delivery{Selector: map[string]string{"a": "b"}}).IsZero() {
		t.Error("IsZero tells no delivery from one")
	}
}
