package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/fence"
	"github.com/orthd/orth/job"
)

// hold lets nothing into the store until what it returns is called. Views are answered.
func (h *house) hold() (release func()) {
	synctest.Wait() // until the house is ready
	free, held := make(chan struct{}), make(chan struct{})
	go func() {
		_ = h.store.Update(context.Background(), func(tx *queue.Tx) error {
			tx.OnCommit(func() { close(held); <-free })
			return nil
		})
	}()
	<-held
	return func() { close(free) }
}

// TestUnknownAttemptIsFenced: a server that was told that an attempt is not here records its end, so
// a request that the network has held back since does not start it, after a cancel neither.
func TestUnknownAttemptIsFenced(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(r *Runner, ctx context.Context) (known bool, err error){
		"asked for": func(r *Runner, ctx context.Context) (bool, error) { return r.Knows(ctx, 1) },
		"cancelled": func(r *Runner, ctx context.Context) (bool, error) { return r.CancelAttempt(ctx, 1, "by ann") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				runs := 0
				h.code["it"] = do(func(context.Context) error { runs++; return nil })
				if known, err := ask(h.r, t.Context()); known || err != nil {
					t.Fatalf("known %t, %v", known, err)
				}
				for _, wait := range []time.Duration{0, time.Second, fence.FenceFor - 2*time.Second} {
					time.Sleep(wait)
					if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Refused) {
						t.Errorf("a late request: %v", err)
					}
				}
				h.accept(task(2, 5, "it"))
				synctest.Wait()
				if runs != 1 {
					t.Errorf("%d runs", runs)
				}
				for range 3 { // it is kept out for so long and not for ever
					time.Sleep(fence.FenceFor)
					if _, err := h.r.Knows(t.Context(), 99); err != nil {
						t.Error(err)
					}
				}
				h.accept(task(1, 5, "it"))
				synctest.Wait()
			})
		})
	}
}

// TestFenceMeetsAcceptance: of a question and a task that reach the store in one commit, the first
// one decides about both.
func TestFenceMeetsAcceptance(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"question", "task"} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				runs := 0
				h.code["it"] = do(func(context.Context) error { runs++; return nil })
				release := h.hold()
				var known bool
				var asked, accepted error
				question := func() { known, asked = h.r.Knows(t.Context(), 1) }
				offer := func() { accepted = h.r.Accept(t.Context(), task(1, 5, "it")) }
				if first == "task" {
					question, offer = offer, question
				}
				go question()
				synctest.Wait()
				go offer()
				synctest.Wait()
				release()
				synctest.Wait()
				if asked != nil || known != (accepted == nil) || known != (runs == 1) || known != (first == "task") {
					t.Errorf("known %t, %v; accepted: %v; %d runs", known, asked, accepted, runs)
				}
			})
		})
	}
}

// TestQuestionWithoutAnAnswerFencesNothing: who gets an error knows nothing, so the attempt may come.
func TestQuestionWithoutAnAnswerFencesNothing(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { return nil })
		synctest.Wait()
		h.disk.after.Store(true)
		h.disk.broken.Store(true)
		if err := h.r.Accept(t.Context(), task(2, 5, "it")); !job.Is(err, job.Ambiguous) {
			t.Errorf("the disk fails, and the answer is %v", err)
		}
		if known, err := h.r.Knows(t.Context(), 1); known || err == nil {
			t.Errorf("without a disk: known %t, %v", known, err)
		}
		if known, err := h.r.CancelAttempt(t.Context(), 1, "by ann"); known || err == nil {
			t.Errorf("without a disk: cancelled %t, %v", known, err)
		}
		h.disk.broken.Store(false)
		h.disk.shut.Store(false)
		time.Sleep(time.Minute)
		h.accept(task(1, 5, "it"))
	})
}

// TestCancelMeetsAcceptance: a cancel that comes while the task is on its way into the store ends it.
func TestCancelMeetsAcceptance(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = until
		release := h.hold()
		var told bool
		var err, accepted error
		go func() { accepted = h.r.Accept(t.Context(), task(1, 5, "it")) }()
		synctest.Wait()
		go func() { told, err = h.r.CancelAttempt(t.Context(), 1, "by ann") }()
		synctest.Wait()
		release()
		synctest.Wait()
		if !told || err != nil || accepted != nil {
			t.Errorf("told %t, %v; accepted: %v", told, err, accepted)
		}
		if got := h.outcomes(); len(got) != 1 || got[0].State != job.Cancelled {
			t.Errorf("outcomes %+v", got)
		}
	})
}

// TestLateTaskIsNotAccepted: a task whose sender waits no longer, because the disk or the process
// stood still, is not stored.
func TestLateTaskIsNotAccepted(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]bool{"in the queue": false, "in the writer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				runs := 0
				h.code["it"] = do(func(context.Context) error { runs++; return nil })
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				if behind { // the deadline passes while its turn has come already
					ctx = deadlined{t.Context(), time.Now().Add(-time.Millisecond)}
				}
				release := h.hold()
				var err error
				go func() { err = h.r.Accept(ctx, task(1, 5, "it")) }()
				time.Sleep(4 * time.Second)
				release()
				synctest.Wait()
				if !job.Is(err, job.Unavailable) || runs != 0 {
					t.Errorf("%v, %d runs", err, runs)
				}
				h.accept(task(1, 5, "it"))
				synctest.Wait()
			})
		})
	}
}

// deadlined is a context whose timer has not fired yet.
type deadlined struct {
	context.Context
	at time.Time
}

func (d deadlined) Deadline() (time.Time, bool) { return d.at, true }

// TestFenceIsBounded: it forgets nothing early. When it is full, nobody is told that an attempt is
// unknown.
func TestFenceIsBounded(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { return nil })
		for attempt := int64(1); attempt <= fence.MaxFenced; attempt++ {
			if err := h.r.fence.Add(attempt, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if known, err := h.r.Knows(t.Context(), fence.MaxFenced+1); known || !job.Is(err, job.Unavailable) {
			t.Errorf("one more: known %t, %v", known, err)
		}
		if known, err := h.r.Knows(t.Context(), 1); known || err != nil {
			t.Errorf("one that is fenced: known %t, %v", known, err)
		}
		if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Refused) {
			t.Errorf("the first one: %v", err)
		}
		h.accept(task(fence.MaxFenced+1, 5, "it"))
		time.Sleep(2 * fence.FenceFor)
		if known, err := h.r.Knows(t.Context(), fence.MaxFenced+2); known || err != nil {
			t.Errorf("later: known %t, %v", known, err)
		}
	})
}
