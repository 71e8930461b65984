package jobs

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newWorld() (*jobstest.World, *Catalog) {
	w := jobstest.New()
	return w, New(Config{
		Writer: w, Reader: w, RunWriter: w, RunReader: w, Stopper: w, Calendars: w, Almanac: almanac{}, Pauses: w, Backfills: w, IDs: w, Executors: w, Outcomes: w, Leases: w,
		Broadcasts: w, Due: w,
		Hooks: Hooks{
			Scheduled: func() { w.Scheduled++ },
			Backfill:  func() { w.Filled++ },
			Broadcast: func() { w.Barriers++ },
			Ended:     func(run int64) { w.Over = append(w.Over, run) },
			Ready:     func(at time.Time) { w.Ready = append(w.Ready, at) },
			Withdraw:  func(attempt int64) bool { return w.Withdraw(attempt) },
		},
	})
}

// create creates a job that must be taken.
func create(t *testing.T, c *Catalog, j job.Job) job.Job {
	t.Helper()
	created, err := c.CreateJob(t.Context(), j)
	if err != nil {
		t.Fatalf("CreateJob: %v", err)
	}
	return created
}
