package jobrows

import (
	"cmp"
	"context"
	"fmt"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Sources are where a Finder looks.
type Sources struct {
	Jobs      JobReader
	Runs      RunReader
	Calendars CalendarReader
	Pauses    PauseReader
	Leases    Leases
}

// Finder finds single objects by their names, and adds what their rows do not have: the
// keys of children, and the present state of pauses.
type Finder struct{ sources Sources }

// NewFinder returns a finder of rows.
func NewFinder(sources Sources) Finder { return Finder{sources: sources} }

// Job returns a job with the keys of its children, or NotFound.
func (f *Finder) Job(ctx context.Context, namespace, key string) (job.Job, error) {
	j, err := f.sources.Jobs.Job(ctx, cmp.Or(namespace, job.DefaultNamespace), key)
	if err == nil {
		err = f.NameChildren(ctx, j.Children)
	}
	return j, err
}

// Jobs returns jobs in order of key, at most 1,000.
func (f *Finder) Jobs(ctx context.Context, by JobFilter) ([]job.Job, error) {
	by.Namespace = cmp.Or(by.Namespace, job.DefaultNamespace)
	by.Limit = Page(by.Limit)
	return f.sources.Jobs.Jobs(ctx, by)
}

// NameChildren fills in the keys of the children that exist.
func (f *Finder) NameChildren(ctx context.Context, children []job.Child) error {
	if len(children) == 0 {
		return nil
	}
	ids := make([]int64, len(children))
	for i := range children {
		ids[i] = children[i].JobID
	}
	jobs, err := f.sources.Jobs.JobsByID(ctx, ids)
	if err != nil {
		return fmt.Errorf("read %d children: %w", len(ids), err)
	}
	for _, j := range jobs {
		for i := range children {
			if children[i].JobID == j.ID {
				children[i].Key = j.Key
			}
		}
	}
	return nil
}

// Seen returns a job. One beyond the sight does not exist for who asks.
func (f *Finder) Seen(ctx context.Context, sight *access.Sight, namespace, key string) (job.Job, error) {
	j, err := f.Job(ctx, namespace, key)
	if err == nil && !sight.Sees(access.Object{Namespace: j.Namespace, Group: j.Group}) {
		return job.Job{}, job.Errorf(job.NotFound, "job %s does not exist in namespace %s", key, cmp.Or(namespace, job.DefaultNamespace))
	}
	return j, err
}

// Run returns a run, or NotFound.
func (f *Finder) Run(ctx context.Context, id int64) (job.Run, error) {
	return f.sources.Runs.RunByID(ctx, id)
}

// Runs returns runs, the newest first, at most 1,000.
func (f *Finder) Runs(ctx context.Context, by RunFilter) ([]job.Run, error) {
	if by.State != "" && !by.State.Known() {
		return nil, job.FieldErrorf("state", "%q is unknown; use one of %v", by.State, job.States())
	}
	by.Limit = Page(by.Limit)
	return f.sources.Runs.Runs(ctx, by)
}

// Attempts returns the attempts of a run, the first one first, or NotFound.
func (f *Finder) Attempts(ctx context.Context, run int64) ([]job.Attempt, error) {
	if _, err := f.Run(ctx, run); err != nil {
		return nil, err
	}
	return f.sources.Runs.Attempts(ctx, run)
}

// AttemptOf returns the run's attempt of that number; 0 is the current or last.
func (f *Finder) AttemptOf(ctx context.Context, run job.Run, number int) (job.Attempt, error) {
	attempts, err := f.sources.Runs.Attempts(ctx, run.ID)
	if err != nil {
		return job.Attempt{}, err
	}
	for _, a := range attempts {
		if a.Number == number || (number == 0 && a.ID == run.AttemptID) {
			return a, nil
		}
	}
	return job.Attempt{}, job.Errorf(job.NotFound, "run %d has no attempt %d", run.ID, number)
}

// Executors returns the executors that are alive.
func (f *Finder) Executors(context.Context) ([]job.Executor, error) {
	return f.sources.Leases.Executors(), nil
}

// Page bounds the size of a list.
func Page(limit int) int {
	if limit <= 0 {
		return 100
	}
	return min(limit, 1000)
}
