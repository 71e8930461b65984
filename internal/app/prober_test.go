package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/app/executors"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/job"
)

// asked is an executor that answers with an error, and counts the questions.
type asked struct {
	questions int
	answer    error
}

func (a *asked) Beat(context.Context, string) error {
	a.questions++
	return a.answer
}

func (a *asked) IdleBeat(context.Context, string, int64) (bool, error) {
	a.questions++
	return true, a.answer
}

func TestProberLeavesAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const address = "http://10.0.0.1:9999"
		executor := &asked{answer: job.Errorf(job.Unreachable, "connection refused")}
		set := breaker.New(breaker.Config{Failures: 2, Cool: 10 * time.Second})
		p := executors.Prober{Prober: executor, Breakers: set}
		ask := func() error {
			_, err := p.IdleBeat(t.Context(), address, 3)
			return err
		}
		for range 5 {
			if err := p.Beat(t.Context(), address); err == nil {
				t.Fatal("an executor that is not there answers")
			}
		}
		if executor.questions != 2 {
			t.Errorf("%d questions, want 2 until it is left alone", executor.questions)
		}
		if err := ask(); !job.Is(err, job.Unavailable) || executor.questions != 2 {
			t.Errorf("asked %d times, the last error %v", executor.questions, err)
		}
		// Each question that fails after the time makes it longer.
		time.Sleep(10 * time.Second)
		if err := ask(); !job.Is(err, job.Unreachable) || executor.questions != 3 {
			t.Errorf("asked %d times, the last error %v", executor.questions, err)
		}
		if status := set.Status(address, time.Now()); status.State != breaker.Open || time.Until(status.Until) != 20*time.Second {
			t.Errorf("after a trial that failed it is %+v", status)
		}
		// An answer lets the task that follows be the trial.
		executor.answer = nil
		time.Sleep(20 * time.Second)
		if err := ask(); err != nil {
			t.Error(err)
		}
		if !set.Allow(address, time.Now()) {
			t.Error("the task that follows is not allowed")
		}
	})
}

// A question that was cut off says nothing about the executor.
func TestProberIsCutOff(t *testing.T) {
	t.Parallel()
	set := breaker.New(breaker.Config{Failures: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (executors.Prober{Prober: &asked{answer: job.Errorf(job.Ambiguous, "cancelled")}, Breakers: set}).Beat(ctx, "http://1"); err == nil {
		t.Fatal("no error")
	}
	if all := set.All(time.Now()); len(all) != 0 {
		t.Errorf("it counts: %+v", all)
	}
}
