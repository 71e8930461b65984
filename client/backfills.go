package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/orthd/orth/api"
)

// BackfillQuery selects backfills. The zero query selects the newest of all
// namespaces.
type BackfillQuery struct {
	Job       string // a job's key; empty means all
	Namespace string // empty means all; with Job, the client's
	Before    api.ID // ids below this one: the Next of the page before
	Limit     int    // 1..1,000 per page. Defaults to 100.
}

// CreateBackfill runs the job for the slots of a past time. With dryRun nothing is created:
// the answer, without an ID, has the number of slots. After job.Ambiguous the backfill may
// exist.
func (c *Client) CreateBackfill(ctx context.Context, key string, b api.NewBackfill, dryRun bool) (api.Backfill, error) {
	var made api.Backfill
	path, err := jobPath(key)
	if err != nil {
		return made, err
	}
	query := c.space()
	if dryRun {
		query.Set("dry_run", "true")
	}
	err = c.doOnce(ctx, path+"/backfills", query, b, &made)
	return made, err
}

// Backfill returns a backfill in its present state, or job.NotFound.
func (c *Client) Backfill(ctx context.Context, id api.ID) (api.Backfill, error) {
	var b api.Backfill
	err := c.doRequest(ctx, http.MethodGet, backfillPath(id), nil, nil, &b)
	return b, err
}

// Backfills returns a page of backfills, the newest first.
func (c *Client) Backfills(ctx context.Context, q BackfillQuery) (api.BackfillList, error) {
	if q.Job != "" && q.Namespace == "" {
		q.Namespace = c.namespace
	}
	query := url.Values{}
	setNonEmpty(query, "job", q.Job)
	setNonEmpty(query, "namespace", q.Namespace)
	if q.Before > 0 {
		query.Set("before", q.Before.String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.BackfillList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/backfills", query, nil, &list)
	return list, err
}

// CancelBackfill ends a backfill and cancels its runs that wait; runs that were
// sent go on. The reason is kept with it; it may be empty. A backfill that is
// over stays as it is.
func (c *Client) CancelBackfill(ctx context.Context, id api.ID, reason string) (api.Backfill, error) {
	var b api.Backfill
	err := c.doRequest(ctx, http.MethodPost, backfillPath(id)+"/cancel", nil, api.Cancel{Reason: reason}, &b)
	return b, err
}

// backfillPath returns the path of a backfill.
func backfillPath(id api.ID) string { return prefix + "/backfills/" + id.String() }
