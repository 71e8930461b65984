package queries

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
)

// Logs reads the logs of attempts, wherever their lines are.
type Logs interface {
	LogPages
	LogSearcher
	// Follow calls take with the lines from one on as they come, until no more will;
	// over is asked now and then whether the attempt has ended.
	Follow(ctx context.Context, a job.Attempt, group int64, from int,
		over func(context.Context) (bool, error), take func(job.LogPage) error) error
}

// LogPages reads logs page by page.
type LogPages interface {
	// Page returns up to limit lines from one on; a limit of 0 means as many as may
	// be.
	Page(ctx context.Context, a job.Attempt, group int64, from, limit int) (job.LogPage, error)
	// Tail returns the number of the first of the last n lines.
	Tail(ctx context.Context, a job.Attempt, n int) (int, error)
	// At returns the number of the first line written at or after an instant.
	At(ctx context.Context, a job.Attempt, at time.Time) (int, error)
}

// LogSearcher looks for lines.
type LogSearcher interface {
	// Search looks in the log of an attempt.
	Search(ctx context.Context, a job.Attempt, q job.LogSearch) (job.LogHits, error)
	// SearchJob looks in the logs of a job that pick wants, the newest first.
	SearchJob(ctx context.Context, q job.JobLogSearch,
		pick func(ctx context.Context, run, attempt int64) (job.Attempt, bool, error)) (job.LogHits, error)
}

// LogQuery selects lines of a run's log.
type LogQuery struct {
	Attempt int // the number of the attempt; 0 is the last one
	From    int // the first line; less than 1 means 1
	Limit   int // lines at most; 0 means as many as a page may have
	// Tail, when it is above 0, takes the place of From: so many lines from the end.
	Tail int
	// At, when it is not zero, takes the place of From: lines written since then.
	At time.Time
}

// Log returns lines of an attempt's log: stored ones, those in the server's memory, and
// when it has none, the executor's. End is set when nothing will follow: the attempt, or
// the run that has none, has ended and everything was read.
func (c *Catalog) Log(ctx context.Context, run int64, q LogQuery) (job.LogPage, error) {
	r, err := c.Run(ctx, run)
	if err != nil {
		return job.LogPage{}, err
	}
	q.From = max(q.From, 1)
	if r.AttemptID == 0 {
		return job.LogPage{From: q.From, To: q.From - 1, End: r.State.Final()}, nil
	}
	a, err := c.AttemptOf(ctx, r, q.Attempt)
	if err != nil {
		return job.LogPage{}, err
	}
	if a.Broadcast() {
		return signpost(&r, q.From), nil
	}
	switch {
	case q.Tail > 0:
		q.From, err = c.config.Logs.Tail(ctx, a, q.Tail)
	case !q.At.IsZero():
		q.From, err = c.config.Logs.At(ctx, a, q.At)
	}
	var page job.LogPage
	if err == nil {
		page, err = c.config.Logs.Page(ctx, a, r.GroupID, q.From, q.Limit)
	}
	if err != nil {
		return job.LogPage{}, fmt.Errorf("read the log of run %d, which ran on executor %s: %w", run, a.Address, err)
	}
	return page, nil
}

// SearchLog looks for lines in the log of an attempt of a run; number 0 is the last
// one. A run that was not tried has none.
func (c *Catalog) SearchLog(ctx context.Context, run int64, number int, q job.LogSearch) (job.LogHits, error) {
	r, err := c.Run(ctx, run)
	if err != nil {
		return job.LogHits{}, err
	}
	if r.AttemptID == 0 {
		return job.LogHits{Complete: true}, nil
	}
	a, err := c.AttemptOf(ctx, r, number)
	if err != nil {
		return job.LogHits{}, err
	}
	if a.Broadcast() {
		return job.LogHits{}, shardsAside(&r)
	}
	return c.config.Logs.Search(ctx, a, q)
}

// shardsAside names the places of the logs of a run that was split.
func shardsAside(r *job.Run) error {
	err := job.Errorf(job.Conflict, "run %d is split into shards, and each has a log of its own", r.ID)
	err.Hint = fmt.Sprintf("search those of 'orth run show %d'", r.ID)
	return err
}

// SearchJobLogs looks for lines in the logs of a job's runs, the newest first, as far
// as servers keep them. The job's id is found here.
func (c *Catalog) SearchJobLogs(ctx context.Context, namespace, key string, q job.JobLogSearch) (job.LogHits, error) {
	if q.State != "" && !q.State.Known() {
		return job.LogHits{}, job.FieldErrorf("state", "%q is unknown; use one of %v", q.State, job.States())
	}
	if !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until) {
		return job.LogHits{}, job.FieldErrorf("until", "is not behind since")
	}
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return job.LogHits{}, err
	}
	q.Job = j.ID
	return c.config.Logs.SearchJob(ctx, q, func(ctx context.Context, run, attempt int64) (job.Attempt, bool, error) {
		return c.pick(ctx, run, attempt, q.State)
	})
}

// pick returns an attempt of a run in a state; false when the run is in another one,
// or is gone.
func (c *Catalog) pick(ctx context.Context, run, attempt int64, state job.State) (job.Attempt, bool, error) {
	if state != "" {
		r, err := c.Run(ctx, run)
		if err != nil || r.State != state {
			return job.Attempt{}, false, ignoreMissing(err)
		}
	}
	attempts, err := c.config.RunReader.Attempts(ctx, run)
	if err != nil {
		return job.Attempt{}, false, ignoreMissing(err)
	}
	for _, a := range attempts {
		if a.ID == attempt {
			return a, true, nil
		}
	}
	return job.Attempt{}, false, nil
}

// ignoreMissing drops the error of a row that was removed since.
func ignoreMissing(err error) error {
	if job.Is(err, job.NotFound) {
		return nil
	}
	return err
}

// noLogs is for a catalog that is given none.
type noLogs struct{}

func (noLogs) err() error { return job.Errorf(job.Unavailable, "this server reads no logs") }

func (n noLogs) Page(context.Context, job.Attempt, int64, int, int) (job.LogPage, error) {
	return job.LogPage{}, n.err()
}

func (n noLogs) Tail(context.Context, job.Attempt, int) (int, error)     { return 0, n.err() }
func (n noLogs) At(context.Context, job.Attempt, time.Time) (int, error) { return 0, n.err() }

func (n noLogs) Follow(
	context.Context, job.Attempt, int64, int, func(context.Context) (bool, error), func(job.LogPage) error,
) error {
	return n.err()
}

func (n noLogs) Search(context.Context, job.Attempt, job.LogSearch) (job.LogHits, error) {
	return job.LogHits{}, n.err()
}

func (n noLogs) SearchJob(
	context.Context, job.JobLogSearch, func(context.Context, int64, int64) (job.Attempt, bool, error),
) (job.LogHits, error) {
	return job.LogHits{}, n.err()
}

// signpost is the log of a run that was split: it names the places of the logs.
func signpost(r *job.Run, from int) job.LogPage {
	if from > 1 {
		return job.LogPage{From: from, To: from - 1, End: r.State.Final()}
	}
	return job.LogPage{
		From: 1, To: 1,
		Text: fmt.Sprintf("run %d is split into shards, and each has a log of its own: 'orth run show %d' lists them\n", r.ID, r.ID),
	}
}
