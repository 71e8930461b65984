package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

func (w *world) Broadcast(_ context.Context, run int64) (job.Broadcast, error) {
	b, ok := w.splits[run]
	if !ok {
		return b, job.Errorf(job.NotFound, "run %d was not split into shards", run)
	}
	return b, nil
}

func (w *world) CancelBroadcast(_ context.Context, run int64, reason string, _ time.Time) (job.Broadcast, error) {
	b := w.splits[run]
	b.Cancel = reason
	w.splits[run] = b
	return b, w.fail
}

func (w *world) AddBroadcast(_ context.Context, r job.Run, shards []job.Run, deadline time.Duration) error {
	for _, other := range w.runs {
		if other.JobID == r.JobID && other.Cause == r.Cause && other.CauseID == r.CauseID {
			return job.Errorf(job.Conflict, "it exists already")
		}
	}
	if w.busy != nil {
		return w.busy
	}
	r.State = job.Running
	w.runs[r.ID] = r
	for _, s := range shards {
		w.runs[s.ID] = s
	}
	w.filters = append(w.filters, deadline)
	return w.fail
}

func (w *world) Shards(_ context.Context, run int64) ([]job.ShardRun, error) {
	var found []job.ShardRun
	for _, r := range w.runs {
		if r.Cause == job.CauseShard && r.CauseID == run {
			found = append(found, job.ShardRun{Run: r})
		}
	}
	slices.SortFunc(found, func(a, b job.ShardRun) int { return cmp.Compare(a.Shard.Index, b.Shard.Index) })
	return found, w.fail
}

// split adds a run of the job that was split into shards, in these states.
func (w *world) split(j job.Job, state job.State, shards ...job.State) job.Run {
	r := job.Run{ID: 100, JobID: j.ID, JobKey: j.Key, State: state, AttemptID: 900, PlannedAt: time.UnixMilli(5), Tries: 1, Param: new("p")}
	w.runs[r.ID] = r
	w.attempts[r.ID] = []job.Attempt{{ID: 900, RunID: 100, JobID: j.ID, Number: 1, State: state}}
	b := job.Broadcast{RunID: r.ID, Total: len(shards), Shards: len(shards)}
	for i, s := range shards {
		id := int64(101 + i)
		w.runs[id] = job.Run{ID: id, JobID: j.ID, Cause: job.CauseShard, CauseID: r.ID, State: s, Shard: job.Shard{Index: i, Total: len(shards)}, Home: "http://home"}
		switch {
		case !s.Final():
			b.Open++
		case s != job.Succeeded:
			b.Failed++
		}
	}
	w.splits[r.ID] = b
	w.lastID = 200
	return r
}

func TestRetryShards(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	draft := good()
	draft.Route, draft.Shards, draft.Delivery.Deadline = job.RouteBroadcast, 4, time.Hour
	r := w.split(create(t, c, draft), job.Failed, job.Succeeded, job.Failed, job.Lost, job.Cancelled)
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
	if len(shards) != 3 || len(w.ready) != 1 || w.filters[len(w.filters)-1] != time.Hour {
		t.Errorf("%d shards, announced %v, deadline %v", len(shards), w.ready, w.filters)
	}
	if _, err := c.RetryShards(t.Context(), r.ID); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "again already") {
		t.Errorf("a second time: %v", err)
	}
}

func TestRetryShardsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		alter func(w *world, j job.Job) int64
		kind  job.Kind
		text  string
	}{
		{"no such run", func(*world, job.Job) int64 { return 7 }, job.NotFound, "run 7"},
		{"never split", func(w *world, j job.Job) int64 {
			w.runs[7] = job.Run{ID: 7, JobID: j.ID, State: job.Failed}
			return 7
		}, job.NotFound, "was not split"},
		{"not over", func(w *world, j job.Job) int64 {
			return w.split(j, job.Running, job.Failed, job.Running).ID
		}, job.Conflict, "1 of its 2 shards is open"},
		{"over before its shards", func(w *world, j job.Job) int64 {
			return w.split(j, job.Lost, job.Failed, job.Running).ID
		}, job.Conflict, "is not over"},
		{"nothing failed", func(w *world, j job.Job) int64 {
			return w.split(j, job.Succeeded, job.Succeeded).ID
		}, job.Conflict, "nothing to do again"},
		{"shards are gone", func(w *world, j job.Job) int64 {
			id := w.split(j, job.Failed, job.Failed, job.Failed).ID
			delete(w.runs, 101)
			return id
		}, job.Conflict, "1 failed shard of run 100 is not kept"},
		{"the job is busy", func(w *world, j job.Job) int64 {
			w.busy = job.CrowdedOut(job.OverlapSerial, 1, 55)
			return w.split(j, job.Failed, job.Failed).ID
		}, job.Conflict, "cannot be done again now: as many runs of the job are under way as may be: run 55 comes first (serial)"},
		{"the job is gone", func(w *world, j job.Job) int64 {
			clear(w.jobs)
			return w.split(j, job.Failed, job.Failed).ID
		}, job.NotFound, "was deleted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, catalog := newWorld()
			j := create(t, catalog, good())
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
	r := w.split(create(t, c, good()), job.Running, job.Running, job.Queued)
	reads := 0
	w.news = func() { // its shards are over soon
		if reads++; reads == 4 {
			r.State = job.Cancelled
			w.runs[r.ID] = r
		}
	}
	got, err := c.CancelRun(t.Context(), r.ID, "wrong day")
	if err != nil || got.State != job.Cancelled || w.splits[r.ID].Cancel != "wrong day" || w.barriers != 1 || len(w.asked) != 0 {
		t.Errorf("cancelled: %+v, %v; %+v, %d wakes, asked %v", got, err, w.splits[r.ID], w.barriers, w.asked)
	}
	if _, err := c.CancelRun(t.Context(), r.ID, "again"); err != nil {
		t.Errorf("one that is cancelled: %v", err)
	}
	if _, err := c.CancelRun(t.Context(), 102, "by itself"); err != nil || w.barriers != 2 {
		t.Errorf("a shard: %v, %d wakes", err, w.barriers)
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	r := w.split(create(t, c, good()), job.Running, job.Running, job.Queued)
	if got, err := c.Shards(t.Context(), r.ID); err != nil || len(got) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, id := range []int64{7, 101} { // none, and one that was not split
		if _, err := c.Shards(t.Context(), id); !job.Is(err, job.NotFound) {
			t.Errorf("the shards of run %d: %v", id, err)
		}
	}
	page, err := c.Log(t.Context(), r.ID, LogQuery{})
	if err != nil || page.To != 1 || page.End || !strings.Contains(page.Text, "orth run show 100") {
		t.Errorf("the log: %+v, %v", page, err)
	}
	if page, err = c.Log(t.Context(), r.ID, LogQuery{From: 2}); err != nil || page.To != 1 || page.Text != "" || page.End {
		t.Errorf("the rest of the log: %+v, %v", page, err)
	}
	story, err := c.ExplainRun(t.Context(), r.ID, access.Sight{All: true})
	if err != nil || story.Answer != "Run 100 of job report is running: 2 of 2 shards are not over, 0 failed." {
		t.Errorf("explained: %q, %v", story.Answer, err)
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
			j := good()
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
	j := good()
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
