package dispatcher

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Limits of the job cache; the first one reached applies.
const (
	cachedJobs  = 20_000
	cachedBytes = 64 << 20 // scripts and parameters
)

// jobCache caches jobs by id, up to a number and a size; then it starts empty again. An
// entry older than the run that needs it is read again: the run's row names the minimum
// version. A job that follows a template has the template's code: a change of a template
// gives the job, and its waiting runs, a new version.
type jobCache struct {
	source Jobs
	known  map[int64]*job.Job
	bytes  int // of the known jobs
}

func newJobCache(source Jobs) *jobCache {
	return &jobCache{source: source, known: make(map[int64]*job.Job)}
}

// loadJobs sets each item's job, nil when it does not exist any more.
func (c *jobCache) loadJobs(ctx context.Context, items []*item) error {
	if missing := c.missing(items); len(missing) > 0 {
		jobs, err := c.source.JobsByID(ctx, missing)
		if err != nil {
			return fmt.Errorf("read %s: %w", plural.Count(len(missing), "job"), err)
		}
		if err := c.inherit(ctx, jobs); err != nil {
			return err
		}
		for _, id := range missing {
			c.forget(id)
		}
		for i := range jobs {
			c.store(&jobs[i])
		}
	}
	for _, it := range items {
		it.job = c.known[it.run.JobID]
	}
	if len(c.known) > cachedJobs || c.bytes > cachedBytes {
		clear(c.known) // the items keep what they need
		c.bytes = 0
	}
	return nil
}

// inherit copies the code of templates to the jobs that follow them. The templates are read
// after the jobs, so that a job of a new version never gets the old code. A job without its
// template, which the store prevents, has no code: its executor reports that.
func (c *jobCache) inherit(ctx context.Context, jobs []job.Job) error {
	handlers := make(map[int64]job.Handler)
	var templates []int64
	for i := range jobs {
		id := jobs[i].Template
		if _, asked := handlers[id]; !follows(&jobs[i]) || asked {
			continue
		}
		handlers[id] = job.Handler{}
		templates = append(templates, id)
	}
	if len(templates) == 0 {
		return nil
	}
	found, err := c.source.JobsByID(ctx, templates)
	if err != nil {
		return fmt.Errorf("read %s: %w", plural.Count(len(templates), "template"), err)
	}
	for i := range found {
		handlers[found[i].ID] = found[i].Handler
	}
	for i := range jobs {
		if follows(&jobs[i]) {
			jobs[i].Handler = handlers[jobs[i].Template]
		}
	}
	return nil
}

// follows reports whether the job runs the current code of its template; a job that pins a
// version has a copy of it.
func follows(j *job.Job) bool { return j.Template != 0 && j.TemplateVersion == 0 }

// missing returns the jobs to read, each once.
func (c *jobCache) missing(items []*item) []int64 {
	var missing []int64
	var asked map[int64]struct{}
	for _, it := range items {
		id := it.run.JobID
		if j, ok := c.known[id]; ok && j.Version >= it.run.JobVersion {
			continue
		}
		if _, ok := asked[id]; ok {
			continue
		}
		if asked == nil {
			asked = make(map[int64]struct{})
		}
		asked[id] = struct{}{}
		missing = append(missing, id)
	}
	return missing
}

func (c *jobCache) store(j *job.Job) {
	c.forget(j.ID)
	c.known[j.ID] = j
	c.bytes += weight(j)
}

func (c *jobCache) forget(id int64) {
	if j, ok := c.known[id]; ok {
		c.bytes -= weight(j)
		delete(c.known, id)
	}
}

func weight(j *job.Job) int { return len(j.Handler.Source) + len(j.Param) }
