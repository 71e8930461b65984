package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/orthd/orth/api"
)

type noteKey struct{}

// WithNote returns a context whose calls add a note to the changes of jobs that they make:
// one line of at most 200 characters, kept with the revision. Calls that change no job do
// not send it.
func WithNote(ctx context.Context, note string) context.Context {
	return context.WithValue(ctx, noteKey{}, note)
}

// noted returns a query with the namespace and the note of ctx, for a call that changes
// a job.
func (c *Client) noted(ctx context.Context) url.Values {
	query := c.space()
	note, _ := ctx.Value(noteKey{}).(string)
	setNonEmpty(query, "note", note)
	return query
}

// RevisionQuery selects revisions of a job. The zero query selects the newest.
type RevisionQuery struct {
	Code   bool  // only those whose code is another one than before
	Before int64 // numbers below this one: the Next of the page before
	Limit  int   // 1..1,000 per page. Defaults to 50.
}

// Revisions returns a page of what the job was, the newest revision first; that of a
// job that was deleted too, for 30 days and as long as no other has its key.
func (c *Client) Revisions(ctx context.Context, key string, q RevisionQuery) (api.RevisionList, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.RevisionList{}, err
	}
	query := c.space()
	if q.Code {
		query.Set("changed", "code")
	}
	if q.Before > 0 {
		query.Set("before", strconv.FormatInt(q.Before, 10))
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.RevisionList
	err = c.doRequest(ctx, http.MethodGet, path+"/revisions", query, nil, &list)
	return list, err
}

// Revision returns the job as it was saved, or job.NotFound.
func (c *Client) Revision(ctx context.Context, key string, number int64) (api.SavedJob, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.SavedJob{}, err
	}
	var saved api.SavedJob
	err = c.doRequest(ctx, http.MethodGet, path+"/revisions/"+strconv.FormatInt(number, 10), c.space(), nil, &saved)
	return saved, err
}

// DiffRevisions returns what two revisions of the job differ in.
func (c *Client) DiffRevisions(ctx context.Context, key string, before, after int64) (api.RevisionDiff, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.RevisionDiff{}, err
	}
	path += "/revisions/" + strconv.FormatInt(before, 10) + "/diff/" + strconv.FormatInt(after, 10)
	var diff api.RevisionDiff
	err = c.doRequest(ctx, http.MethodGet, path, c.space(), nil, &diff)
	return diff, err
}

// RestoreJob restores the job to a revision, except for its key and whether it is enabled.
// A deleted job is created again, disabled. Kinds: those of UpdateJob, NotFound when the
// revision is not kept.
func (c *Client) RestoreJob(ctx context.Context, key string, wanted api.Restoring) (api.Job, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.Job{}, err
	}
	var j api.Job
	err = c.doOnce(ctx, path+"/restore", c.noted(ctx), wanted, &j)
	return j, err
}
