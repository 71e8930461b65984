package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// unnamed takes the keys of children and of the template away that the caller may not
// see. Who sees a whole namespace sees all of them.
func (s *jobRoom) unnamed(ctx context.Context, jobs ...*api.Job) error {
	caller := intent.Caller(ctx)
	sight := caller.Sight(access.View)
	hidden := map[string]bool{}
	hides := func(namespace, key string) (bool, error) {
		name := namespace + "/" + key
		away, known := hidden[name]
		if known || key == "" {
			return away, nil
		}
		on, err := s.config.Places.Place(ctx, guard.KindJob, namespace, key)
		if err != nil && !job.Is(err, job.NotFound) {
			return false, err
		}
		hidden[name] = err == nil && !slices.ContainsFunc(on, sight.Sees)
		return hidden[name], nil
	}
	for _, j := range jobs {
		if len(j.Children) == 0 && j.Template == "" || sight.Sees(access.Object{Namespace: j.Namespace}) {
			continue
		}
		away, err := hides(j.Namespace, j.Template)
		if err != nil {
			return err
		}
		if away {
			j.Template, j.TemplateVersion = "", 0
		}
		for i := range j.Children {
			c := &j.Children[i]
			if away, err = hides(j.Namespace, c.Key); err != nil {
				return err
			}
			if away {
				c.Key = ""
			}
		}
	}
	return nil
}

// pointers returns where the jobs of a list are.
func pointers(jobs []api.Job) []*api.Job {
	all := make([]*api.Job, len(jobs))
	for i := range jobs {
		all[i] = &jobs[i]
	}
	return all
}

// children looks up the jobs that a user names as children. The end of a job runs its
// children, so each needs the right to operate, unless it was a child before. A new
// parameter needs the rights of [jobRoom.mayReplace].
func (s *jobRoom) children(ctx context.Context, namespace string, wanted []api.Child, before []job.Child) ([]job.Child, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	children := make([]job.Child, 0, len(wanted))
	for i, c := range wanted {
		if c.Key == "" {
			return nil, job.FieldErrorf("children", "a key is missing: name each child by its key")
		}
		right := access.Operate
		if slices.ContainsFunc(before, func(b job.Child) bool { return b.Key == c.Key }) {
			right = access.View
		}
		child, err := s.JobFor(ctx, right, namespace, c.Key)
		if job.Is(err, job.NotFound) {
			return nil, job.FieldErrorf("children", "there is no job %q in namespace %q: create it first", c.Key, namespace)
		}
		if err != nil {
			return nil, err
		}
		had := func(b job.Child) bool { return b.Key == c.Key && b.Param == c.Param }
		if !slices.ContainsFunc(before, had) {
			if err := s.checkChild(ctx, &child, fmt.Sprintf("children[%d].param", i), c.Param); err != nil {
				return nil, err
			}
		}
		children = append(children, job.Child{JobID: child.ID, Key: c.Key, On: c.On, Param: c.Param})
	}
	return children, nil
}

// checkChild reports why the caller may not have a job as a child with a template of the
// parameter of its runs, empty for none.
func (s *jobRoom) checkChild(ctx context.Context, child *job.Job, field, template string) error {
	if template == "" {
		return child.CheckRunTemplate(field, nil)
	}
	if err := s.MayReplace(ctx, child); err != nil {
		return guard.InField("children", err)
	}
	return cmp.Or(s.CheckTemplate(ctx, child, "children", template), child.CheckRunTemplate(field, &template))
}
