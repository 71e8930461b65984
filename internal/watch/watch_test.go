package watch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/alarm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows is a database in memory. Tests write it between looks.
type rows struct {
	groups  []alarm.Event
	waiting map[int64][]Waiting // by group
	down    []alarm.Event
	jobs    map[int64]alarm.Event
	still   map[int64]bool
	said    map[subject]Said
	told    []alarm.Event
	away    error
	removed []time.Time // before when events were removed
	limits  []int       // of Waiting
	counts  []int       // of CountWaiting
}

func newRows() *rows {
	return &rows{waiting: map[int64][]Waiting{}, jobs: map[int64]alarm.Event{}, still: map[int64]bool{}, said: map[subject]Said{}}
}

func (r *rows) WaitingGroups(_ context.Context, after int64, limit int) ([]alarm.Event, error) {
	return pageOf(r.groups, after, limit), r.away
}

func pageOf(all []alarm.Event, after int64, limit int) (page []alarm.Event) {
	for _, e := range all {
		if e.GroupID > after && len(page) < limit {
			page = append(page, e)
		}
	}
	return page
}

func (r *rows) Waiting(_ context.Context, group int64, _ time.Time, limit int) ([]Waiting, error) {
	r.limits = append(r.limits, limit)
	all := r.waiting[group]
	return all[:min(len(all), limit)], nil
}

func (r *rows) CountWaiting(_ context.Context, group int64, _ time.Time, limit int) (int, error) {
	r.counts = append(r.counts, limit)
	return min(len(r.waiting[group]), limit), nil
}

func (r *rows) StillWaiting(_ context.Context, runs []int64) (waiting []int64, err error) {
	for _, id := range runs {
		if r.still[id] {
			waiting = append(waiting, id)
		}
	}
	return waiting, nil
}

func (r *rows) DownGroups(_ context.Context, after int64, _ time.Time, limit int) ([]alarm.Event, error) {
	return pageOf(r.down, after, limit), nil
}

func (r *rows) LateJobs(_ context.Context, ids []int64) (all []alarm.Event, err error) {
	for _, id := range ids {
		if e, there := r.jobs[id]; there {
			all = append(all, e)
		}
	}
	return all, nil
}

func (r *rows) Said(context.Context) (all []Said, err error) {
	for _, key := range slices.SortedFunc(maps.Keys(r.said), subject.compare) {
		all = append(all, r.said[key])
	}
	return all, r.away
}

func (r *rows) Say(_ context.Context, changes []Change) error {
	for _, c := range changes {
		key := subject{c.Said.Event.Source, c.Said.Subject()}
		if was := r.said[key]; !was.ToldAt.Equal(c.Was) {
			continue
		}
		r.said[key] = c.Said
		if c.Over {
			delete(r.said, key)
		}
		if c.Tell != nil {
			r.told = append(r.told, *c.Tell)
		}
	}
	return nil
}

func (r *rows) RemoveEvents(_ context.Context, before time.Time, _ int) (int, error) {
	r.removed = append(r.removed, before)
	return 0, nil
}

// sources returns what was told since it was asked last.
func (r *rows) sources() (all []alarm.Source) {
	for _, e := range r.told {
		all = append(all, e.Source)
	}
	r.told = nil
	return all
}

// rules are the same for all.
type rules struct {
	within      time.Duration
	of          map[int64]time.Duration // of some jobs, in its place
	least, most int
	down        bool
}

func (r rules) Within(e *alarm.Event) time.Duration {
	if own, there := r.of[e.JobID]; there && e.JobID != 0 {
		return own
	}
	return r.within
}
func (r rules) Backlog(*alarm.Event) (least, most int) { return r.least, r.most }
func (r rules) Down(*alarm.Event) bool                 { return r.down }

// A watch tells nothing before its grace is over, then what is wrong, once; and after
// a restart what is over.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows()
		r.groups, r.jobs[3], r.down = []alarm.Event{group(1)}, jobEvent(3), []alarm.Event{group(2)}
		r.waiting[1] = []Waiting{{RunID: 30, JobID: 3, DueAt: time.Now().Add(-time.Hour)}}
		run := func(d time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			if err := New(Config{Store: r, Rules: rules{within: time.Minute, down: true}}).Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(what string, want ...alarm.Source) {
			t.Helper()
			if diff := cmp.Diff(want, r.sources()); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", what, diff)
			}
		}
		run(85 * time.Second)
		expect("in its grace")
		run(5 * time.Minute)
		expect("later", alarm.SourceDown, alarm.SourceLate)
		r.waiting[1], r.down = nil, nil
		run(time.Second)
		expect("when it is over", alarm.SourceUp, alarm.SourceBegun)
		if want := time.Now().Add(-keepEvents); len(r.removed) == 0 || want.Sub(r.removed[len(r.removed)-1]) > time.Second {
			t.Errorf("events were removed from before %v", r.removed)
		}
		r.away = errors.New("away")
		run(time.Minute) // goes on
		expect("without a database")
	})
}

