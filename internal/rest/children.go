package rest

import (
	"context"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// children looks up the jobs that a user names as children.
func (s *server) children(ctx context.Context, namespace string, wanted []api.Child) ([]job.Child, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	children := make([]job.Child, 0, len(wanted))
	for _, c := range wanted {
		if c.Key == "" {
			return nil, job.FieldErrorf("children", "a key is missing: name each child by its key")
		}
		child, err := s.config.Jobs.Job(ctx, namespace, c.Key)
		if job.Is(err, job.NotFound) {
			return nil, job.FieldErrorf("children", "there is no job %q in namespace %q: create it first", c.Key, namespace)
		}
		if err != nil {
			return nil, err
		}
		children = append(children, job.Child{JobID: child.ID, Key: c.Key, On: c.On, Param: c.Param})
	}
	return children, nil
}
