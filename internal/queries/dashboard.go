package queries

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// SlotReader reads what ended within pieces of a time.
type SlotReader interface {
	// Slots returns what ended in the pieces of a time, in order; those without any end
	// are left out.
	Slots(ctx context.Context, f *SlotFilter) ([]Slot, error)
}

// Spreads counts the runs that ended within short times.
type Spreads interface {
	SlotReader
	// Late returns how late attempts were sent that ended within a time of a few hours at
	// most, and the latest one.
	Late(ctx context.Context, f *SlotFilter) (job.Spread, time.Duration, error)
}

// Troubles finds what people have to look at, and what is to come.
type Troubles interface {
	// Failing returns the jobs with the most runs that ended badly in a time, the worst
	// first, at most [MaxFailing]; partly reports that there were more runs than it counts.
	Failing(ctx context.Context, f *SlotFilter) (all []FailingJob, partly bool, err error)
	// Backlog returns the groups whose runs are due at To and wait, the one with the
	// oldest first, at most [MaxBacklog].
	Backlog(ctx context.Context, f *SlotFilter) ([]GroupBacklog, error)
	// Upcoming returns the jobs that fire next before To, the earliest first, at most so
	// many.
	Upcoming(ctx context.Context, f *SlotFilter, limit int) ([]job.Job, error)
}

// DashboardReader reads the figures of a dashboard.
type DashboardReader interface {
	Spreads
	Troubles
}

// SlotFilter selects what is counted. Its Sight is no filter: the zero one finds
// nothing.
type SlotFilter struct {
	Sight access.Sight
	// Namespace and Group narrow it; empty means all.
	Namespace, Group string
	// From is the beginning, and To the end, which does not belong to it.
	From, To time.Time
	// Short asks for pieces of a minute, which are kept for a few hours, in place of
	// those of [SlotLength].
	Short bool
}

// SlotLength is the length of the pieces that are kept for weeks. It divides the
// offsets of nearly all zones.
const SlotLength = 30 * time.Minute

// Slot is what ended in a piece of time.
type Slot struct {
	From time.Time
	job.Stats
	// Spread is how the durations are spread that Stats has the sum of.
	Spread job.Spread
}

// The bounds of a dashboard.
const (
	MaxFailing  = 10
	MaxBacklog  = 100
	maxUpcoming = 50
	maxStanding = 1000
)

// FailingJob is a job whose runs ended badly.
type FailingJob struct {
	Namespace, Group string
	JobID            int64
	JobKey           string
	// Runs is how many did, and Last the newest of them.
	Runs int
	Last job.Run
}

// GroupBacklog is what waits for the executors of a group.
type GroupBacklog struct {
	Namespace, Group string
	Waiting          int
	Oldest           time.Time // since when the first one is due
}

// Upcoming is a firing to come.
type Upcoming struct {
	At               time.Time
	Namespace, Group string
	JobID            int64
	JobKey           string
}

// GroupStanding counts the executors of a group.
type GroupStanding struct {
	Group string
	ExecutorFigures
}

// Bucket is what ended within a part of the time of a dashboard.
type Bucket struct {
	From, To time.Time
	job.Stats
	Spread job.Spread
}

// add adds what ended in a piece of it.
func (b *Bucket) add(s *Slot) {
	b.Stats.Add(s.Stats)
	b.Spread.Add(&s.Spread)
}

// DashboardQuery selects the content of a dashboard. Its Sight is required: the zero one
// finds nothing.
type DashboardQuery struct {
	Sight            access.Sight
	Namespace, Group string
	// Range is one of [Ranges].
	Range string
	// Zone is an IANA name; empty means UTC.
	Zone string
}

// Dashboard is what went on in a time, and goes on.
type Dashboard struct {
	// At is when it was counted.
	At      time.Time
	Zone    string
	Buckets []Bucket
	Total   Bucket
	// Late is how late attempts were sent that ended in the last hour, LateMax the
	// latest.
	Late      job.Spread
	LateMax   time.Duration
	Failing   []FailingJob
	Partly    bool // Failing knows the newest bad runs only
	Backlog   []GroupBacklog
	Firings   []Upcoming
	Executors ExecutorFigures
	Groups    []GroupStanding
}

// Dashboards answer what went on and goes on. Answers are counted at most once a second
// for the same question, and more seldom when that takes long.
type Dashboards struct {
	store   DashboardReader
	queries *Catalog
	answers answers[Dashboard]
}

// NewDashboards returns dashboards of a store, with the firings and executors that
// queries know.
func NewDashboards(store DashboardReader, c *Catalog) *Dashboards {
	return &Dashboards{store: store, queries: c}
}

