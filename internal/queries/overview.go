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
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// OverviewReader counts what there is, for those who look at all of it at once.
type OverviewReader interface {
	// Held returns what each place holds, in no particular order.
	Held(ctx context.Context) ([]Held, error)
	// Counts returns how much goes on within a sight, each figure at most [MaxCount].
	Counts(ctx context.Context, sight access.Sight, now time.Time) (Counts, error)
	StatsReader
	SlotReader
}

// MaxCount is how far figures of an overview are counted: there may be more.
const MaxCount = 100_000

// LateAfter is how long a run is due before it counts as late.
const LateAfter = 10 * time.Second

// Held is what a place holds. Without a Group it is what belongs to the namespace and
// to no group.
type Held struct {
	Namespace, Group string
	Jobs             int // that are not deleted
	Groups           int // 1 when the group is one of the namespace
	Workflows        int
	Calendars        int
}

// Counts are figures of the moment, each at most [MaxCount].
type Counts struct {
	// Waiting is how many runs wait to be sent. Retrying of them wait for their next
	// attempt; Late of the others were due [LateAfter] ago.
	Waiting, Retrying, Late int
	// Running is how many attempts executors have.
	Running int
	// Scheduled is how many jobs have a next firing, Soon how many of them have it
	// within an hour.
	Scheduled, Soon int
	// DeadLetters are the open ones, and Alarms those that fire.
	DeadLetters, Alarms int
}

// NamespaceFigures is a namespace with the counts of what a caller may see in it.
type NamespaceFigures struct {
	Name                               string
	Jobs, Groups, Workflows, Calendars int
}

// Summary is what goes on within a sight.
type Summary struct {
	// At is when it was counted.
	At time.Time
	// Namespace and Group are what it was narrowed to; empty means all.
	Namespace, Group string
	Counts
	// Jobs is how many there are.
	Jobs int
	// Today and Yesterday are the runs that ended on these days of Zone.
	Today, Yesterday job.Stats
	Zone             string
	Executors        ExecutorFigures
}

// SummaryQuery selects the content of a summary. Its Sight is required: the zero one finds
// nothing.
type SummaryQuery struct {
	Sight access.Sight
	// Namespace and Group narrow it; empty means all.
	Namespace, Group string
	// Zone has the days: an IANA name; empty means UTC.
	Zone string
}

// Check reports what is wrong with a question. Kinds: Invalid with the field at fault.
func (q *SummaryQuery) Check() error {
	_, err := zoneOf(q.Zone)
	return err
}

// ExecutorFigures counts executors, each one once. Alive takes tasks.
type ExecutorFigures struct{ Alive, Draining, Unreachable, Silent int }

// Overview answers what there is at all. Its answers are counted at most once a second
// for the same sight, and more seldom when that takes long.
type Overview struct {
	store     OverviewReader
	leases    jobrows.Leases
	summaries answers[Summary]
}

// NewOverview returns an overview of a store, and of the executors with leases.
func NewOverview(store OverviewReader, leases jobrows.Leases) *Overview {
	return &Overview{store: store, leases: leases}
}

// Namespaces returns the namespaces that hold anything, in order of name, with the counts
// of what lies within the sight; a namespace with nothing in sight is left out. Further
// namespaces, which other sources name, are always included.
func (o *Overview) Namespaces(ctx context.Context, sight access.Sight, besides []string) ([]NamespaceFigures, error) {
	held, err := o.store.Held(ctx)
	if err != nil {
		return nil, fmt.Errorf("count what namespaces hold: %w", err)
	}
	return namespaces(held, sight, besides), nil
}

