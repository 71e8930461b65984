package jobs

import (
	"context"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// mayKeep reports why the caller may not make a job what it is to be. old is what it
// was, nil for a new one, and template the one that it names, nil for none.
//
//   - Editing takes the right to edit where the job is to be, and where it was.
//   - A job sends work to the executors of its group: where that is in another
//     namespace, this takes the right to operate there.
//   - Code takes the right to write scripts where it is written and where it is
//     brought to: by another handler, by a move, or by a template of another place.
func (s *jobRoom) mayKeep(ctx context.Context, wanted, old, template *job.Job) error {
	here := guard.PlaceOf(wanted)
	if err := s.Allow(ctx, access.Edit, here); err != nil {
		return err
	}
	moved := old == nil || guard.PlaceOf(old) != here
	if old != nil && moved {
		if err := s.Allow(ctx, access.Edit, guard.PlaceOf(old)); err != nil {
			return err
		}
	}
	if moved {
		if err := s.mayRunOn(ctx, here); err != nil {
			return err
		}
	}
	if bringsCode(wanted, old, template, moved) {
		return s.Allow(ctx, access.Script, here)
	}
	return nil
}

// mayRunOn reports why the caller may not have a job somewhere that runs on the
// executors of its group. A group that does not exist is made with the job.
func (s *jobRoom) mayRunOn(ctx context.Context, here access.Object) error {
	at := guard.NewGroupAt(here.Group)
	on, err := s.config.Places.Place(ctx, guard.KindGroup, "", here.Group)
	switch {
	case err == nil && len(on) == 1:
		at = on[0]
	case err != nil && !job.Is(err, job.NotFound):
		return err
	}
	if at == here {
		return nil // who may edit jobs there runs them
	}
	return s.Allow(ctx, access.Operate, at)
}

// bringsCode reports whether a job comes to run code that did not run where it is.
func bringsCode(wanted, old, template *job.Job, moved bool) bool {
	switch {
	case template != nil && guard.PlaceOf(template) != guard.PlaceOf(wanted):
		inherits := old == nil || moved || old.Template != wanted.Template || old.TemplateVersion != wanted.TemplateVersion
		return inherits && template.Handler.Kind.Script()
	case template != nil:
		return false
	case wanted.Handler.Kind == "":
		return moved && old != nil // it takes the code of its template with it
	}
	return wanted.Handler.Kind.Script() && (moved || !sameCode(&wanted.Handler, &old.Handler))
}

func sameCode(a, b *job.Handler) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Source == b.Source
}

// mayCopy reports why the caller may not make jobs with the code of another, where
// that is.
func (s *jobRoom) mayCopy(ctx context.Context, namespace, key string) error {
	j, err := s.JobFor(ctx, access.Edit, namespace, key)
	if err != nil || !j.Handler.Kind.Script() {
		return err
	}
	return s.Allow(ctx, access.Script, guard.PlaceOf(&j))
}
