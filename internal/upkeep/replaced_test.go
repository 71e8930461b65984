package upkeep

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// The process at an address has another data folder than the one that an attempt was sent to,
// and no word came of that one. It may have begun the attempt, so no other one gets it.
func TestUnansweredByAnotherFolder(t *testing.T) {
	t.Parallel()
	lists := func(holds ...int64) []Successor {
		return []Successor{{Address: "http://1", Here: true, Whole: true, ListedAt: time.Now().Add(time.Hour), Holds: holds}}
	}
	for _, test := range []struct {
		name     string
		replaced bool
		before   func() []Successor // what the process of before says; nil for nothing
		now      *executor          // the process that is there
		want     job.State
		sent     bool
	}{
		{"it does not have the attempt", true, nil, &executor{}, job.Lost, false},
		{"it has the attempt", true, nil, &executor{holds: map[int64]bool{1: true}}, job.Running, false},
		{"it gives no answer", true, nil, &executor{ask: job.Errorf(job.Ambiguous, "timeout")}, job.Dispatched, false},
		{"the one of before has it", true, func() []Successor { return lists(1) }, &executor{}, job.Running, false},
		{"the one of before has it not", true, func() []Successor { return lists(7) }, &executor{}, job.Running, true},
		{"it may have the same folder", false, nil, &executor{}, job.Running, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var since time.Time
				_, r := watch(t, Config{
					Once:     func(string, string) bool { return true },
					Doubtful: func(string) (bool, time.Time) { return false, since },
					Replaced: func(address string, at time.Time) bool {
						return test.replaced && address == "http://1" && since.After(at)
					},
				})
				time.Sleep(time.Minute)
				r.open(1, "http://1", job.Dispatched)
				r.change(func() {
					since = time.Now()
					r.leases["http://1"], r.executors["http://1"] = true, test.now
					if test.before != nil {
						r.successors = map[string][]Successor{"http://1": test.before()}
					}
				})
				pass(time.Minute)
				if got := r.state(1); got != test.want {
					t.Errorf("the attempt is %s, want %s", got, test.want)
				}
				r.change(func() {
					if sent := len(r.sent) > 0; sent != test.sent {
						t.Errorf("sent again: %t", sent)
					}
					if test.want == job.Lost && len(r.outcomes) > 0 && !strings.Contains(r.outcomes[0].Message, "restarted and does not know the attempt") {
						t.Errorf("message %q", r.outcomes[0].Message)
					}
				})
			})
		})
	}
}