// Dashboard answers a question. Kinds: Invalid with the field at fault.
func (d *Dashboards) Dashboard(ctx context.Context, q *DashboardQuery) (Dashboard, error) {
	zone, err := q.check()
	if err != nil {
		return Dashboard{}, err
	}
	key := strings.Join([]string{q.Range, q.Zone, q.Namespace, q.Group, sightKey(q.Sight)}, " ")
	return d.answers.of(ctx, key, func() (Dashboard, error) { return d.count(ctx, q, zone, time.Now()) })
}

func (d *Dashboards) count(ctx context.Context, q *DashboardQuery, zone *time.Location, now time.Time) (Dashboard, error) {
	buckets, short := cut(q.Range, zone, now)
	out := Dashboard{
		At: now.UTC().Truncate(time.Millisecond), Zone: zone.String(), Buckets: buckets,
		Total: Bucket{From: buckets[0].From, To: buckets[len(buckets)-1].To},
	}
	f := SlotFilter{Sight: q.Sight, Namespace: q.Namespace, Group: q.Group, From: out.Total.From, To: out.Total.To, Short: short}
	slots, err := d.store.Slots(ctx, &f)
	fill(&out, slots)
	hour := f
	hour.From, hour.To = now.Add(-time.Hour).Truncate(time.Minute), now.Add(time.Minute)
	var wrong, failed error
	out.Late, out.LateMax, wrong = d.store.Late(ctx, &hour)
	out.Failing, out.Partly, failed = d.store.Failing(ctx, &f)
	err = errors.Join(err, wrong, failed)
	f.To = now
	out.Backlog, wrong = d.store.Backlog(ctx, &f)
	f.To = now.Add(time.Hour)
	out.Firings, failed = d.upcoming(ctx, &f, now)
	if err = errors.Join(err, wrong, failed); err != nil {
		return Dashboard{}, fmt.Errorf("count what went on: %w", err)
	}
	d.standing(&out, q, now)
	return out, nil
}

// fill puts slots, which are in order, into the buckets.
func fill(d *Dashboard, slots []Slot) {
	i := 0
	for s := range slots {
		for i+1 < len(d.Buckets) && !slots[s].From.Before(d.Buckets[i].To) {
			i++
		}
		d.Buckets[i].add(&slots[s])
		d.Total.add(&slots[s])
	}
}

// standing counts the executors.
func (d *Dashboards) standing(out *Dashboard, q *DashboardQuery, now time.Time) {
	of := make(map[string][]job.Executor)
	var all []job.Executor
	for _, e := range d.queries.config.Leases.Executors() {
		there := q.Namespace == "" || q.Namespace == e.Namespace
		if there && (q.Group == "" || q.Group == e.Group) && q.Sight.Sees(access.Object{Namespace: e.Namespace, Group: e.Group}) {
			all, of[e.Group] = append(all, e), append(of[e.Group], e)
		}
	}
	out.Executors = standing(all, q.Sight, now)
	for group, executors := range of {
		out.Groups = append(out.Groups, GroupStanding{group, standing(executors, q.Sight, now)})
	}
	slices.SortFunc(out.Groups, func(a, b GroupStanding) int { return cmp.Compare(a.Group, b.Group) })
	out.Groups = out.Groups[:min(len(out.Groups), maxStanding)]
}

// upcoming returns the firings from now until the end of the filter. The first ones of
// all are among those of the jobs that fire first.
func (d *Dashboards) upcoming(ctx context.Context, f *SlotFilter, now time.Time) ([]Upcoming, error) {
	jobs, err := d.store.Upcoming(ctx, f, maxUpcoming)
	if err != nil {
		return nil, err
	}
	var all []Upcoming
	for i := range jobs {
		j := &jobs[i]
		tell := func(at time.Time) {
			all = append(all, Upcoming{At: at, Namespace: j.Namespace, Group: j.Group, JobID: j.ID, JobKey: j.Key})
		}
		tell(j.NextAt)
		p := newPreview(j, now, maxUpcoming)
		found, err := d.queries.preview(ctx, p)
		if job.Is(err, job.Invalid) {
			continue // its next firing is known all the same
		}
		if err != nil {
			return nil, err
		}
		for _, slot := range found.Slots {
			if !slot.Dropped && slot.At.After(j.NextAt) && slot.At.Before(f.To) {
				tell(slot.At)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Upcoming) int { return a.At.Compare(b.At) })
	return all[:min(len(all), maxUpcoming)], nil
}
