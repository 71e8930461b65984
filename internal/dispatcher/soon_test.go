package dispatcher

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// TestAskedSoon shows which executors are asked soon about an attempt that they
// gave no answer to: those that take one once, whatever happens. What is asked of
// others might make them run it twice.
func TestAskedSoon(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		once  bool
		after time.Duration // the answer
		err   error
		soon  bool
	}{
		{"no answer", true, time.Second, job.Errorf(job.Ambiguous, "reset by peer"), true},
		{"an executor of another make", false, time.Second, job.Errorf(job.Ambiguous, "reset by peer"), false},
		{"accepted", true, time.Second, nil, false},
		{"refused", true, time.Second, job.Errorf(job.Refused, "no handler"), false},
		{"upkeep asks at that time anyway", true, 14 * time.Second, job.Errorf(job.Ambiguous, "timeout"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{Once: func(group, address string) bool {
					return test.once && group == "g" && address == "http://1"
				}})
				w.change(func() {
					w.answer = func(string, job.Task) (time.Duration, error) { return test.after, test.err }
				})
				r := w.add(time.Now(), 15*time.Second)
				began := time.Now()
				d.Take([]job.Run{r})
				pass(20 * time.Second)
				w.change(func() {
					at, asked := w.asked[r.ID]
					if asked != test.soon || asked && at.Sub(began).Round(100*time.Millisecond) != test.after+askSoon {
						t.Errorf("asked %t, after %v", asked, at.Sub(began))
					}
				})
			})
		})
	}
}
