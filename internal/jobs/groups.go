package jobs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Groups keeps groups of executors.
type Groups interface {
	GroupReader
	GroupWriter
}

// GroupReader finds groups.
type GroupReader interface {
	// GroupPage returns groups of the query in order of key.
	GroupPage(ctx context.Context, q GroupQuery) ([]GroupFigures, error)
	// Working returns how many attempts executors have, by the id of the group.
	Working(ctx context.Context) (map[int64]int, error)
}

// GroupWriter makes and removes groups.
type GroupWriter interface {
	// CreateGroup writes a new group and returns it with its ID. Kinds: Conflict when
	// the key is taken in any namespace, Full when there are too many.
	CreateGroup(ctx context.Context, g job.Group) (job.Group, error)
	// DeleteGroup removes a group, of a namespace unless that is empty, that has no
	// jobs, runs and tokens, and no executors that are alive. Kinds: NotFound, Conflict when it has some.
	DeleteGroup(ctx context.Context, namespace, key string, now time.Time) error
}

// GroupQuery selects groups. Its Sight is required: the zero one finds nothing.
type GroupQuery struct {
	Sight     access.Sight
	Namespace string // empty means all
	Key       string // this one alone; empty means all
	After     string // keys after this one, for the next page
	Limit     int    // at most 1,000
}

// GroupFigures is a group with what belongs to it.
type GroupFigures struct {
	Group        job.Group
	OwnTokenOnly bool
	Jobs         int // those that are not deleted
	Waiting      int // runs that wait for its executors
	Working      int // attempts that they have
	Executors    int // those with a lease, and those entered by hand
	Alive        int
	Draining     int
}

// FindGroups returns groups of the query in order of key, at most 1,000.
func (c *Catalog) FindGroups(ctx context.Context, q GroupQuery) ([]GroupFigures, error) {
	q.Limit = jobrows.Page(q.Limit)
	found, err := c.config.Groups.GroupPage(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list groups: %w", err)
	}
	working, err := c.config.Groups.Working(ctx)
	if err != nil {
		return nil, fmt.Errorf("count what executors have: %w", err)
	}
	now, of := time.Now(), make(map[int64]*GroupFigures, len(found))
	for i := range found {
		found[i].Working = working[found[i].Group.ID]
		of[found[i].Group.ID] = &found[i]
	}
	for _, e := range c.config.Leases.Executors() {
		g := of[e.GroupID]
		if g == nil {
			continue
		}
		g.Executors++
		if e.LeaseUntil.After(now) {
			g.Alive++
		}
		if e.Draining {
			g.Draining++
		}
	}
	return found, nil
}

// Group returns the group with a key, which must be in the namespace unless that is
// empty. Kinds: NotFound.
func (c *Catalog) Group(ctx context.Context, namespace, key string) (GroupFigures, error) {
	found, err := c.FindGroups(ctx, GroupQuery{Sight: access.Sight{All: true}, Namespace: namespace, Key: key, Limit: 1})
	if err == nil && len(found) == 0 {
		err = job.Errorf(job.NotFound, "group %s does not exist", key)
	}
	if err != nil {
		return GroupFigures{}, err
	}
	return found[0], nil
}

// CreateGroup makes a group before any executor registers or any job names it. Kinds:
// Invalid with the field at fault; Conflict, a group of some namespace has the key;
// Full.
func (c *Catalog) CreateGroup(ctx context.Context, g job.Group) (job.Group, error) {
	g.Namespace = cmp.Or(g.Namespace, job.DefaultNamespace)
	if err := cmp.Or(job.CheckKey("namespace", g.Namespace), job.CheckGroup("key", g.Key), g.CheckText()); err != nil {
		return job.Group{}, err
	}
	g.CreatedAt = time.Now().UTC().Truncate(time.Millisecond)
	made, err := c.config.Groups.CreateGroup(ctx, g)
	if err != nil {
		return job.Group{}, fmt.Errorf("create group %s: %w", g.Key, err)
	}
	return made, nil
}

// DeleteGroup removes a group that nothing belongs to any more, of a namespace unless
// that is empty. One that an executor
// registers for later comes back. Kinds: NotFound, Conflict while something belongs to
// it.
func (c *Catalog) DeleteGroup(ctx context.Context, namespace, key string) error {
	return c.config.Groups.DeleteGroup(ctx, namespace, key, time.Now())
}
