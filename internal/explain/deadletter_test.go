package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	dead := func(status job.LetterStatus, as int64) *job.DeadLetter {
		d := &job.DeadLetter{RunID: 12, State: job.Failed, Status: status, RedrivenRun: as, EndedAt: slot.Add(time.Minute)}
		if status == job.LetterClosed {
			d.ClosedAt, d.ClosedReason = slot.Add(time.Hour), "the source was empty."
		}
		return d
	}
	for _, c := range []struct {
		name  string
		alter func(*RunSnapshot)
		kind  Kind
		run   int64 // of the fact
		want  string
	}{
		{"open", func(s *RunSnapshot) { s.Dead = dead(job.LetterOpen, 0) }, KindDeadLetter, 0, "a new run can be made in its place"},
		{"redriven", func(s *RunSnapshot) { s.Dead = dead(job.LetterRedriven, 40) }, KindDeadLetter, 40, "run 40 was made in its place"},
		{"closed", func(s *RunSnapshot) { s.Dead = dead(job.LetterClosed, 0) }, KindDeadLetter, 0, "was closed: the source was empty"},
		{"redrive", func(s *RunSnapshot) {
			s.Run.Cause, s.Run.CauseID = job.CauseRedrive, 5
			s.Parent = &job.Run{ID: 5, State: job.TimedOut, Message: "too slow"}
		}, KindCause, 0, "in the place of run 5, which ran out of time: too slow"},
		{"redrive of a removed run", func(s *RunSnapshot) {
			s.Run.Cause, s.Run.CauseID = job.CauseRedrive, 5
		}, KindCause, 0, "in the place of run 5, which is not kept any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := firing(job.Failed)
			c.alter(&s)
			e := Run(s, now)
			sound(t, e)
			told := 0
			for _, f := range e.Facts {
				if f.Kind == c.kind {
					told++
					if !strings.Contains(f.Text, c.want) || f.Run != c.run || f.At.IsZero() {
						t.Errorf("%+v, want %s", f, c.want)
					}
				}
			}
			if told != 1 {
				t.Errorf("it is told %d times", told)
			}
		})
	}
	for _, f := range Run(firing(job.Failed), now).Facts {
		if f.Kind == KindDeadLetter {
			t.Errorf("a run without a dead letter: %+v", f)
		}
	}
}
