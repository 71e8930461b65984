package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// RunQuery selects runs. The zero query selects the newest of all namespaces.
type RunQuery struct {
	Job       string // a job's key in Namespace; empty means all
	Namespace string // empty means the client's for Job, and all without it
	Group     string // a group's key; empty means all
	State     job.State
	States    []job.State // in addition to State; neither means all
	Cause     job.Cause   // empty means all
	CauseID   api.ID      // what caused the run: a run, or a backfill; zero means all
	// The spans of when runs were made, of their slots and of their ends: Since is
	// included, Until is not, and zero bounds nothing.
	CreatedSince, CreatedUntil time.Time
	PlannedSince, PlannedUntil time.Time
	EndedSince, EndedUntil     time.Time
	Executor                   string // the base URL of the one with the current or last attempt; empty means all
	Label                      string // of the job: the key of a label, or key=value; empty means all
	By                         string // the user who requested it; empty means all
	Text                       string // part of the message or the reason; empty means all
	// Late selects runs of schedules that started so long after they were planned, or
	// still wait; MinDuration and MaxDuration bound what passed since the first start.
	Late, MinDuration, MaxDuration time.Duration
	MinTries, MaxTries             int    // attempts; zero bounds nothing
	Shards                         bool   // shards too, which are left out else
	Before                         api.ID // ids below this one: the Next of the page before
	// Sort is planned_at, started_at, ended_at, duration or tries, with - in front for
	// descending, and After the After of the page before. Defaults to the newest first; its
	// pages continue at Before.
	Sort, After string
	Limit       int // 1..1,000 per page. Defaults to 100.
}

// values returns the query as the API takes it.
func (q *RunQuery) values(namespace string) url.Values {
	query := url.Values{}
	setNonEmpty(query, "job", q.Job)
	if q.Job != "" && q.Namespace == "" {
		query.Set("namespace", namespace)
	}
	setNonEmpty(query, "namespace", q.Namespace)
	setNonEmpty(query, "group", q.Group)
	states := q.States
	if q.State != "" {
		states = append([]job.State{q.State}, states...)
	}
	words := make([]string, len(states))
	for i, state := range states {
		words[i] = string(state)
	}
	setNonEmpty(query, "state", strings.Join(words, ","))
	setNonEmpty(query, "cause", string(q.Cause))
	if q.CauseID > 0 {
		query.Set("cause_id", q.CauseID.String())
	}
	for name, at := range map[string]time.Time{
		"created_since": q.CreatedSince, "created_until": q.CreatedUntil, "planned_since": q.PlannedSince,
		"planned_until": q.PlannedUntil, "ended_since": q.EndedSince, "ended_until": q.EndedUntil,
	} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	for name, text := range map[string]string{
		"executor": q.Executor, "label": q.Label, "by": q.By, "text": q.Text, "sort": q.Sort, "after": q.After,
	} {
		setNonEmpty(query, name, text)
	}
	for name, d := range map[string]time.Duration{"late": q.Late, "min_duration": q.MinDuration, "max_duration": q.MaxDuration} {
		if d > 0 {
			query.Set(name, d.String())
		}
	}
	for name, n := range map[string]int{"min_tries": q.MinTries, "max_tries": q.MaxTries} {
		if n > 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
	if q.Shards {
		query.Set("shards", "true")
	}
	if q.Before > 0 {
		query.Set("before", q.Before.String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return query
}

// Run returns a run, or job.NotFound.
func (c *Client) Run(ctx context.Context, id api.ID) (api.Run, error) {
	var run api.Run
	err := c.doRequest(ctx, http.MethodGet, runPath(id), nil, nil, &run)
	return run, err
}

// Runs returns a page of runs, the newest first or sorted. One without runs may have a
// Next.
func (c *Client) Runs(ctx context.Context, q RunQuery) (api.RunList, error) {
	var list api.RunList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/runs", q.values(c.namespace), nil, &list)
	return list, err
}

// Rerun makes a run of the same job for the same slot, with another parameter when
// param is not nil. Kinds: Conflict while the run is not over, NotFound when it or its
// job is gone.
func (c *Client) Rerun(ctx context.Context, id api.ID, param *string) (api.Run, error) {
	var run api.Run
	err := c.doOnce(ctx, runPath(id)+"/rerun", nil, api.Rerun{Param: param}, &run)
	return run, err
}

// BulkRuns does one thing to many runs; each succeeds or fails by itself. After
// job.Ambiguous it was done to some.
func (c *Client) BulkRuns(ctx context.Context, wanted api.RunBulk) (api.Done, error) {
	var done api.Done
	err := c.doOnce(ctx, prefix+"/runs/bulk", nil, wanted, &done)
	return done, err
}

// Attempt returns an attempt, whatever run it is of, or job.NotFound.
func (c *Client) Attempt(ctx context.Context, id api.ID) (api.Attempt, error) {
	var a api.Attempt
	err := c.doRequest(ctx, http.MethodGet, prefix+"/attempts/"+id.String(), nil, nil, &a)
	return a, err
}

// Attempts returns the attempts of a run, the first one first.
func (c *Client) Attempts(ctx context.Context, run api.ID) ([]api.Attempt, error) {
	var list api.AttemptList
	err := c.doRequest(ctx, http.MethodGet, runPath(run)+"/attempts", nil, nil, &list)
	return list.Attempts, err
}

// CancelRun cancels a run. The reason is kept with it; it may be empty. A waiting run is
// cancelled at once. A run that was sent is stopping until its executor has reported the
// end: the call waits some seconds for that, and [Client.Wait] until it ends. The server
// repeats the request to an executor that it cannot reach. For a run that has ended the
// error is job.Conflict.
func (c *Client) CancelRun(ctx context.Context, id api.ID, reason string) (api.Run, error) {
	var run api.Run
	err := c.doRequest(ctx, http.MethodPost, runPath(id)+"/cancel", nil, api.Cancel{Reason: reason}, &run)
	return run, err
}

// pace is the interval at which Wait polls: short at first, then longer.
type pace struct{ first, last time.Duration }

// Wait returns the run when its state is final. A server that is away for a
// while does not end the wait; the end of ctx does.
func (c *Client) Wait(ctx context.Context, id api.ID) (api.Run, error) {
	for delay := c.pace.first; ; delay = min(2*delay, c.pace.last) {
		run, err := c.Run(ctx, id)
		if err == nil && run.Final || err != nil && !passing(err) {
			return run, err
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return run, context.Cause(ctx)
		}
	}
}

// passing reports whether asking again may help.
func passing(err error) bool {
	switch job.KindOf(err) {
	case job.Unavailable, job.Unreachable, job.Ambiguous, job.Full:
		return true
	default:
		return false
	}
}

// runPath returns the path of a run.
func runPath(id api.ID) string { return prefix + "/runs/" + id.String() }
