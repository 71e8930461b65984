package jobs

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestCancelRun(t *testing.T) {
	t.Parallel()
	// report makes the executor report an end of the attempt once it was told.
	report := func(w *jobstest.World, id int64, state job.State, after time.Duration) {
		w.Kill = func(ctx context.Context) error {
			at := time.Now().Add(after)
			w.News = func() {
				if !time.Now().Before(at) {
					_ = w.Complete(context.WithoutCancel(ctx), []job.Outcome{{AttemptID: id*10 + 2, State: state, Message: "its own words"}})
				}
			}
			return nil
		}
	}
	answer := func(err error) func(*jobstest.World, int64) {
		return func(w *jobstest.World, _ int64) { w.Kill = func(context.Context) error { return err } }
	}
	tests := []struct {
		name    string
		state   job.State
		alter   func(w *jobstest.World, id int64)
		want    job.State
		message string
		asked   int
		took    time.Duration // at most
		kind    job.Kind
	}{
		{"planned", job.Planned, nil, job.Cancelled, "", 0, 0, ""},
		{"waiting for a retry", job.WaitingRetry, nil, job.Cancelled, "", 0, 0, ""},
		{"marked and not sent", job.Dispatched, func(w *jobstest.World, id int64) {
			w.Withdraw = func(attempt int64) bool { return attempt == id*10+2 }
		}, job.Cancelled, "it was not sent any more", 0, 0, ""},
		{"cancelled before", job.Cancelled, nil, job.Cancelled, "", 0, 0, ""},
		{"over", job.Succeeded, nil, job.Succeeded, "", 0, 0, job.Conflict},
		{
			"its executor is away", job.Running, answer(job.Errorf(job.Unreachable, "connection refused")),
			job.Stopping, "executor http://1 could not be told to end it: connection refused", 1, endWait, "",
		},
		{
			"its executor does not have it", job.Running, answer(job.Errorf(job.NotFound, "nothing")),
			job.Stopping, "executor http://1 was told to end it, and does not have it", 1, endWait, "",
		},
		{"reported soon", job.Running, func(w *jobstest.World, id int64) {
			report(w, id, job.Cancelled, time.Millisecond)
		}, job.Cancelled, "its own words", 1, endPause, ""},
		{"reported late", job.Dispatched, func(w *jobstest.World, id int64) {
			report(w, id, job.Cancelled, endWait-time.Second)
		}, job.Cancelled, "its own words", 1, endWait, ""},
		{
			"reported later", job.Dispatched, func(w *jobstest.World, id int64) { report(w, id, job.Cancelled, endWait+time.Second) },
			job.Stopping, "executor http://1 was told to end it; its report is awaited", 1, endWait, "",
		},
		{"it succeeds meanwhile", job.Running, func(w *jobstest.World, id int64) {
			report(w, id, job.Succeeded, time.Second)
		}, job.Succeeded, "its own words", 1, endWait, ""},
		{"its failure is tried again before it is stopped", job.Running, func(w *jobstest.World, id int64) {
			w.Rivals = func() {
				w.Rivals = func() {}
				_ = w.Complete(t.Context(), []job.Outcome{{AttemptID: id*10 + 2, State: job.Failed}})
			}
		}, job.Cancelled, "", 0, 0, ""},
		{"it is stopping already", job.Stopping, nil, job.Stopping, "", 0, endWait, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, c := newWorld()
				id := w.Open(test.state)
				if test.alter != nil {
					test.alter(w, id)
				}
				began := time.Now()
				r, err := c.CancelRun(t.Context(), id, "no longer needed")
				if job.KindOf(err) != test.kind {
					t.Fatalf("CancelRun: %v, want kind %q", err, test.kind)
				}
				if took := time.Since(began); took > test.took {
					t.Errorf("it took %s", took)
				}
				got := w.RunsByID[id]
				if got.State != test.want || (err == nil && (r.State != got.State || r.JobKey != "report")) {
					t.Errorf("run is %s, returned %+v, want %s", got.State, r, test.want)
				}
				if !strings.Contains(got.Message, test.message) {
					t.Errorf("run says %q, want %q", got.Message, test.message)
				}
				if got.State != test.state && got.Reason != "no longer needed" {
					t.Errorf("the reason is %q", got.Reason)
				}
				if len(w.Asked) != test.asked {
					t.Errorf("executors were asked %q", w.Asked)
				}
			})
		})
	}
}

// What was said of the executor stays for whoever tells it next.
func TestCancelRunKeepsTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newWorld()
		id, now := w.Open(job.Running), time.Now()
		w.Kill = func(context.Context) error { return job.Errorf(job.Unreachable, "connection refused") }
		if _, err := c.CancelRun(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
		want := job.Stop{RunID: id, AttemptID: id*10 + 2, AskedAt: now, Calls: 1, LookAt: now.Add(5 * time.Second)}
		if diff := cmp.Diff(want, w.Stops[id]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// The wish, and that the executor was told, are kept although the user no longer
// waits for the answer.
func TestCancelRunOfAUserWhoLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newWorld()
		id := w.Open(job.Running)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		w.Kill = func(ctx context.Context) error {
			time.Sleep(3 * time.Second)
			return ctx.Err()
		}
		_, _ = c.CancelRun(ctx, id, "no longer needed")
		if got := w.RunsByID[id]; got.State != job.Stopping || w.Stops[id].ToldAt.IsZero() {
			t.Errorf("the run is %s: %+v", got.State, w.Stops[id])
		}
	})
}

// An executor that ends all that it has of a job: the others are named.
func TestCancelRunBesideOthers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		incarnation string
		beside      []int64
		reason, why string
	}{
		{"", nil, "wrong day", "run 1 of the same job is being ended on executor http://1, which ends all that it has of the job, this run too"},
		{
			"",
			[]int64{7, 9},
			"wrong day; executor http://1 cannot end one attempt alone: it ends all that it has of the job, also run 7, 9",
			"run 1 of the same job is being ended on executor http://1, which ends all that it has of the job, this run too",
		},
		{"one of ours", []int64{7, 9}, "wrong day", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, c := newWorld()
			id := w.Open(job.Running)
			w.Alive = []job.Executor{{GroupID: w.RunsByID[id].GroupID, Address: "http://1", Incarnation: test.incarnation}}
			w.Beside = test.beside
			r, err := c.CancelRun(t.Context(), id, "wrong day")
			if err != nil || r.Reason != test.reason || w.BesideWhy != test.why {
				t.Errorf("the reason is %q, and that of others %q, %v", r.Reason, w.BesideWhy, err)
			}
		})
	}
}

func TestCancelRunReason(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	waiting, sent := w.Open(job.Queued), w.Open(job.Dispatched)
	w.Kill = func(ctx context.Context) error {
		return w.Complete(ctx, []job.Outcome{{AttemptID: sent*10 + 2, State: job.Cancelled}})
	}
	if _, err := c.CancelRun(t.Context(), waiting, ""); err != nil || w.RunsByID[waiting].Reason != "cancelled by a user" {
		t.Errorf("reason %q, %v", w.RunsByID[waiting].Reason, err)
	}
	if _, err := c.CancelRun(t.Context(), sent, "bad\x00"); err != nil || w.RunsByID[sent].Reason != "bad\uFFFD" {
		t.Errorf("reason %q, %v", w.RunsByID[sent].Reason, err)
	}
	if _, err := c.CancelRun(t.Context(), 9999, ""); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown run: %v", err)
	}
	if want := []string{"kill 22 of 3 on http://1"}; !cmp.Equal(w.Asked, want) {
		t.Errorf("asked %q, want %q", w.Asked, want)
	}
}
