package dispatcher

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/job"
)

// puts is a resolver that answers with err, or puts a value into the parameter.
type puts struct{ err error }

func (p *puts) Resolve(_ context.Context, j *job.Job, t job.Task) (job.Task, error) {
	t.Param = "value of " + j.Key
	return t, p.err
}

func TestTasksAreResolved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Resolver: &puts{}})
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(100 * time.Millisecond)
		sent := w.sent()
		if len(sent) != 1 || sent[0].task.Param == "" || sent[0].task.Param[:9] != "value of " {
			t.Errorf("sent %+v", sent)
		}
		if got := w.run(r.ID); got.Param != nil {
			t.Errorf("the row has the parameter %q", *got.Param)
		}
	})
}

// What refers to something that cannot be had is not sent, and says why. The executor has
// no part in it.
func TestWhatCannotBeResolvedFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		breakers := breaker.New(breaker.Config{})
		w, d, _ := start(t, Config{Resolver: &puts{job.Errorf(job.Invalid, "secret x does not exist in namespace default")}, Breaker: breakers})
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(100 * time.Millisecond)
		w.want(t, r.ID, job.Failed, "")
		w.change(func() {
			if len(w.outcomes) != 1 || w.outcomes[0].Message != "the task was not sent: secret x does not exist in namespace default" {
				t.Errorf("outcomes %+v", w.outcomes)
			}
		})
		if n := len(w.sent()); n != 0 {
			t.Errorf("sent %d times", n)
		}
	})
}

// When nobody can tell now, the run waits, and is sent once somebody can.
func TestWhatCannotBeResolvedNowWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := &puts{job.Errorf(job.Unavailable, "the disk is full")}
		w, d, _ := start(t, Config{Resolver: away})
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(100 * time.Millisecond)
		w.want(t, r.ID, job.Queued, "the task was not sent: the disk is full")
		pass(time.Hour) // it is never given up
		w.want(t, r.ID, job.Queued, "the task was not sent: the disk is full")
		w.change(func() { away.err = nil })
		pass(time.Minute)
		if n := len(w.sent()); n != 1 {
			t.Errorf("sent %d times", n)
		}
		w.want(t, r.ID, job.Running, "")
	})
}
