package jobs

import (
	"context"
	"fmt"

	"github.com/orthd/orth/job"
)

// inherit determines the code of a job that replaces was, or that is new when was is nil. A
// job that follows its template has no code of its own: it runs the template's present code
// when it is sent. A job that pins a version of it has a copy. The store checks whether the
// template may be one.
//
// A job that leaves its template, and names no other code, continues with the code that it
// ran last.
func (c *Catalog) inherit(ctx context.Context, j, was *job.Job) error {
	if was == nil {
		was = &job.Job{}
	}
	if j.Template == 0 {
		return c.detach(ctx, j, was)
	}
	same := j.Template == was.Template && j.TemplateVersion == was.TemplateVersion
	switch {
	case j.Handler.Kind != "" && !sameCode(j.Handler, was.Handler):
		wrong := job.FieldErrorf("handler", "is given, and a template too: a job runs one code")
		wrong.Hint = "leave one of them out; to give an instance code of its own, take its template away"
		return wrong
	case j.TemplateVersion < 0:
		return job.FieldErrorf("template_version", "%d is not a version", j.TemplateVersion)
	case same:
		j.Handler = was.Handler
		return nil
	}
	j.Handler = job.Handler{}
	if j.TemplateVersion == 0 {
		return nil
	}
	template, err := c.template(ctx, j.Template)
	if err != nil {
		return err
	}
	if template.Version != j.TemplateVersion {
		wrong := job.FieldErrorf("template_version", "%d is not the version of job %s, which is %d: only the present version can be pinned",
			j.TemplateVersion, template.Key, template.Version)
		wrong.Hint = "leave it out to follow the template"
		return wrong
	}
	j.Handler = template.Handler
	return nil
}

// detach settles which code a job without a template runs.
func (c *Catalog) detach(ctx context.Context, j, was *job.Job) error {
	if was.Template != 0 && j.TemplateVersion == was.TemplateVersion {
		j.TemplateVersion = 0 // it went with the template
	}
	if j.TemplateVersion != 0 {
		return job.FieldErrorf("template_version", "%d is the version of a template, and there is none: name the template, or leave it out", j.TemplateVersion)
	}
	if was.Template == 0 || j.Handler.Kind != "" {
		return nil
	}
	template, err := c.template(ctx, was.Template)
	if err == nil {
		j.Handler = template.Handler
	}
	return err
}

// template returns the job of the id, which a user has named as a template.
func (c *Catalog) template(ctx context.Context, id int64) (job.Job, error) {
	found, err := c.config.Reader.JobsByID(ctx, []int64{id})
	switch {
	case err != nil:
		return job.Job{}, fmt.Errorf("read the template %d: %w", id, err)
	case len(found) == 0:
		return job.Job{}, job.FieldErrorf("template", "job %d does not exist", id)
	}
	return found[0], nil
}

// sameCode reports whether two handlers are the same code, whenever it was
// written.
func sameCode(a, b job.Handler) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Source == b.Source
}
