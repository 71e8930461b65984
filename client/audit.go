package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
)

// AuditQuery selects lines of the audit. The zero query selects the newest 100.
type AuditQuery struct {
	Actor     string // a user's name; empty means all
	Operation string // an operation's id; empty means all
	Kind      string // of the object, such as job; empty means all
	Namespace string // of the object; empty means all
	Key       string // of the object, or its number; empty means all
	From      time.Time
	Until     time.Time
	After     api.ID // the Next of the page before
	Oldest    bool   // the oldest come first; else the newest
	Limit     int    // 1..1,000 per page. Defaults to 100.
}

// Audit returns a page of the audit log. It needs the right to administrate the server.
func (c *Client) Audit(ctx context.Context, q AuditQuery) (api.AuditList, error) {
	query := url.Values{}
	setNonEmpty(query, "actor", q.Actor)
	setNonEmpty(query, "operation", q.Operation)
	setNonEmpty(query, "kind", q.Kind)
	setNonEmpty(query, "namespace", q.Namespace)
	setNonEmpty(query, "key", q.Key)
	if !q.From.IsZero() {
		query.Set("from", api.At(q.From).String())
	}
	if !q.Until.IsZero() {
		query.Set("until", api.At(q.Until).String())
	}
	if q.After > 0 {
		query.Set("after", q.After.String())
	}
	if q.Oldest {
		query.Set("order", "oldest")
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.AuditList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/audit", query, nil, &list)
	return list, err
}

// PruneAudit removes the oldest lines of the audit, those from before an instant, at
// most 10,000 at once: while More is set there are more. A line with the digest of the
// last of them stays, so that the rest can still be checked.
func (c *Client) PruneAudit(ctx context.Context, before time.Time) (api.AuditPruned, error) {
	var pruned api.AuditPruned
	err := c.doRequest(ctx, http.MethodDelete, prefix+"/audit", url.Values{"before": {api.At(before).String()}}, nil, &pruned)
	return pruned, err
}
