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

// LetterQuery selects dead letters. The zero query selects the open ones of the
// newest runs of all namespaces.
type LetterQuery struct {
	Job       string // a job's key; empty means all
	Namespace string // empty means all; with Job, the client's
	Group     string // a group's key; empty means all
	State     job.State
	Status    string    // open, redriven, closed or all. Defaults to open.
	Since     time.Time // of runs that ended then or later
	Until     time.Time // of runs that ended before
	Text      string    // part of the message
	Before    api.ID    // runs below this one: the Next of the page before
	// Sort is created_at, ended_at, job or tries, with - before it the other way round.
	// Defaults to -created_at, the newest runs first; the pages of all others begin at
	// After, the After of the page before.
	Sort, After string
	Limit       int // 1..1,000 per page. Defaults to 100.
}

// DeadLetter returns the dead letter of a run, or job.NotFound.
func (c *Client) DeadLetter(ctx context.Context, run api.ID) (api.DeadLetter, error) {
	var d api.DeadLetter
	err := c.doRequest(ctx, http.MethodGet, letterPath(run), nil, nil, &d)
	return d, err
}

// DeadLetters returns a page of dead letters, those of the newest runs first or sorted.
func (c *Client) DeadLetters(ctx context.Context, q LetterQuery) (api.DeadLetterList, error) {
	if q.Job != "" && q.Namespace == "" {
		q.Namespace = c.namespace
	}
	query := url.Values{}
	setNonEmpty(query, "job", q.Job)
	setNonEmpty(query, "namespace", q.Namespace)
	setNonEmpty(query, "group", q.Group)
	setNonEmpty(query, "state", string(q.State))
	setNonEmpty(query, "status", q.Status)
	setNonEmpty(query, "text", q.Text)
	setNonEmpty(query, "sort", q.Sort)
	setNonEmpty(query, "after", q.After)
	if !q.Since.IsZero() {
		query.Set("since", api.At(q.Since).String())
	}
	if !q.Until.IsZero() {
		query.Set("until", api.At(q.Until).String())
	}
	if q.Before > 0 {
		query.Set("before", q.Before.String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.DeadLetterList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/dead-letters", query, nil, &list)
	return list, err
}

// Redrive creates a new run in the place of a dead one; a nil param keeps its parameter. It
// returns job.NotFound when the run is not a dead letter or its job was deleted,
// job.Conflict when it was redriven before: after job.Ambiguous the error of a second call
// names the run that the first one created.
func (c *Client) Redrive(ctx context.Context, run api.ID, param *string) (api.Run, error) {
	var made api.Run
	err := c.doOnce(ctx, letterPath(run)+"/redrive", nil, api.Redrive{Param: param}, &made)
	return made, err
}

// RedriveMany makes new runs in the place of many dead ones. Each succeeds or
// fails by itself: nil means that there is a result for each. A filter that names
// a job without a namespace means the client's.
func (c *Client) RedriveMany(ctx context.Context, r api.RedriveMany) (api.Settled, error) {
	var settled api.Settled
	r.Filter = c.filter(r.Filter)
	err := c.doOnce(ctx, prefix+"/dead-letters/redrive", nil, r, &settled)
	return settled, err
}

// CloseDeadLetter closes a dead letter: it was seen, and nothing is to be done.
// The reason is kept with it; it may be empty. job.Conflict when it was redriven.
func (c *Client) CloseDeadLetter(ctx context.Context, run api.ID, reason string) (api.DeadLetter, error) {
	var d api.DeadLetter
	err := c.doRequest(ctx, http.MethodPost, letterPath(run)+"/close", nil, api.Cancel{Reason: reason}, &d)
	return d, err
}

// CloseDeadLetters closes many dead letters; see [Client.RedriveMany].
func (c *Client) CloseDeadLetters(ctx context.Context, r api.CloseMany) (api.Settled, error) {
	var settled api.Settled
	r.Filter = c.filter(r.Filter)
	err := c.doRequest(ctx, http.MethodPost, prefix+"/dead-letters/close", nil, r, &settled)
	return settled, err
}

// filter returns the filter with the namespace of its job.
func (c *Client) filter(f *api.DeadLetterFilter) *api.DeadLetterFilter {
	if f == nil || f.Job == "" || f.Namespace != "" {
		return f
	}
	named := *f
	named.Namespace = c.namespace
	return &named
}

// letterPath returns the path of the dead letter of a run.
func letterPath(run api.ID) string { return prefix + "/dead-letters/" + run.String() }
