package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a server until the test ends and returns its catalog.
func start(t *testing.T) *jobs.Catalog {
	t.Helper()
	return begin(t).Jobs()
}

// begin runs a server until the test ends.
func begin(t *testing.T) *Server {
	t.Helper()
	return beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true})
}

// madeFor returns the token of a group that is made of the server's key.
func madeFor(s *Server, group string) string {
	return credential.OfGroup(s.config.ExecutorToken, group).Reveal()
}

// beginWith runs a server of that configuration until the test ends.
func beginWith(t *testing.T, c Config) *Server {
	t.Helper()
	server, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Errorf("the server stopped with %v", err)
		}
	})
	return server
}

// until waits for something that loops do.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // machines are busy
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("it did not happen in time: %s", what)
		}
	}
}

func create(t *testing.T, c *jobs.Catalog, key string, s schedule.Spec) {
	t.Helper()
	_, err := c.CreateJob(t.Context(), job.Job{
		Key: key, Group: "g", Schedule: s, Enabled: s.Kind != schedule.KindManual,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, c *jobs.Catalog, key string) job.Job {
	t.Helper()
	j, err := c.Job(t.Context(), "", key)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestTimeGoesOn follows the parts that only the wiring connects: pauses reach
// the planner, a cancelled run the planner and the backfills.
func TestTimeGoesOn(t *testing.T) {
	t.Parallel()
	c := start(t)
	ctx := t.Context()

	// A pause holds a job back, and lifting it lets the job go on.
	if _, err := c.SavePause(ctx, job.Pause{Key: "all", Groups: []string{"g"}}); err != nil {
		t.Fatal(err)
	}
	create(t, c, "paced", schedule.Spec{Kind: schedule.KindEvery, Every: 200 * time.Millisecond, Count: 2})
	until(t, "the pause holds the job", func() bool { return find(t, c, "paced").HeldBy == "all" })
	if err := c.DeletePause(ctx, "all"); err != nil {
		t.Fatal(err)
	}
	until(t, "the job ends by itself", func() bool {
		j := find(t, c, "paced")
		return !j.Enabled && j.StopReason != "" && j.Fired == 2
	})

	// The end of a run sets the next firing of a fixed delay.
	create(t, c, "after", schedule.Spec{Kind: schedule.KindAfter, After: 100 * time.Millisecond})
	run := func(key string) job.Run {
		runs, err := c.Runs(ctx, jobrows.RunFilter{JobID: find(t, c, key).ID, Limit: 1})
		if err != nil || len(runs) == 0 {
			return job.Run{}
		}
		return runs[0]
	}
	until(t, "the delay fires at once", func() bool { return run("after").ID != 0 })
	first := run("after")
	if _, err := c.CancelRun(ctx, first.ID, ""); err != nil {
		t.Fatal(err)
	}
	until(t, "it fires again", func() bool { return run("after").ID > first.ID })
	if _, err := c.StopJob(ctx, "", "after"); err != nil {
		t.Fatal(err)
	}

	// A backfill goes on when a run of it is cancelled.
	now := time.Now()
	b, err := c.CreateBackfill(ctx, "", "paced", job.Backfill{From: now.Add(-time.Minute), To: now.Add(-time.Second), Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	made := func(n int) func() bool {
		return func() bool {
			got, err := c.Backfill(ctx, b.ID)
			return err == nil && got.Made == n
		}
	}
	until(t, "the first run is made", made(1))
	if _, err := c.CancelRun(ctx, run("paced").ID, ""); err != nil {
		t.Fatal(err)
	}
	until(t, "the second run is made", made(2))
	if got, err := c.CancelBackfill(ctx, b.ID, "enough"); err != nil || got.State != job.BackfillCancelled || run("paced").State != job.Cancelled {
		t.Errorf("cancelled: %+v, %v; its run is %s", got, err, run("paced").State)
	}
}

// TestPauseHoldsSchedulesOnly: while everything is paused, a run that somebody asks for
// is made and sent, is tried again, and starts its child; a backfill makes its runs.
func TestPauseHoldsSchedulesOnly(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c := s.Jobs()
	fleet := assemble(t, s, 1)
	fleet.answering(func(_ context.Context, _, n int) error {
		if n == 1 && len(fleet.of("twice")) > 0 {
			return errors.New("not at once")
		}
		return nil
	})
	if _, err := c.SavePause(t.Context(), job.Pause{Key: "all"}); err != nil {
		t.Fatal(err)
	}
	create(t, c, "paced", schedule.Spec{Kind: schedule.KindEvery, Every: 200 * time.Millisecond})
	split(t, c, "asked", 1, retry.Policy{Tries: 1, Initial: 10 * time.Millisecond})
	until(t, "the pause holds the schedule", func() bool { return find(t, c, "paced").HeldBy == "all" })
	if r := over(t, c, trigger(t, c, "asked", "twice").ID); r.State != job.Succeeded || len(fleet.of("twice")) != 2 {
		t.Errorf("what was asked for is %s: %s; %d calls", r.State, r.Message, len(fleet.of("twice")))
	}
	until(t, "its child is made", func() bool { return childrenOf(t, c, "asked") == 1 })
	now := time.Now()
	b, err := c.CreateBackfill(t.Context(), "", "paced", job.Backfill{From: now.Add(-time.Minute), To: now.Add(-time.Second), Slots: 2, Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the backfill has made its runs", func() bool {
		got, err := c.Backfill(t.Context(), b.ID)
		return err == nil && got.Made == 2
	})
	if j := find(t, c, "paced"); j.Fired != 0 || j.HeldBy != "all" {
		t.Errorf("the schedule has fired %d times, held by %q", j.Fired, j.HeldBy)
	}
}

// Every calendar that is shipped can be saved, and a text that others made.
func TestCalendarsOfOthers(t *testing.T) {
	t.Parallel()
	c := start(t)
	shipped := c.ShippedCalendars()
	if len(shipped) == 0 {
		t.Fatal("no holiday data is shipped")
	}
	for _, info := range shipped {
		saved, _, err := c.ImportCalendar(t.Context(), job.Calendar{Key: info.Key, Title: info.Title}, jobs.Import{Shipped: info.Key})
		if err != nil || saved.Rules.Source != info.Source || saved.Rules.KnownUntil.Year != info.LastYear {
			t.Errorf("%s: from %q until %s, %v", info.Key, saved.Rules.Source, saved.Rules.KnownUntil, err)
		}
	}
	for format, text := range map[string]string{
		"csv": "2030-05-01,Labour Day\n",
		"ics": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20300501\r\nSUMMARY:Labour Day\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
	} {
		saved, _, err := c.ImportCalendar(t.Context(), job.Calendar{Key: "own"}, jobs.Import{Format: format, Text: text})
		if err != nil || len(saved.Rules.Dates) != 1 || saved.Rules.Dates[0].Name != "Labour Day" || len(saved.Rules.Weekdays) != 0 {
			t.Errorf("%s: %+v, %v", format, saved.Rules, err)
		}
	}
	_, _, err := c.ImportCalendar(t.Context(), job.Calendar{Key: "own"}, jobs.Import{Format: "csv", Text: "tomorrow"})
	if wrong, ok := errors.AsType[*job.Error](err); !ok || wrong.Field != "text" {
		t.Errorf("a text that is wrong: %v", err)
	}
}
