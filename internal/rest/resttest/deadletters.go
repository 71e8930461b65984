package resttest

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/job"
)

// StoredLetter returns a dead letter.
func StoredLetter() job.DeadLetter {
	return job.DeadLetter{
		RunID: 12, JobID: 7, JobKey: "report", Namespace: "default", Group: "reports", State: job.TimedOut, Cause: job.CauseSchedule,
		PlannedAt: Instant, Tries: 3, EndedAt: Instant.Add(time.Minute), Message: "too slow", Reason: "gave up after 2 retries",
		Status: job.LetterOpen,
	}
}

// DeadLetter implements LetterReader.
func (f *Fake) DeadLetter(_ context.Context, run int64) (job.DeadLetter, error) {
	if run == 404 {
		return job.DeadLetter{}, job.NoDeadLetter(run)
	}
	return StoredLetter(), f.Note("dead letter %d", run)
}

// DeadLetters implements LetterReader.
func (f *Fake) DeadLetters(_ context.Context, q deadletters.LetterQuery) ([]job.DeadLetter, error) {
	return f.Letters, f.Note("dead letters %s", queryText(&q))
}

// RankLetters implements LetterReader.
func (f *Fake) RankLetters(_ context.Context, q deadletters.LetterQuery) (deadletters.RankedLetters, error) {
	mark := "the beginning"
	if q.Mark != nil {
		mark = fmt.Sprintf("%+v", *q.Mark)
	}
	found := deadletters.RankedLetters{Letters: f.Letters, More: true, Since: Instant}
	for _, d := range f.Letters {
		found.Marks = append(found.Marks, deadletters.LetterMark{Value: 7, Text: "report default", ID: d.RunID, Top: 99, Floor: 3})
	}
	return found, f.Note("dead letters %s by %s, down %t, from %s", queryText(&q), q.Order.By, q.Order.Down, mark)
}

// Redrive implements LetterSettler.
func (f *Fake) Redrive(_ context.Context, run int64, param *string, _ int64) (job.Run, error) {
	text := "its own"
	if param != nil {
		text = fmt.Sprintf("%q", *param)
	}
	r := StoredRun()
	r.Cause, r.CauseID = job.CauseRedrive, run
	return r, f.Note("redrive %d with %s", run, text)
}

// CloseLetter implements LetterSettler.
func (f *Fake) CloseLetter(_ context.Context, run int64, reason string) (job.DeadLetter, error) {
	d := StoredLetter()
	d.Status, d.ClosedAt, d.ClosedReason = job.LetterClosed, Instant.Add(time.Hour), reason
	return d, f.Note("close %d because %q", run, reason)
}

// RedriveAll implements LettersSettler.
func (f *Fake) RedriveAll(_ context.Context, l deadletters.Letters, how deadletters.Redriving) ([]deadletters.Settled, bool, error) {
	spacing, param := "the default", "their own"
	if how.Spacing != nil {
		spacing = how.Spacing.String()
	}
	if how.Param != nil {
		param = fmt.Sprintf("%q", *how.Param)
	}
	return []deadletters.Settled{
		{Letter: StoredLetter(), Run: 40, ReadyAt: Instant},
		{Letter: job.DeadLetter{RunID: 404}, Err: job.NoDeadLetter(404)},
	}, true, f.Note("redrive %s with %s, %s apart, dry %v", lettersText(l), param, spacing, how.DryRun)
}

// CloseAll implements LettersSettler.
func (f *Fake) CloseAll(_ context.Context, l deadletters.Letters, reason string, dry bool) ([]deadletters.Settled, bool, error) {
	return []deadletters.Settled{{Letter: StoredLetter()}}, false, f.Note("close %s because %q, dry %v", lettersText(l), reason, dry)
}

func lettersText(l deadletters.Letters) string {
	if l.Of == nil {
		return fmt.Sprint(l.Runs)
	}
	return "of " + queryText(l.Of)
}

func queryText(q *deadletters.LetterQuery) string {
	bound := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.UTC().Format(time.RFC3339)
	}
	oldest := ""
	if q.Oldest {
		oldest = fmt.Sprintf(", the oldest after %d", q.AfterRun)
	}
	return fmt.Sprintf("%s/%s group %q state %q status %q from %s to %s text %q before %d, %d", q.Namespace, q.Job, q.Group, q.State,
		q.Status, bound(q.Since), bound(q.Until), q.Text, q.BeforeRun, q.Limit) + oldest
}

// DeadRun is a catalog whose runs have failed.
type DeadRun struct{ *Fake }

// Run implements RunReader.
func (d DeadRun) Run(_ context.Context, id int64) (job.Run, error) {
	return job.Run{ID: id, JobID: 7, Cause: job.CauseSchedule, State: job.Failed, CreatedAt: Instant}, nil
}

// FullDisk is a catalog that gets stuck on the way.
type FullDisk struct{ *Fake }

// RedriveAll implements LettersSettler.
func (FullDisk) RedriveAll(context.Context, deadletters.Letters, deadletters.Redriving) ([]deadletters.Settled, bool, error) {
	err := job.Errorf(job.Unavailable, "the disk is full")
	return []deadletters.Settled{
		{Letter: StoredLetter(), Run: 40},
		{Letter: StoredLetter(), Err: job.NoDeadLetter(12)},
		{Letter: StoredLetter(), Err: err},
		{Letter: StoredLetter(), Err: err},
		{Letter: StoredLetter(), Err: err},
	}, false, nil
}
