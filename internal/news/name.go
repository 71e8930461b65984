package news

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

const (
	// maxNames bounds the runs whose names are kept; namesFor is how long: a job may
	// have moved to where other people may see it.
	maxNames = 16_384
	namesFor = 5 * time.Second
	// maxTold bounds a text that is told, in characters.
	maxTold = 200
)

// names are what runs are called that were told lately. The zero value is empty.
type names struct {
	runs  map[int64]*Named
	since time.Time
}

// forgetStale forgets all when that is due.
func (m *names) forgetStale(now time.Time) {
	if m.runs == nil || now.Sub(m.since) >= namesFor || len(m.runs) >= maxNames {
		m.runs, m.since = make(map[int64]*Named), now
	}
}

func (m *names) forget() { m.runs = nil }

// namer makes items of changes. One goroutine uses it.
type namer struct {
	store  Store
	logger *slog.Logger
	names  names
	away   bool // the store cannot be read, which was logged
}

// named makes items of changes. whole is false when some could not be made.
func (n *namer) named(ctx context.Context, changes []told) (items []*Item, whole bool) {
	if len(changes) == 0 {
		return nil, true
	}
	jobs, err := n.learn(ctx, changes)
	if err != nil {
		if !n.away && ctx.Err() == nil {
			n.logger.Error("names of what has changed could not be read; readers are told that they miss some", "error", err)
		}
		n.away = true
		return nil, false
	}
	n.away, whole = false, true
	for i := range changes {
		c := &changes[i]
		if c.Kind == Many {
			whole = false
			continue
		}
		if it := n.itemOf(c, jobs); it != nil {
			items = append(items, it)
		}
	}
	return items, whole
}

// learn reads what things are called that it does not know. It returns the jobs.
func (n *namer) learn(ctx context.Context, changes []told) (map[int64]*About, error) {
	var runs, ids []int64
	jobs := make(map[int64]*About)
	for i := range changes {
		c := &changes[i]
		switch {
		case c.Kind == Job && c.About != nil: // it may have moved
			clear(n.names.runs)
		case c.Kind == Job && jobs[c.ID] == nil:
			jobs[c.ID] = &About{}
			ids = append(ids, c.ID)
		}
	}
	asked := make(map[int64]struct{})
	for i := range changes {
		c := &changes[i]
		if _, twice := asked[c.ID]; c.Kind == Run && !knows(n.names.runs[c.ID], c) && !twice {
			asked[c.ID] = struct{}{}
			runs = append(runs, c.ID)
		}
	}
	if len(runs) > 0 {
		found, err := n.store.NamedRuns(ctx, runs)
		if err != nil {
			return nil, err
		}
		for i := range found {
			n.names.runs[found[i].Run] = &found[i]
		}
	}
	if len(ids) > 0 {
		found, err := n.store.NamedJobs(ctx, ids)
		if err != nil {
			return nil, err
		}
		for i := range found {
			jobs[found[i].JobID] = &found[i]
		}
	}
	return jobs, nil
}

// knows reports whether what was read of a run says all that is told of a change.
func knows(r *Named, c *told) bool {
	switch {
	case r == nil, c.Attempt != 0 && r.Attempt != c.Attempt:
		return false
	case c.State.Final():
		return !r.EndedAt.IsZero()
	}
	return c.State != job.Running || !r.StartedAt.IsZero()
}

// stood adds when a run began and ended, and where, as far as that was so at a change:
// the row may be ahead of it.
func stood(to *api.EventRun, r *Named, c *told) {
	if c.Attempt != 0 && c.Attempt == r.Attempt {
		to.Executor = r.Executor
	}
	if c.State == job.Planned || c.State == job.Queued || c.State == job.Dispatched {
		return
	}
	to.StartedAt = api.At(r.StartedAt)
	if c.State.Final() {
		to.EndedAt = api.At(r.EndedAt)
	}
}

// itemOf makes an item of a change; nil for a thing that is gone.
func (n *namer) itemOf(c *told, jobs map[int64]*About) *Item {
	it := &Item{ID: c.id, Event: api.Event{Kind: string(c.Kind), Change: c.Became, At: api.At(c.at)}}
	about := c.About
	switch c.Kind {
	case Run:
		r := n.names.runs[c.ID]
		if r == nil {
			return nil // it was removed meanwhile
		}
		about = &r.About
		if it.Change == "" {
			it.Change = string(c.State)
		}
		it.Run = &api.EventRun{
			ID: api.ID(c.ID), State: c.State, Final: c.State.Final(), Reason: job.Clean(c.Reason, maxTold), Message: job.Clean(c.Message, maxTold),
			AttemptID: api.ID(c.Attempt), Cause: r.Cause, PlannedAt: api.At(r.PlannedAt),
		}
		stood(it.Run, r, c)
		if !r.Shard.IsZero() {
			it.Run.Shard = &api.Shard{Index: r.Shard.Index, Total: r.Shard.Total}
		}
	case Job:
		if about == nil {
			about = jobs[c.ID]
		}
	case Alarm:
		it.Alarm = &api.EventAlarm{ID: api.ID(c.ID), Rule: about.Rule, Severity: about.Severity, Reason: job.Clean(c.Reason, maxTold)}
	case Executor, Many:
		return nil // the store knows of neither
	}
	if about == nil || about.Namespace == "" {
		return nil
	}
	if about.JobID != 0 {
		it.Job = &api.EventJob{ID: about.JobID, Key: about.JobKey}
	}
	return it.placeAt(about.Namespace, about.Group)
}

// placeAt says where the thing is, and writes the event down.
func (it *Item) placeAt(namespace, group string) *Item {
	it.Namespace, it.Group = namespace, group
	it.On = access.Object{Namespace: namespace, Group: group}
	text, err := json.Marshal(it.Event)
	if err != nil {
		return nil // An event can always be encoded.
	}
	it.Text = text
	return it
}
