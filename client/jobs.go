package client

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// JobQuery selects jobs. The zero query selects all of the namespace.
type JobQuery struct {
	Group   string // a group's key; empty means all
	Enabled *bool  // nil means all
	Kind    string // of the schedule; empty means all
	Handler string // the name of a handler, or the kind of a script; empty means all
	// Labels are keys of labels, or key=value, at most 8: jobs have all of them, or one
	// when AnyLabel is set.
	Labels   []string
	AnyLabel bool
	Owner    string // the value of the label owner; empty means all
	Calendar string // the key of a calendar that the schedule names; empty means all
	Template string // the key of the job whose code they run; empty means all
	Status   string // started, stopped, gave_up or held; empty means all
	Text     string // part of the key or the title; empty means all
	// AllNamespaces lists those of all namespaces that the caller may see.
	AllNamespaces bool
	Last          job.State // how the last run that is over has ended; empty means all
	// Sort is key, title, next_at, updated_at or last_ended_at, with - before it the
	// other way round. Defaults to key.
	Sort   string
	Recent bool   // include recent runs: the Activity of [api.Job]
	After  string // the Next of the page before; in order of key, any key
	Limit  int    // 1..1,000 per page, 1..100 with Recent. Defaults to 100.
}

// CreateJob creates the job in its namespace, or in the client's when it names
// none. Kinds: Invalid with the field at fault, Conflict when the key is taken.
func (c *Client) CreateJob(ctx context.Context, j api.NewJob) (api.Job, error) {
	var made api.Job
	err := c.doOnce(ctx, prefix+"/jobs", c.noted(ctx), j, &made)
	return made, err
}

// Job returns a job, or job.NotFound.
func (c *Client) Job(ctx context.Context, key string) (api.Job, error) {
	return c.doJobAction(ctx, http.MethodGet, key, "")
}

// JobFacets returns the groups, labels, handlers and owners of the jobs of the namespace.
func (c *Client) JobFacets(ctx context.Context) (api.JobFacets, error) {
	var found api.JobFacets
	err := c.doRequest(ctx, http.MethodGet, prefix+"/job-facets", c.space(), nil, &found)
	return found, err
}

// AllJobFacets is JobFacets for the jobs of all namespaces that the caller may see.
func (c *Client) AllJobFacets(ctx context.Context) (api.JobFacets, error) {
	var found api.JobFacets
	err := c.doRequest(ctx, http.MethodGet, prefix+"/job-facets", everySpace(), nil, &found)
	return found, err
}

// Jobs returns a page of jobs, in order of key or sorted.
func (c *Client) Jobs(ctx context.Context, q JobQuery) (api.JobList, error) {
	query := c.space()
	if q.AllNamespaces {
		query = everySpace()
	}
	setNonEmpty(query, "group", q.Group)
	if q.Enabled != nil {
		query.Set("enabled", strconv.FormatBool(*q.Enabled))
	}
	setNonEmpty(query, "kind", q.Kind)
	setNonEmpty(query, "handler", q.Handler)
	for _, label := range q.Labels {
		query.Add("label", label)
	}
	if q.AnyLabel {
		query.Set("label_mode", "any")
	}
	setNonEmpty(query, "owner", q.Owner)
	setNonEmpty(query, "calendar", q.Calendar)
	setNonEmpty(query, "template", q.Template)
	setNonEmpty(query, "status", q.Status)
	setNonEmpty(query, "sort", q.Sort)
	if q.Recent {
		query.Set("with", "recent")
	}
	setNonEmpty(query, "text", q.Text)
	setNonEmpty(query, "last", string(q.Last))
	setNonEmpty(query, "after", q.After)
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.JobList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/jobs", query, nil, &list)
	return list, err
}

// BulkJobs does one thing to many jobs of the namespace; each succeeds or fails by
// itself. After job.Ambiguous it was done to some.
func (c *Client) BulkJobs(ctx context.Context, wanted api.JobBulk) (api.Done, error) {
	var done api.Done
	err := c.doOnce(ctx, prefix+"/jobs/bulk", c.space(), wanted, &done)
	return done, err
}

// BulkJobsOfAll is BulkJobs for the jobs of all namespaces that the filter finds; keys
// are Invalid.
func (c *Client) BulkJobsOfAll(ctx context.Context, wanted api.JobBulk) (api.Done, error) {
	var done api.Done
	err := c.doOnce(ctx, prefix+"/jobs/bulk", everySpace(), wanted, &done)
	return done, err
}

// UpdateJob changes the job: patch is a JSON merge patch (RFC 7396) of the fields of
// [api.NewJob]. Absent fields stay as they are, and nil gives a field its default. A
// version of 0 accepts any version of the job. Kinds: Invalid with the field at fault,
// Conflict when the job has another version, or its new key is taken.
func (c *Client) UpdateJob(ctx context.Context, key string, version int64, patch map[string]any) (api.Job, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.Job{}, err
	}
	body := make(map[string]any, len(patch)+1)
	maps.Copy(body, patch)
	if version != 0 {
		body["version"] = version
	}
	var j api.Job
	err = c.doRequest(ctx, http.MethodPatch, path, c.noted(ctx), body, &j)
	return j, err
}

// CopyJob makes copies of the job, all of them stopped, each of which succeeds or
// fails by itself. After job.Ambiguous there may be some.
func (c *Client) CopyJob(ctx context.Context, key string, wanted api.NewCopies) (api.Copies, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.Copies{}, err
	}
	var made api.Copies
	err = c.doOnce(ctx, path+"/copies", c.noted(ctx), wanted, &made)
	return made, err
}

// StartJob lets the job fire by its schedule. Starting a started job changes
// nothing.
func (c *Client) StartJob(ctx context.Context, key string) (api.Job, error) {
	return c.doJobAction(ctx, http.MethodPost, key, "/start")
}

// StopJob lets the job fire no more. Stopping a stopped job changes nothing.
func (c *Client) StopJob(ctx context.Context, key string) (api.Job, error) {
	return c.doJobAction(ctx, http.MethodPost, key, "/stop")
}

// DeleteJob deletes the job and cancels its waiting runs.
func (c *Client) DeleteJob(ctx context.Context, key string) error {
	path, err := jobPath(key)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path, c.noted(ctx), nil, nil)
}

// Trigger makes a run of the job, started or not: now, or after the delay that t
// names. After job.Ambiguous the run may exist.
func (c *Client) Trigger(ctx context.Context, key string, t api.Trigger) (api.Run, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.Run{}, err
	}
	var run api.Run
	err = c.doOnce(ctx, path+"/trigger", c.space(), t, &run)
	return run, err
}

// doJobAction makes a request about one job that has no body and answers with the job.
func (c *Client) doJobAction(ctx context.Context, method, key, action string) (api.Job, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.Job{}, err
	}
	query := c.space()
	if method != http.MethodGet {
		query = c.noted(ctx)
	}
	var j api.Job
	err = c.doRequest(ctx, method, path+action, query, nil, &j)
	return j, err
}

// jobPath returns the path of a job; a key that no job can have goes nowhere.
func jobPath(key string) (string, error) {
	if err := job.CheckKey("key", key); err != nil {
		return "", err
	}
	return prefix + "/jobs/" + url.PathEscape(key), nil
}

// space returns a query with the namespace.
func (c *Client) space() url.Values { return url.Values{"namespace": {c.namespace}} }

// everySpace returns a query for all namespaces, of operations that take the star.
func everySpace() url.Values { return url.Values{"namespace": {"*"}} }

// setNonEmpty sets a value that is not empty.
func setNonEmpty(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}