// namespaces adds up what places hold.
func namespaces(held []Held, sight access.Sight, besides []string) []NamespaceFigures {
	of := make(map[string]*NamespaceFigures)
	at := func(name string) *NamespaceFigures {
		if of[name] == nil {
			of[name] = &NamespaceFigures{Name: name}
		}
		return of[name]
	}
	for _, name := range besides {
		at(name)
	}
	for i := range held {
		h := &held[i]
		if !sight.In(h.Namespace) {
			continue
		}
		n := at(h.Namespace)
		if sight.Sees(access.Object{Namespace: h.Namespace, Group: h.Group}) {
			n.Jobs, n.Groups, n.Workflows = n.Jobs+h.Jobs, n.Groups+h.Groups, n.Workflows+h.Workflows
		}
		n.Calendars += h.Calendars // everybody of a namespace may see them
	}
	all := make([]NamespaceFigures, 0, len(of))
	for _, n := range of {
		all = append(all, *n)
	}
	slices.SortFunc(all, func(a, b NamespaceFigures) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Summary answers a question. Kinds: Invalid with the field at fault.
func (o *Overview) Summary(ctx context.Context, q *SummaryQuery) (Summary, error) {
	zone, err := zoneOf(q.Zone)
	if err != nil {
		return Summary{}, err
	}
	key := strings.Join([]string{zone.String(), q.Namespace, q.Group, sightKey(q.Sight)}, " ")
	return o.summaries.of(ctx, key, func() (Summary, error) { return o.count(ctx, q, zone, time.Now()) })
}

// narrowed returns what of the sight of a question lies where it asks for. A group
// without a namespace is one of each namespace that holds one of this name.
func (q *SummaryQuery) narrowed(held []Held) access.Sight {
	switch {
	case q.Namespace != "":
		return q.Sight.Within(q.Namespace, q.Group)
	case q.Group == "":
		return q.Sight
	}
	var in access.Sight
	for i := range held {
		if h := &held[i]; h.Group == q.Group {
			in.Places = append(in.Places, q.Sight.Within(h.Namespace, h.Group).Places...)
		}
	}
	return in
}

// sightKey returns a key that identifies a sight. The order of its places makes no
// difference.
func sightKey(sight access.Sight) string {
	if sight.All {
		return access.All
	}
	var names []string
	for _, p := range sight.Places {
		names = append(names, p.Namespace+"/"+p.Group) // no name has a slash
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (o *Overview) count(ctx context.Context, q *SummaryQuery, zone *time.Location, now time.Time) (Summary, error) {
	held, err := o.store.Held(ctx)
	if err != nil {
		return Summary{}, fmt.Errorf("count what namespaces hold: %w", err)
	}
	sight := q.narrowed(held)
	s := Summary{
		At: now.UTC().Truncate(time.Millisecond), Namespace: q.Namespace, Group: q.Group, Zone: zone.String(),
		Executors: standing(o.leases.Executors(), sight, now),
	}
	counts, err := o.store.Counts(ctx, sight, now)
	if err = errors.Join(err, o.days(ctx, &s, sight, zone, now)); err != nil {
		return Summary{}, fmt.Errorf("count what goes on: %w", err)
	}
	s.Counts = counts
	for _, n := range namespaces(held, sight, nil) {
		s.Jobs += n.Jobs
	}
	return s, nil
}

// days counts what ended today and yesterday. The days of UTC are kept for ever, those
// of other zones are made of pieces of [SlotLength].
func (o *Overview) days(ctx context.Context, s *Summary, sight access.Sight, zone *time.Location, now time.Time) error {
	year, month, day := now.In(zone).Date()
	begin := func(day int) time.Time { return time.Date(year, month, day, 0, 0, 0, 0, zone).UTC() }
	s.Today.Day = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	s.Yesterday.Day = s.Today.Day.AddDate(0, 0, -1)
	if zone == time.UTC {
		days, err := o.store.Stats(ctx, StatsFilter{Sight: sight, From: s.Yesterday.Day, To: s.Today.Day})
		for _, d := range days {
			s.on(d.Day, s.Today.Day).Add(d)
		}
		return err
	}
	slots, err := o.store.Slots(ctx, &SlotFilter{Sight: sight, From: begin(day - 1), To: begin(day + 1)})
	for i := range slots {
		s.on(slots[i].From, begin(day)).Add(slots[i].Stats)
	}
	return err
}

// on returns the day that an instant belongs to when today begins at another.
func (s *Summary) on(at, today time.Time) *job.Stats {
	if at.Before(today) {
		return &s.Yesterday
	}
	return &s.Today
}

// standing counts executors by how they stand.
func standing(all []job.Executor, sight access.Sight, now time.Time) (f ExecutorFigures) {
	for i := range all {
		e := &all[i]
		if !sight.Sees(access.Object{Namespace: e.Namespace, Group: e.Group}) {
			continue
		}
		switch {
		case e.Unreachable != "":
			f.Unreachable++
		case !e.LeaseUntil.After(now):
			f.Silent++
		case e.Draining:
			f.Draining++
		default:
			f.Alive++
		}
	}
	return f
}
