package waiting

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Jobs reads the jobs of runs.
type Jobs interface {
	// JobsByID returns the jobs that exist and are not deleted, in no
	// particular order, with Group filled.
	JobsByID(ctx context.Context, ids []int64) ([]job.Job, error)
}

// Limits of the job cache; the first one reached applies.
const (
	cachedJobs  = 20_000
	CachedBytes = 64 << 20 // scripts and parameters
)

// JobCache caches jobs by id, up to a number and a size; then it starts empty again. An
// entry older than the run that needs it is read again: the run's row names the minimum
// version. A job that follows a template has the template's code: a change of a template
// gives the job, and its waiting runs, a new version.
type JobCache struct {
	source Jobs
	Known  map[int64]*job.Job
	Bytes  int // of the known jobs
}

// NewJobCache returns an empty cache of the jobs of a source.
func NewJobCache(source Jobs) *JobCache {
	return &JobCache{source: source, Known: make(map[int64]*job.Job)}
}

// LoadJobs sets each item's job, nil when it does not exist any more.
func (c *JobCache) LoadJobs(ctx context.Context, items []*HeldRun) error {
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
			c.Store(&jobs[i])
		}
	}
	for _, it := range items {
		it.Job = c.Known[it.Run.JobID]
	}
	if len(c.Known) > cachedJobs || c.Bytes > CachedBytes {
		clear(c.Known) // the items keep what they need
		c.Bytes = 0
	}
	return nil
}

// inherit copies the code of templates to the jobs that follow them. The templates are read
// after the jobs, so that a job of a new version never gets the old code. A job without its
// template, which the store prevents, has no code: its executor reports that.
func (c *JobCache) inherit(ctx context.Context, jobs []job.Job) error {
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
func (c *JobCache) missing(items []*HeldRun) []int64 {
	var missing []int64
	var asked map[int64]struct{}
	for _, it := range items {
		id := it.Run.JobID
		if j, ok := c.Known[id]; ok && j.Version >= it.Run.JobVersion {
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

// Store keeps a job in place of the version before.
func (c *JobCache) Store(j *job.Job) {
	c.forget(j.ID)
	c.Known[j.ID] = j
	c.Bytes += weight(j)
}

func (c *JobCache) forget(id int64) {
	if j, ok := c.Known[id]; ok {
		c.Bytes -= weight(j)
		delete(c.Known, id)
	}
}

func weight(j *job.Job) int { return len(j.Handler.Source) + len(j.Param) }
