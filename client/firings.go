package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
)

// FiringQuery selects firings of a job. The zero query selects the next 20.
type FiringQuery struct {
	From     time.Time // firings after this instant; zero means now
	Count    int       // 1..1,000, with those that are dropped. Defaults to 20.
	Language string    // of the sentence: "en" or "zh". Defaults to "en".
}

// Firings returns what the schedule of a job does next, started or not.
func (c *Client) Firings(ctx context.Context, key string, q FiringQuery) (api.FiringList, error) {
	var list api.FiringList
	path, err := jobPath(key)
	if err != nil {
		return list, err
	}
	query := c.space()
	if !q.From.IsZero() {
		query.Set("from", api.At(q.From).String())
	}
	if q.Count > 0 {
		query.Set("count", strconv.Itoa(q.Count))
	}
	setNonEmpty(query, "language", q.Language)
	err = c.doRequest(ctx, http.MethodGet, path+"/firings", query, nil, &list)
	return list, err
}

// TimelineQuery selects jobs and a time. The zero query selects the firings of the client's
// namespace in the next day.
type TimelineQuery struct {
	// AllNamespaces asks for the jobs of all namespaces that the caller may see, of
	// one namespace after the other.
	AllNamespaces bool
	Namespace     string    // empty means the client's
	Group         string    // the key of a group; empty means all
	From, Until   time.Time // zero means now, and a day after From; at most 48 hours apart
	After         string    // only jobs after this one: Next of the page before
	Limit         int       // of jobs, at most 200. Defaults to 100.
}

// Timeline returns when the started jobs of a namespace fire by their
// schedules, counted by minutes, in order of key. Kinds: Invalid.
func (c *Client) Timeline(ctx context.Context, q TimelineQuery) (api.Timeline, error) {
	var line api.Timeline
	query := c.space()
	switch {
	case q.AllNamespaces:
		query = url.Values{}
	case q.Namespace != "":
		query.Set("namespace", q.Namespace)
	}
	if !q.From.IsZero() {
		query.Set("from", api.At(q.From).String())
	}
	if !q.Until.IsZero() {
		query.Set("until", api.At(q.Until).String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	setNonEmpty(query, "group", q.Group)
	setNonEmpty(query, "after", q.After)
	err := c.doRequest(ctx, http.MethodGet, prefix+"/timeline", query, nil, &line)
	return line, err
}

// FiringsOf returns what a schedule would do that no job has. Calendars are
// those of the client's namespace.
func (c *Client) FiringsOf(ctx context.Context, q api.FiringQuestion) (api.FiringList, error) {
	var list api.FiringList
	err := c.doRequest(ctx, http.MethodPost, prefix+"/firings", c.space(), q, &list)
	return list, err
}
