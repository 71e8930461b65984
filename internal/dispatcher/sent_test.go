package dispatcher

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// What was sent is remembered, as its row is, until it is over or did not arrive.
func TestSentIsRemembered(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{
		"accepted": nil, "no answer": job.Errorf(job.Ambiguous, "timeout"), "not delivered": job.Errorf(job.Unreachable, "refused"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				var during waiting.Sent
				var known bool
				w.change(func() {
					w.answer = func(_ string, task job.Task) (time.Duration, error) {
						during, known = d.Sent(task.AttemptID)
						return 0, answer
					}
				})
				r := w.add(time.Now(), 15*time.Second)
				d.Take([]job.Run{r})
				pass(acceptDelay / 2)
				a := during.Attempt
				if !known || a.RunID != r.ID || a.State != job.Dispatched || during.Run.State != job.Dispatched ||
					during.Run.AttemptID != a.ID || during.Run.Tries != 1 || !during.Run.ReadyAt.IsZero() || during.Job.ID != theJob {
					t.Errorf("while it is sent: %+v, %v", during, known)
				}
				after, known := d.Sent(a.ID)
				switch name {
				case "accepted":
					if !known || after.Attempt.State != job.Running || after.Run.State != job.Running || after.Attempt.AcceptedAt.IsZero() {
						t.Errorf("after the answer: %+v, %v", after, known)
					}
					if during.Attempt.State != job.Dispatched {
						t.Error("what was returned has changed")
					}
				case "no answer":
					if !known || after.Attempt.State != job.Dispatched || !after.Attempt.AcceptedAt.IsZero() {
						t.Errorf("without an answer: %+v, %v", after, known)
					}
				default:
					if known {
						t.Errorf("it did not arrive, and is remembered: %+v", after)
					}
				}
				d.Over(a.ID)
				if _, known := d.Sent(a.ID); known {
					t.Error("it is over, and is remembered")
				}
			})
		})
	}
}

// Memory is bounded: the oldest are forgotten.
func TestSentIsBounded(t *testing.T) {
	t.Parallel()
	s := waiting.NewSentLately()
	const more = 100
	for id := range int64(waiting.SentKept + more) {
		s.Add([]*waiting.HeldRun{{Attempt: job.Attempt{ID: id + 1}}})
	}
	if len(s.Known) != waiting.SentKept || s.Known[more] != nil || s.Known[more+1] == nil || s.Known[waiting.SentKept+more] == nil {
		t.Errorf("%d are remembered", len(s.Known))
	}
	for id := range int64(waiting.SentKept + more) {
		s.Forget(id + 1)
	}
	if len(s.Known) != 0 || len(s.Order) != waiting.SentKept {
		t.Errorf("%d are remembered, %d places", len(s.Known), len(s.Order))
	}
}
