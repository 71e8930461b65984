package resttest

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// Log implements LogReader.
func (f *Fake) Log(_ context.Context, run int64, q queries.LogQuery) (job.LogPage, error) {
	page := job.LogPage{From: q.From, To: q.From + 1, Text: "one\ntwo\n"}
	if f.Lines != "" {
		page.Text = f.Lines
	}
	if q.From > 100 {
		page = job.LogPage{From: q.From, To: q.From - 1, End: true}
	}
	at := ""
	if !q.At.IsZero() {
		at = " at " + q.At.Format(time.RFC3339)
	}
	return page, f.Note("log %d attempt %d from %d tail %d limit %d%s", run, q.Attempt, q.From, q.Tail, q.Limit, at)
}

// FollowLog shows what the fake is told to, and then ends, or waits for the end of
// its context.
func (f *Fake) FollowLog(ctx context.Context, run int64, follow queries.LogFollow, viewer queries.LogViewer) error {
	if err := f.Note("follow %d %+v", run, follow); err != nil {
		return err
	}
	if err := viewer.Begin(job.Attempt{ID: 99, Number: 1, Address: "http://10.0.0.1:9999"}); err != nil {
		return err
	}
	if err := viewer.Lines(job.LogPage{From: 1, To: 2, Text: "one\ntwo\x00\n"}); err != nil {
		return err
	}
	if f.Follows != nil {
		close(f.Follows)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	r := StoredRun()
	r.State = job.Succeeded
	return viewer.End(r)
}

// SearchLog implements LogSearcher.
func (f *Fake) SearchLog(_ context.Context, run int64, attempt int, q job.LogSearch) (job.LogHits, error) {
	return job.LogHits{
		Hits: []job.LogHit{{Run: run, Attempt: 99, Number: 1, Line: 7, Text: "a\x07", Before: []string{"b\x00"}, After: []string{"c"}}},
		Next: 8, Note: "enough", Lines: 9, Logs: 1,
	}, f.Note("search %d attempt %d %+v", run, attempt, q)
}

// SearchJobLogs implements LogSearcher.
func (f *Fake) SearchJobLogs(_ context.Context, namespace, key string, q job.JobLogSearch) (job.LogHits, error) {
	return job.LogHits{Complete: true}, f.Note("search %s/%s %+v", namespace, key, q)
}
