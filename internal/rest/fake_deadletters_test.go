package rest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

func aLetter() job.DeadLetter {
	return job.DeadLetter{
		RunID: 12, JobID: 7, JobKey: "report", Namespace: "default", Group: "reports", State: job.TimedOut, Cause: job.CauseSchedule,
		PlannedAt: instant, Tries: 3, EndedAt: instant.Add(time.Minute), Message: "too slow", Reason: "gave up after 2 retries",
		Status: job.LetterOpen,
	}
}

func (f *fake) DeadLetter(_ context.Context, run int64) (job.DeadLetter, error) {
	if run == 404 {
		return job.DeadLetter{}, job.NoDeadLetter(run)
	}
	return aLetter(), f.note("dead letter %d", run)
}

func (f *fake) DeadLetters(_ context.Context, q catalog.LetterQuery) ([]job.DeadLetter, error) {
	return f.letters, f.note("dead letters %s", queryText(&q))
}

func (f *fake) RankLetters(_ context.Context, q catalog.LetterQuery) (catalog.RankedLetters, error) {
	mark := "the beginning"
	if q.Mark != nil {
		mark = fmt.Sprintf("%+v", *q.Mark)
	}
	found := catalog.RankedLetters{Letters: f.letters, More: true, Since: instant}
	for _, d := range f.letters {
		found.Marks = append(found.Marks, catalog.LetterMark{Value: 7, Text: "report default", ID: d.RunID, Top: 99, Floor: 3})
	}
	return found, f.note("dead letters %s by %s, down %t, from %s", queryText(&q), q.Order.By, q.Order.Down, mark)
}

func (f *fake) Redrive(_ context.Context, run int64, param *string, _ int64) (job.Run, error) {
	text := "its own"
	if param != nil {
		text = fmt.Sprintf("%q", *param)
	}
	r := aRun()
	r.Cause, r.CauseID = job.CauseRedrive, run
	return r, f.note("redrive %d with %s", run, text)
}

func (f *fake) CloseLetter(_ context.Context, run int64, reason string) (job.DeadLetter, error) {
	d := aLetter()
	d.Status, d.ClosedAt, d.ClosedReason = job.LetterClosed, instant.Add(time.Hour), reason
	return d, f.note("close %d because %q", run, reason)
}

func (f *fake) RedriveAll(_ context.Context, l catalog.Letters, how catalog.Redriving) ([]catalog.Settled, bool, error) {
	spacing, param := "the default", "their own"
	if how.Spacing != nil {
		spacing = how.Spacing.String()
	}
	if how.Param != nil {
		param = fmt.Sprintf("%q", *how.Param)
	}
	return []catalog.Settled{
		{Letter: aLetter(), Run: 40, ReadyAt: instant},
		{Letter: job.DeadLetter{RunID: 404}, Err: job.NoDeadLetter(404)},
	}, true, f.note("redrive %s with %s, %s apart, dry %v", lettersText(l), param, spacing, how.DryRun)
}

func (f *fake) CloseAll(_ context.Context, l catalog.Letters, reason string, dry bool) ([]catalog.Settled, bool, error) {
	return []catalog.Settled{{Letter: aLetter()}}, false, f.note("close %s because %q, dry %v", lettersText(l), reason, dry)
}

func lettersText(l catalog.Letters) string {
	if l.Of == nil {
		return fmt.Sprint(l.Runs)
	}
	return "of " + queryText(l.Of)
}

func queryText(q *catalog.LetterQuery) string {
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

// deadRun is a catalog whose runs have failed.
type deadRun struct{ *fake }

func (d deadRun) Run(_ context.Context, id int64) (job.Run, error) {
	return job.Run{ID: id, JobID: 7, Cause: job.CauseSchedule, State: job.Failed, CreatedAt: instant}, nil
}

// fullDisk is a catalog that gets stuck on the way.
type fullDisk struct{ *fake }

func (fullDisk) RedriveAll(context.Context, catalog.Letters, catalog.Redriving) ([]catalog.Settled, bool, error) {
	err := job.Errorf(job.Unavailable, "the disk is full")
	return []catalog.Settled{
		{Letter: aLetter(), Run: 40},
		{Letter: aLetter(), Err: job.NoDeadLetter(12)},
		{Letter: aLetter(), Err: err},
		{Letter: aLetter(), Err: err},
		{Letter: aLetter(), Err: err},
	}, false, nil
}
