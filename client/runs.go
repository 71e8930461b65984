package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// RunQuery selects runs. The zero query selects the newest of all namespaces.
type RunQuery struct {
	Job    string    // a job's key in the client's namespace; empty means all
	State  job.State // empty means all
	Shards bool      // shards too, which are left out else
	Before api.ID    // ids below this one: the Next of the page before
	Limit  int       // 1..1,000 per page. Defaults to 100.
}

// Run returns a run, or job.NotFound.
func (c *Client) Run(ctx context.Context, id api.ID) (api.Run, error) {
	var run api.Run
	err := c.call(ctx, http.MethodGet, runPath(id), nil, nil, &run)
	return run, err
}

// Runs returns a page of runs, the newest first.
func (c *Client) Runs(ctx context.Context, q RunQuery) (api.RunList, error) {
	query := c.space()
	set(query, "job", q.Job)
	set(query, "state", string(q.State))
	if q.Shards {
		query.Set("shards", "true")
	}
	if q.Before > 0 {
		query.Set("before", q.Before.String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.RunList
	err := c.call(ctx, http.MethodGet, prefix+"/runs", query, nil, &list)
	return list, err
}

// Attempts returns the attempts of a run, the first one first.
func (c *Client) Attempts(ctx context.Context, run api.ID) ([]api.Attempt, error) {
	var list api.AttemptList
	err := c.call(ctx, http.MethodGet, runPath(run)+"/attempts", nil, nil, &list)
	return list.Attempts, err
}

// CancelRun ends a run. The reason is kept with it; it may be empty. A run that
// waits is cancelled at once. One that was sent is stopping until its executor has
// reported the end: the call waits some seconds for that, and [Client.Wait] for as
// long as it takes. An executor that cannot be told is told again by the server. A
// run that is over is job.Conflict.
func (c *Client) CancelRun(ctx context.Context, id api.ID, reason string) (api.Run, error) {
	var run api.Run
	err := c.call(ctx, http.MethodPost, runPath(id)+"/cancel", nil, api.Cancel{Reason: reason}, &run)
	return run, err
}

// Log returns a page of the log of an attempt of a run, from line from on; 1 is
// the first line, attempt 0 the last attempt. Ask again with the page's Next.
func (c *Client) Log(ctx context.Context, run api.ID, attempt, from int) (api.LogPage, error) {
	query := url.Values{"attempt": {strconv.Itoa(attempt)}, "from": {strconv.Itoa(max(from, 1))}}
	var page api.LogPage
	err := c.call(ctx, http.MethodGet, runPath(run)+"/log", query, nil, &page)
	return page, err
}

// pace says how often Wait asks: first soon, then ever less often.
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
