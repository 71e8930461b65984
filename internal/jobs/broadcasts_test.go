package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestRetryShards(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	draft := jobstest.GoodJob()
	draft.Route, draft.Shards, draft.Delivery.Deadline = job.RouteBroadcast, 4, time.Hour
	r := w.Split(create(t, c, draft), job.Failed, job.Succeeded, job.Failed, job.Lost, job.Cancelled)
	again, err := c.RetryShards(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if again.Cause != job.CauseRetry || again.CauseID != r.ID || !again.PlannedAt.Equal(r.PlannedAt) || *again.Param != "p" ||
		again.Reason != "does the 3 failed shards of run 100 again" {
		t.Errorf("the new run is %+v", again)
	}
	shards, _ := w.Shards(t.Context(), again.ID)
	for i, want := range []int{1, 2, 3} {
		if s := shards[i]; s.Shard != (job.Shard{Index: want, Total: 4}) || s.State != job.Queued || s.Home != "http://home" || s.ReadyAt.IsZero() {
			t.Errorf("shard %d is %+v", i, s)
		}
	}
	if len(shards) != 3 || len(w.Ready) != 1 || w.Filters[len(w.Filters)-1] != time.Hour {
		t.Errorf("%d shards, announced %v, deadline %v", len(shards), w.Ready, w.Filters)
	}
	if _, err := c.RetryShards(t.Context(), r.ID); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "again already") {
		t.Errorf("a second time: %v", err)
	}
}

func TestRetryShardsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		alter func(w *jobstest.World, j job.Job) int64
		kind  job.Kind
		text  string
	}{
		{"no such run", func(*jobstest.World, job.Job) int64 { return 7 }, job.NotFound, "run 7"},
		{"never split", func(w *jobstest.World, j job.Job) int64 {
			w.RunsByID[7] = job.Run{ID: 7, JobID: j.ID, State: job.Failed}
			return 7
		}, job.NotFound, "was not split"},
		{"not over", func(w *jobstest.World, j job.Job) int64 {
			return w.Split(j, job.Running, job.Failed, job.Running).ID
		}, job.Conflict, "1 of its 2 shards is open"},
		{"over before its shards", func(w *jobstest.World, j job.Job) int64 {
			return w.Split(j, job.Lost, job.Failed, job.Running).ID
		}, job.Conflict, "is not over"},
		{"nothing failed", func(w *jobstest.World, j job.Job) int64 {
			return w.Split(j, job.Succeeded, job.Succeeded).ID
		}, job.Conflict, "nothing to do again"},
		{"shards are gone", func(w *jobstest.World, j job.Job) int64 {
			id := w.Split(j, job.Failed, job.Failed, job.Failed).ID
			delete(w.RunsByID, 101)
			return id
		}, job.Conflict, "1 failed shard of run 100 is not kept"},
		{"the job is busy", func(w *jobstest.World, j job.Job) int64 {
			w.Busy = job.CrowdedOut(job.OverlapSerial, 1, 55)
			return w.Split(j, job.Failed, job.Failed).ID
		}, job.Conflict, "cannot be done again now: as many runs of the job are under way as may be: run 55 comes first (serial)"},
		{"the job is gone", func(w *jobstest.World, j job.Job) int64 {
			clear(w.JobsByKey)
			return w.Split(j, job.Failed, job.Failed).ID
		}, job.NotFound, "was deleted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, catalog := newWorld()
			j := create(t, catalog, jobstest.GoodJob())
			_, err := catalog.RetryShards(t.Context(), c.alter(w, j))
			if !job.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %s with %q", err, c.kind, c.text)
			}
		})
	}
}

func TestCancelBroadcast(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	r := w.Split(create(t, c, jobstest.GoodJob()), job.Running, job.Running, job.Queued)
	reads := 0
	w.News = func() { // its shards are over soon
		if reads++; reads == 4 {
			r.State = job.Cancelled
			w.RunsByID[r.ID] = r
		}
	}
	got, err := c.CancelRun(t.Context(), r.ID, "wrong day")
	if err != nil || got.State != job.Cancelled || w.Splits[r.ID].Cancel != "wrong day" || w.Barriers != 1 || len(w.Asked) != 0 {
		t.Errorf("cancelled: %+v, %v; %+v, %d wakes, asked %v", got, err, w.Splits[r.ID], w.Barriers, w.Asked)
	}
	if _, err := c.CancelRun(t.Context(), r.ID, "again"); err != nil {
		t.Errorf("one that is cancelled: %v", err)
	}
	if _, err := c.CancelRun(t.Context(), 102, "by itself"); err != nil || w.Barriers != 2 {
		t.Errorf("a shard: %v, %d wakes", err, w.Barriers)
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	r := w.Split(create(t, c, jobstest.GoodJob()), job.Running, job.Running, job.Queued)
	if got, err := c.Shards(t.Context(), r.ID); err != nil || len(got) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, id := range []int64{7, 101} { // none, and one that was not split
		if _, err := c.Shards(t.Context(), id); !job.Is(err, job.NotFound) {
			t.Errorf("the shards of run %d: %v", id, err)
		}
	}
}

func TestShardsOfAJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		route  job.Route
		shards int
		text   string // of the refusal
	}{
		{"as many as executors", job.RouteBroadcast, 0, ""},
		{"a number", job.RouteBroadcast, job.MaxShards, ""},
		{"too many", job.RouteBroadcast, job.MaxShards + 1, "is not between 0 and 1000"},
		{"less than none", job.RouteBroadcast, -1, "is not between 0 and 1000"},
		{"of another route", job.RouteRound, 2, "are only for the route broadcast"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, catalog := newWorld()
			j := jobstest.GoodJob()
			j.Route, j.Shards = c.route, c.shards
			_, err := catalog.CreateJob(t.Context(), j)
			if c.text == "" && err == nil {
				return
			}
			if c.text == "" || err == nil || !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want an error with %q", err, c.text)
			}
		})
	}
}

// A job that gets another route has no shards any more, unless its user asks for
// what cannot be.
func TestShardsOfAnotherRoute(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := jobstest.GoodJob()
	j.Route, j.Shards = job.RouteBroadcast, 4
	create(t, c, j)
	if got := update(t, c, "report", func(j *job.Job) { j.Route = job.RouteFirst }); got.Shards != 0 {
		t.Errorf("a job of the route first has %d shards", got.Shards)
	}
	if got := update(t, c, "report", func(j *job.Job) { j.Route, j.Shards = job.RouteBroadcast, 5 }); got.Shards != 5 {
		t.Errorf("a broadcast has %d shards, want 5", got.Shards)
	}
	_, err := c.UpdateJob(t.Context(), "", "report", 0, func(j job.Job) (job.Job, error) {
		j.Route, j.Shards = job.RouteFirst, 6
		return j, nil
	})
	if !job.Is(err, job.Invalid) {
		t.Errorf("6 shards of the route first: %v", err)
	}
}
