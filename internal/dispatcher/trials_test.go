package dispatcher

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// attempts of users, by run.
type trialBook struct {
	trials map[int64]job.Trial
	fail   error
}

func (b *trialBook) Trials(_ context.Context, runs []int64) (found []job.Trial, err error) {
	for _, run := range runs {
		if t, ok := b.trials[run]; ok {
			found = append(found, t)
		}
	}
	return found, b.fail
}

// A trial goes to one executor, under an id of its own, with the code that is tried,
// beside the run of its job that is under way; the next ordinary run has the job's.
func TestTrial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		book := &trialBook{trials: map[int64]job.Trial{}}
		w, d, _ := start(t, Config{Trials: book})
		w.broadcasts(0, "http://1", "http://2")
		w.change(func() {
			j := w.jobs[theJob]
			j.Handler = job.Handler{Kind: job.HandlerShell, Source: "saved", SourceAt: time.Now()}
			j.Overlap, j.OverlapScope, j.Logs.Off = job.OverlapCover, job.ScopeCluster, true
			w.jobs[theJob] = j
			w.meet = func(Mark) Meeting { return Meeting{Fate: FateBlocked} } // the job is busy
		})
		trial := w.add(time.Now(), 15*time.Second)
		trial.Cause, trial.CauseID = job.CauseTrial, trial.ID
		book.trials[trial.ID] = job.Trial{RunID: trial.ID, Timeout: time.Minute, Handler: &job.Handler{Kind: job.HandlerPython, Source: "tried"}}
		w.change(func() { w.runs[trial.ID].Run = trial })
		d.Take([]job.Run{trial})
		pass(time.Second)
		w.want(t, trial.ID, job.Running, "")
		sent := w.sent()
		if len(sent) != 1 {
			t.Fatalf("%d tasks were sent", len(sent))
		}
		task := sent[0].task
		task.TriggeredAt, task.AttemptID, task.PlannedAt = time.Time{}, 0, time.Time{}
		want := job.Task{
			JobID: trial.TaskJobID(), RunID: trial.ID, Try: 1, Handler: *book.trials[trial.ID].Handler, Overlap: job.OverlapSerial,
			Concurrency: 1, Timeout: time.Minute, ShardTotal: 1, OnCrash: job.CrashReport,
		}
		if diff := cmp.Diff(want, task); diff != "" {
			t.Errorf("task (-want +got):\n%s", diff)
		}
		w.change(func() {
			j := w.jobs[theJob]
			j.Route = job.RouteFirst
			j.Version++
			w.jobs[theJob], w.meet = j, nil
		})
		r := w.add(time.Now(), 15*time.Second)
		r.JobVersion = 2
		w.change(func() { w.runs[r.ID].Run = r })
		d.Take([]job.Run{r})
		pass(time.Second)
		last := w.sent()[1].task
		if last.JobID != theJob || last.Handler.Source != "saved" || last.Timeout != 0 {
			t.Errorf("the next run got the task %+v", last)
		}
	})
}

// A trial of which nobody knows what it tries is given up, and an error of the store
// puts everything off.
func TestUnknownTrial(t *testing.T) {
	t.Parallel()
	book := &trialBook{fail: errors.New("away")}

	saved := job.Job{ID: theJob}
	items := []*waiting.HeldRun{
		{Run: job.Run{ID: 1, Cause: job.CauseTrial}, Job: &saved}, {Run: job.Run{ID: 2}, Job: &saved}, {Run: job.Run{ID: 3, Cause: job.CauseTrial}},
	}
	if err := waiting.SetTrials(t.Context(), book, items); !errors.Is(err, book.fail) {
		t.Errorf("error %v", err)
	}
	book.fail = nil
	if err := waiting.SetTrials(t.Context(), book, items); err != nil {
		t.Fatal(err)
	}
	got := []bool{items[0].Job == nil, items[1].Job == &saved, items[2].Job == nil}
	if slices.Contains(got, false) {
		t.Errorf("%v", got)
	}
}
