package queries

import (
	"cmp"
	"context"
	"fmt"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Revisions finds jobs as users have saved them.
type Revisions interface {
	// JobIDOf returns the job that has the key, or else the last one deleted that had
	// it and has revisions, or NotFound.
	JobIDOf(ctx context.Context, namespace, key string) (id int64, deleted bool, err error)
	// Revisions returns those of a query, the newest first, without what was saved.
	Revisions(ctx context.Context, q jobrows.RevisionQuery) ([]job.Revision, error)
	// Revision returns one with what was saved, or NotFound.
	Revision(ctx context.Context, jobID, number int64) (job.Revision, error)
}

// Revisions returns the revisions of a job, or of the last one deleted that had the
// key when no job has it, the newest first. The JobID of the query is found here.
func (c *Catalog) Revisions(ctx context.Context, namespace, key string, q jobrows.RevisionQuery) ([]job.Revision, error) {
	id, _, err := c.config.Revisions.JobIDOf(ctx, cmp.Or(namespace, job.DefaultNamespace), key)
	if err != nil {
		return nil, err
	}
	q.JobID, q.Limit = id, jobrows.Page(q.Limit)
	return c.config.Revisions.Revisions(ctx, q)
}

// Revision returns a revision of a job with the saved job, as Revisions finds it. Children
// and a template that exist have their keys. alive reports whether the job exists.
func (c *Catalog) Revision(ctx context.Context, namespace, key string, number int64) (r job.Revision, alive bool, err error) {
	id, deleted, err := c.config.Revisions.JobIDOf(ctx, cmp.Or(namespace, job.DefaultNamespace), key)
	if err != nil {
		return job.Revision{}, false, err
	}
	if r, err = c.config.Revisions.Revision(ctx, id, number); err != nil {
		return r, false, err
	}
	j := &r.Job
	j.Schedule = jobrows.SpellOut(j.Schedule)
	if err := c.NameChildren(ctx, j.Children); err != nil {
		return r, false, err
	}
	if j.Template != 0 {
		found, err := c.config.Reader.JobsByID(ctx, []int64{j.Template})
		if err != nil {
			return r, false, fmt.Errorf("read the template %d: %w", j.Template, err)
		}
		if len(found) > 0 {
			j.TemplateKey = found[0].Key
		}
	}
	return r, !deleted, nil
}
