package jobs

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// MaxCopies bounds the copies that one request makes.
const MaxCopies = 100

// DefaultCopyName makes the keys of copies that are given none.
const DefaultCopyName = "{origin}-{index}"

// Copies are copies of a job to be made.
type Copies struct {
	// Name makes the keys of those that have none: {origin} stands for the key
	// of the job, {index} for the number of the copy, from 0. Defaults to
	// [DefaultCopyName].
	Name string
	Each []Copy // 1..[MaxCopies]
	// AsInstances makes jobs that run the code of the job; else they get a copy
	// of it.
	AsInstances bool
	// DryRun checks everything and writes nothing.
	DryRun bool
}

// Copy lists the differences of a copy. Nil fields and an empty key are copied.
type Copy struct {
	Key      string
	Title    *string
	Param    *string
	Schedule *schedule.Spec
	Labels   map[string]string // in the place of the job's own
}

// Copied is what became of one copy.
type Copied struct {
	Key string
	Job job.Job // without an ID after a dry run
	Err error   // why there is no copy
}

// CopyJob makes copies of a job, all of them stopped, each of which succeeds or
// fails by itself: there is a result for each, in order. Kinds: NotFound, Invalid
// when no copy can be made at all; those of a copy are those of CreateJob.
func (c *Catalog) CopyJob(ctx context.Context, namespace, key string, p Copies) ([]Copied, error) {
	origin, err := c.Job(ctx, namespace, key)
	if err != nil {
		return nil, err
	}
	if err := checkCopies(&p, &origin); err != nil {
		return nil, err
	}
	results, taken := make([]Copied, len(p.Each)), make(map[string]int, len(p.Each))
	for i := range p.Each {
		draft := copyOf(&origin, &p, i)
		results[i] = Copied{Key: draft.Key}
		if before, twice := taken[draft.Key]; twice {
			results[i].Err = job.Errorf(job.Conflict, "the copies %d and %d have the same key %s", before, i, draft.Key)
			continue
		}
		taken[draft.Key] = i
		from := &origin
		if p.AsInstances {
			from = nil
		}
		results[i].Job, results[i].Err = c.copyOne(ctx, draft, from, p.DryRun)
	}
	return results, nil
}

// checkCopies refuses what is wrong with all copies together, and fills defaults.
func checkCopies(p *Copies, origin *job.Job) error {
	if p.Name == "" {
		p.Name = DefaultCopyName
	}
	switch {
	case len(p.Each) == 0:
		return job.Errorf(job.Invalid, "there is nothing to copy: give a list of params, or of tasks")
	case len(p.Each) > MaxCopies:
		return job.Errorf(job.Invalid, "%d copies are too many: at most %d can be made at once", len(p.Each), MaxCopies)
	case p.AsInstances && origin.Template != 0:
		wrong := job.FieldErrorf("as_instances", "job %s runs the code of a template itself, so it cannot be the template of its copies", origin.Key)
		wrong.Hint = "leave it out: copies run the code of the same template"
		return wrong
	}
	return nil
}

// copyOf returns the copy of the index, stopped, as a user could have written it.
func copyOf(origin *job.Job, p *Copies, index int) job.Job {
	j, each := *origin, &p.Each[index]
	j.Enabled = false
	if j.Key = each.Key; j.Key == "" {
		j.Key = strings.NewReplacer("{origin}", origin.Key, "{index}", strconv.Itoa(index)).Replace(p.Name)
	}
	if each.Title != nil {
		j.Title = *each.Title
	}
	if each.Param != nil {
		j.Param = *each.Param
	}
	if j.Labels = maps.Clone(origin.Labels); each.Labels != nil {
		j.Labels = each.Labels
	}
	j.Schedule = jobrows.SpellOut(origin.Schedule)
	if j.Schedule.Delay != 0 {
		j.Schedule.At = time.Time{} // the start of the origin has set it
	}
	if each.Schedule != nil {
		j.Schedule = *each.Schedule
	}
	if p.AsInstances {
		j.Template, j.TemplateVersion, j.Handler = origin.ID, 0, job.Handler{}
	}
	return j
}

// copyOne makes one copy, or checks whether it could be made.
func (c *Catalog) copyOne(ctx context.Context, draft job.Job, from *job.Job, dry bool) (job.Job, error) {
	if !dry {
		return c.create(ctx, draft, from)
	}
	ready, err := c.prepare(ctx, draft, from, time.Now().UTC().Truncate(time.Millisecond))
	if err != nil {
		return job.Job{}, err
	}
	switch _, err := c.Job(ctx, ready.Namespace, ready.Key); {
	case err == nil:
		return job.Job{}, job.Errorf(job.Conflict, "job %s exists already in namespace %s", ready.Key, ready.Namespace)
	case !job.Is(err, job.NotFound):
		return job.Job{}, fmt.Errorf("look for job %s: %w", ready.Key, err)
	}
	return ready, nil
}
