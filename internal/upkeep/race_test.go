package upkeep

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

// An attempt without an executor that another server takes over, to send it again, after it
// was read here is not recorded as lost: the task may be on its way. One that was accepted is
// never sent again.
func TestOrphanThatIsSentAgain(t *testing.T) {
	t.Parallel()
	for stolen, want := range map[bool]job.State{true: job.Dispatched, false: job.Lost} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.open(1, "http://gone", job.Dispatched)
			w.open(2, "http://gone", job.Running)
			w.checkAt[10] = time.Now()
			w.stolen[1] = stolen
			u := New(Config{Store: w, Executors: w, Recorder: w})
			lifecycletest.Start(t, u.Run)
			time.Sleep(u.config.Grace + 3*u.config.Every)
			if got := w.state(1); got != want {
				t.Errorf("taken over by another server: %v; the attempt is %s, want %s", stolen, got, want)
			}
			if got := w.state(2); got != job.Lost {
				t.Errorf("the one that was accepted is %s", got)
			}
		})
	}
}