// A watch of a server that is drained tells nothing until it works again.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows()
		r.down = []alarm.Event{group(2)}
		var idle atomic.Bool
		idle.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- New(Config{Store: r, Rules: rules{down: true}, Idle: idle.Load}).Run(ctx) }()
		for _, want := range []int{0, 1} {
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if got := r.sources(); len(got) != want {
				t.Errorf("idle %v: it told %v", idle.Load(), got)
			}
			idle.Store(false)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// look is one look at the rows, at now.
func look(t *testing.T, r *rows, rules rules) []alarm.Source {
	t.Helper()
	if err := New(Config{Store: r, Rules: rules}).look(t.Context(), now, false); err != nil {
		t.Fatal(err)
	}
	return r.sources()
}

// A job counts by its own rule, though its group is looked at by the strictest; runs
// that an executor has had do not count.
func TestLateByRule(t *testing.T) {
	t.Parallel()
	r := newRows()
	r.groups = []alarm.Event{group(1)}
	r.jobs[3], r.jobs[4], r.jobs[5] = jobEvent(3), jobEvent(4), jobEvent(5)
	begun := late(5, 50, time.Hour)
	begun.Begun = true
	r.waiting[1] = []Waiting{late(3, 31, 2*time.Minute), late(3, 30, 3*time.Minute), late(4, 40, 3*time.Minute), begun, late(6, 60, time.Hour)}
	strict := rules{within: time.Minute, of: map[int64]time.Duration{4: 5 * time.Minute, 5: time.Minute}}
	if err := New(Config{Store: r, Rules: strict}).look(t.Context(), now, false); err != nil {
		t.Fatal(err)
	}
	if len(r.told) != 1 || r.told[0].JobID != 3 || r.told[0].RunID != 30 {
		t.Fatalf("told %+v", r.told)
	}
	r.told = nil
	strict.of[3] = 5 * time.Minute // the rule has changed
	if got := look(t, r, strict); !slices.Equal(got, []alarm.Source{alarm.SourceBegun}) {
		t.Errorf("told %v", got)
	}
}

// Nothing is read of groups that nobody asks for, and no more than is needed.
func TestLooksNoFurtherThanAsked(t *testing.T) {
	t.Parallel()
	r := newRows()
	r.groups = []alarm.Event{group(1)}
	for i := range 50 {
		r.waiting[1] = append(r.waiting[1], late(int64(i+1), int64(i+1), time.Hour))
	}
	for _, c := range []struct {
		rules       rules
		read, count []int
		told        []alarm.Source
	}{
		{rules{}, nil, nil, nil},
		{rules{least: 10, most: 40}, nil, []int{40}, []alarm.Source{alarm.SourceWaiting}},
		{rules{within: 2 * time.Hour, least: 10, most: 40}, []int{maxWalk}, []int{40}, nil},
		{rules{within: 2 * time.Hour, least: 60, most: 20_000}, []int{maxWalk}, []int{20_000}, []alarm.Source{alarm.SourceWaiting}}, // it is over
	} {
		r.limits, r.counts = nil, nil
		got := look(t, r, c.rules)
		if !slices.Equal(r.limits, c.read) || !slices.Equal(r.counts, c.count) || !slices.Equal(got, c.told) {
			t.Errorf("%+v: read %v runs, counted %v, told %v", c.rules, r.limits, r.counts, got)
		}
	}
}

// A late run that has too many others before it is asked for by its number.
func TestLateBehindOthers(t *testing.T) {
	t.Parallel()
	r := newRows()
	r.groups = []alarm.Event{group(1)}
	r.said[subject{alarm.SourceLate, 3}] = told(alarm.SourceLate, jobEvent(3), 30, time.Hour, time.Hour)
	for i := range maxWalk {
		w := late(9, int64(1000+i), time.Hour)
		w.Begun = true
		r.waiting[1] = append(r.waiting[1], w)
	}
	r.still[30] = true
	if got := look(t, r, rules{within: time.Minute}); got != nil {
		t.Fatalf("told %v while it waits", got)
	}
	r.still[30] = false
	if got := look(t, r, rules{within: time.Minute}); !slices.Equal(got, []alarm.Source{alarm.SourceBegun}) {
		t.Fatalf("told %v", got)
	}
}

// Groups come in pages.
func TestManyGroups(t *testing.T) {
	t.Parallel()
	r := newRows()
	for id := range int64(2*maxGroups + 1) {
		r.down = append(r.down, group(id+1))
		r.groups = append(r.groups, group(id+1))
		r.waiting[id+1] = []Waiting{late(1, 1, 0)}
	}
	if got := look(t, r, rules{down: true, least: 1, most: 1}); len(got) != 2*(2*maxGroups+1) {
		t.Errorf("told %d times", len(got))
	}
}
