package oldadmin

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/wire/xxladmin"
	"github.com/orthd/orth/job"
)

// Finder finds what scripts of the old admins look for, by ids, where who calls may
// see it.
type Finder struct {
	Lists      jobLists
	GroupLists groupLists
	Jobs       jobrows.JobReader
	Groups     groupKeys
	Leases     jobrows.Leases
}

// jobLists finds jobs.
type jobLists interface {
	FindJobs(ctx context.Context, q queries.JobQuery) ([]job.Job, error)
}

// groupLists finds groups.
type groupLists interface {
	FindGroups(ctx context.Context, q jobs.GroupQuery) ([]jobs.GroupFigures, error)
}

// groupKeys finds the key of a group.
type groupKeys interface {
	// GroupKey returns the key of the group with an id. Kinds: NotFound.
	GroupKey(ctx context.Context, id int64) (string, error)
}

// The bounds of a list: how many jobs are looked through, how many at a time, and how
// many bytes of code and parameters one answer has.
const (
	maxLookedThrough = queries.MaxRankedJobs
	LookedAtOnce     = 200
	maxListedText    = 4 << 20
)

// seeing returns where the caller of a context may see anything.
func seeing(ctx context.Context) access.Sight {
	caller := intent.Caller(ctx)
	return caller.Sight(access.View)
}

func spotOf(j *job.Job) access.Object { return access.Object{Namespace: j.Namespace, Group: j.Group} }

// Job implements xxladmin.Jobs.
func (o Finder) Job(ctx context.Context, id int64) (job.Job, error) {
	found, err := o.seen(ctx, []int64{id})
	if err == nil && len(found) == 0 {
		err = job.Errorf(job.NotFound, "job %d does not exist", id)
	}
	if err != nil {
		return job.Job{}, err
	}
	return found[0], nil
}

// FindJobs implements xxladmin.Jobs. It looks through all jobs in sight, because the old
// admins list them by id and look for parts of texts.
func (o Finder) FindJobs(ctx context.Context, q xxladmin.JobQuery) ([]job.Job, int, error) {
	search := queries.JobQuery{Sight: seeing(ctx), Everywhere: true, Enabled: q.Enabled, Limit: LookedAtOnce}
	if q.Group != 0 {
		key, err := o.Groups.GroupKey(ctx, q.Group)
		if job.Is(err, job.NotFound) {
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		search.Group = key
	}
	var ids []int64
	for looked := 0; ; {
		part, err := o.Lists.FindJobs(ctx, search)
		if err != nil {
			return nil, 0, err
		}
		for i := range part {
			if q.Match(&part[i]) {
				ids = append(ids, part[i].ID)
			}
		}
		if len(part) < search.Limit {
			break
		}
		if looked += len(part); looked >= maxLookedThrough {
			return nil, 0, &job.Error{
				Kind: job.Invalid, Message: fmt.Sprintf("there are more than %d jobs to look through", maxLookedThrough),
				Hint: "name a jobGroup, or use the API at /api/v1/jobs",
			}
		}
		last := &part[len(part)-1]
		search.Namespace, search.After = last.Namespace, last.Key
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	from := min(q.Offset, len(ids))
	found, err := o.seen(ctx, ids[from:min(from+q.Limit, len(ids))])
	return found, len(ids), err
}

// seen returns the jobs of ids, in their order, that the caller may see, with the keys of
// those children that it may see as well.
func (o Finder) seen(ctx context.Context, ids []int64) ([]job.Job, error) {
	sight := seeing(ctx)
	byID := make(map[int64]*job.Job, len(ids))
	text := 0
	for part := range slices.Chunk(ids, LookedAtOnce) {
		found, err := o.Jobs.JobsByID(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("read jobs by their ids: %w", err)
		}
		for i := range found {
			if j := &found[i]; sight.Sees(spotOf(j)) {
				byID[j.ID] = j
				text += len(j.Handler.Source) + len(j.Param)
			}
		}
		if text > maxListedText && len(ids) > 1 {
			return nil, &job.Error{
				Kind: job.Invalid, Message: fmt.Sprintf("the code of these jobs is more than %d MiB", maxListedText>>20),
				Hint: "ask for fewer jobs with length, or pagesize",
			}
		}
	}
	found := make([]job.Job, 0, len(byID))
	for _, id := range ids {
		if j := byID[id]; j != nil {
			found = append(found, *j)
		}
	}
	return found, o.nameChildren(ctx, &sight, found)
}

// nameChildren gives children their keys, and takes them from those out of sight.
func (o Finder) nameChildren(ctx context.Context, sight *access.Sight, jobs []job.Job) error {
	var ids []int64
	for i := range jobs {
		for _, c := range jobs[i].Children {
			ids = append(ids, c.JobID)
		}
	}
	slices.Sort(ids)
	keys := make(map[int64]string)
	for part := range slices.Chunk(slices.Compact(ids), LookedAtOnce) {
		found, err := o.Jobs.JobsByID(ctx, part)
		if err != nil {
			return fmt.Errorf("read the children of jobs: %w", err)
		}
		for i := range found {
			if sight.Sees(spotOf(&found[i])) {
				keys[found[i].ID] = found[i].Key
			}
		}
	}
	for i := range jobs {
		jobs[i].Children = slices.Clone(jobs[i].Children)
		for k := range jobs[i].Children {
			c := &jobs[i].Children[k]
			c.Key = keys[c.JobID]
		}
	}
	return nil
}

// GroupFinder finds groups for scripts of the old admins.
type GroupFinder struct{ Finder }

// Group implements xxladmin.Groups.
func (o GroupFinder) Group(ctx context.Context, id int64) (xxladmin.Group, error) {
	key, err := o.Groups.GroupKey(ctx, id)
	if err != nil {
		return xxladmin.Group{}, err
	}
	found, err := o.GroupLists.FindGroups(ctx, jobs.GroupQuery{Sight: seeing(ctx), Key: key, Limit: 1})
	if err == nil && len(found) == 0 {
		err = job.Errorf(job.NotFound, "group %d does not exist", id)
	}
	if err != nil {
		return xxladmin.Group{}, err
	}
	return o.addressed(found[:1])[0], nil
}

// FindGroups implements xxladmin.Groups.
func (o GroupFinder) FindGroups(ctx context.Context, q xxladmin.GroupQuery) ([]xxladmin.Group, int, error) {
	search := jobs.GroupQuery{Sight: seeing(ctx), Limit: 1000}
	var found []jobs.GroupFigures
	total := 0
	for {
		part, err := o.GroupLists.FindGroups(ctx, search)
		if err != nil {
			return nil, 0, err
		}
		for i := range part {
			if !q.Match(&part[i].Group) {
				continue
			}
			if total++; total > q.Offset && len(found) < q.Limit {
				found = append(found, part[i])
			}
		}
		if len(part) < search.Limit {
			return o.addressed(found), total, nil
		}
		search.After = part[len(part)-1].Group.Key
	}
}

// addressed returns groups with the addresses of their executors.
func (o GroupFinder) addressed(groups []jobs.GroupFigures) []xxladmin.Group {
	all := make([]xxladmin.Group, len(groups))
	of := make(map[string]*xxladmin.Group, len(groups))
	for i := range groups {
		all[i].Group = groups[i].Group
		of[all[i].Key] = &all[i]
	}
	for _, e := range o.Leases.Executors() {
		switch g := of[e.Group]; {
		case g == nil:
		case e.Manual:
			g.ByHand = append(g.ByHand, e.Address)
		default:
			g.Registered = append(g.Registered, e.Address)
		}
	}
	return all
}
