package queries

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// hall is a store that counts what it is asked.
type hall struct {
	counter
	asked int
	fail  error
	slow  time.Duration
	sight access.Sight // that figures were asked for
	slots SlotFilter
	ended []Slot
}

func (s *hall) Held(context.Context) ([]Held, error) {
	return []Held{
		{Namespace: "team", Group: "g", Jobs: 3},
		{Namespace: "team", Group: "h", Jobs: 4},
		{Namespace: "team", Workflows: 5, Calendars: 6},
		{Namespace: job.DefaultNamespace, Group: "g", Jobs: 7, Groups: 1},
	}, nil
}

func (s *hall) Slots(_ context.Context, f *SlotFilter) ([]Slot, error) {
	s.slots = *f
	return s.ended, nil
}

func (s *hall) Counts(_ context.Context, sight access.Sight, _ time.Time) (Counts, error) {
	s.asked++
	s.sight = sight
	time.Sleep(s.slow)
	return Counts{Waiting: s.asked}, s.fail
}

// leased are executors.
type leased []job.Executor

func (l leased) Executors() []job.Executor { return l }

func in(places ...access.Place) access.Sight { return access.Sight{Places: places} }

func TestNamespaces(t *testing.T) {
	t.Parallel()
	o := NewOverview(&hall{}, leased{})
	for _, c := range []struct {
		sight   access.Sight
		besides []string
		want    []NamespaceFigures
	}{
		{everywhere(), []string{"granted", "team"}, []NamespaceFigures{
			{Name: job.DefaultNamespace, Jobs: 7, Groups: 1}, {Name: "granted"}, {Name: "team", Jobs: 7, Workflows: 5, Calendars: 6},
		}},
		{in(access.Place{Namespace: "team", Group: access.All}), nil, []NamespaceFigures{{Name: "team", Jobs: 7, Workflows: 5, Calendars: 6}}},
		{in(access.Place{Namespace: "team", Group: "g"}), nil, []NamespaceFigures{{Name: "team", Jobs: 3, Calendars: 6}}},
		{in(access.Place{Namespace: "other", Group: "g"}), nil, []NamespaceFigures{}},
		{access.Sight{}, nil, []NamespaceFigures{}},
	} {
		got, err := o.Namespaces(t.Context(), c.sight, c.besides)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.sight, diff)
		}
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	later := now.Add(time.Minute)
	all := []job.Executor{
		{Namespace: job.DefaultNamespace, Group: "g", LeaseUntil: later},
		{Namespace: job.DefaultNamespace, Group: "h", LeaseUntil: later},
		{Namespace: job.DefaultNamespace, Group: "g", LeaseUntil: later, Draining: true},
		{Namespace: job.DefaultNamespace, Group: "g", LeaseUntil: now},
		{Namespace: job.DefaultNamespace, Group: "g", LeaseUntil: now, Draining: true},
		{Namespace: job.DefaultNamespace, Group: "g", LeaseUntil: later, Unreachable: "refused"},
	}
	if got, want := standing(all, everywhere(), now), (ExecutorFigures{Alive: 2, Draining: 1, Unreachable: 1, Silent: 2}); got != want {
		t.Errorf("all: %+v, want %+v", got, want)
	}
	if got, want := standing(all, in(access.Place{Namespace: job.DefaultNamespace, Group: "h"}), now), (ExecutorFigures{Alive: 1}); got != want {
		t.Errorf("of h: %+v, want %+v", got, want)
	}
}

// A summary is counted once a second for the same sight, more seldom when that takes
// long, and anew after one that failed.
func TestSummaryIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &hall{}
		today := job.DayOf(time.Now())
		s.answer = []job.Stats{{Day: today.AddDate(0, 0, -1), Failed: 2}, {Day: today, Succeeded: 3}}
		o := NewOverview(s, leased{})
		a, b := access.Place{Namespace: "team", Group: "g"}, access.Place{Namespace: "team", Group: "h"}
		ask := func(sight access.Sight, want int) {
			t.Helper()
			got, err := o.Summary(t.Context(), &SummaryQuery{Sight: sight})
			if err != nil || s.asked != want {
				t.Errorf("%+v: asked %d times, want %d, %v", got, s.asked, want, err)
			}
		}
		ask(everywhere(), 1)
		ask(everywhere(), 1)
		ask(in(a, b), 2)
		ask(in(b, a), 2)
		ask(in(a), 3)
		ask(access.Sight{}, 4)
		time.Sleep(time.Second)
		s.slow = time.Second
		ask(everywhere(), 5)
		time.Sleep(9 * time.Second)
		ask(everywhere(), 5)
		time.Sleep(time.Second)
		s.fail = errors.New("away")
		if _, err := o.Summary(t.Context(), &SummaryQuery{Sight: everywhere()}); !errors.Is(err, s.fail) {
			t.Errorf("got %v", err)
		}
		s.fail = nil
		ask(everywhere(), 7)

		got, err := o.Summary(t.Context(), &SummaryQuery{Sight: everywhere()})
		want := Summary{
			At: got.At, Zone: "UTC", Counts: Counts{Waiting: 7}, Jobs: 14,
			Today: job.Stats{Day: today, Succeeded: 3}, Yesterday: job.Stats{Day: today.AddDate(0, 0, -1), Failed: 2},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}

// Of those that ask at the same time one counts, and who does not wait is let go.
func TestSummaryAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &hall{slow: time.Minute}
		o := NewOverview(s, leased{})
		done := make(chan error)
		for range 5 {
			go func() {
				_, err := o.Summary(t.Context(), &SummaryQuery{Sight: everywhere()})
				done <- err
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := o.Summary(ctx, &SummaryQuery{Sight: everywhere()}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		for range 5 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if s.asked != 1 {
			t.Errorf("asked %d times", s.asked)
		}
	})
}

func TestSummariesAreFew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &hall{}
		o := NewOverview(s, leased{})
		for i := range 3 * maxAnswers {
			if _, err := o.Summary(t.Context(), &SummaryQuery{Sight: in(access.Place{Namespace: fmt.Sprintf("n%d", i), Group: "g"})}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		last := in(access.Place{Namespace: fmt.Sprintf("n%d", 3*maxAnswers-1), Group: "g"})
		if _, err := o.Summary(t.Context(), &SummaryQuery{Sight: last}); err != nil || s.asked != 3*maxAnswers || len(o.summaries.all) != maxAnswers {
			t.Errorf("%d are kept, asked %d times, %v", len(o.summaries.all), s.asked, err)
		}
	})
}

// A summary is narrowed to what is asked for, and never shows more than the sight.
func TestSummaryIsNarrowed(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(time.Hour)
	executors := leased{
		{Namespace: job.DefaultNamespace, Group: "g", LeaseUntil: later},
		{Namespace: job.DefaultNamespace, Group: "h", LeaseUntil: later},
	}
	part := in(access.Place{Namespace: "team", Group: "g"}, access.Place{Namespace: "other", Group: access.All})
	for _, c := range []struct {
		sight            access.Sight
		namespace, group string
		want             []access.Place
		jobs, alive      int
	}{
		{everywhere(), "team", "", []access.Place{{Namespace: "team", Group: access.All}}, 7, 0},
		{everywhere(), "team", "h", []access.Place{{Namespace: "team", Group: "h"}}, 4, 0},
		{everywhere(), "", "g", []access.Place{{Namespace: "team", Group: "g"}, {Namespace: job.DefaultNamespace, Group: "g"}}, 10, 1},
		{everywhere(), job.DefaultNamespace, "", []access.Place{{Namespace: job.DefaultNamespace, Group: access.All}}, 7, 2},
		{everywhere(), "", "none", nil, 0, 0},
		{everywhere(), "none", "", []access.Place{{Namespace: "none", Group: access.All}}, 0, 0},
		{part, "team", "", []access.Place{{Namespace: "team", Group: "g"}}, 3, 0},
		{part, "team", "h", nil, 0, 0},
		{part, "", "g", []access.Place{{Namespace: "team", Group: "g"}}, 3, 0},
		{part, "other", "x", []access.Place{{Namespace: "other", Group: "x"}}, 0, 0},
		{part, job.DefaultNamespace, "", nil, 0, 0},
		{access.Sight{}, "", "g", nil, 0, 0},
	} {
		s := &hall{}
		got, err := NewOverview(s, executors).Summary(t.Context(), &SummaryQuery{Sight: c.sight, Namespace: c.namespace, Group: c.group})
		if err != nil || s.sight.All || got.Jobs != c.jobs || got.Executors.Alive != c.alive || got.Namespace != c.namespace || got.Group != c.group {
			t.Errorf("%+v %q/%q: %+v, %v", c.sight, c.namespace, c.group, got, err)
		}
		if diff := cmp.Diff(c.want, s.sight.Places); diff != "" {
			t.Errorf("%+v %q/%q: %s", c.sight, c.namespace, c.group, diff)
		}
	}
}

// The days of a summary are those of its zone, also when one of them is shorter.
func TestSummaryDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Clocks go forward in Berlin on 31 March 2030 at 02:00.
		time.Sleep(time.Until(time.Date(2030, 3, 31, 22, 30, 0, 0, time.UTC)))
		began := time.Date(2030, 3, 31, 22, 0, 0, 0, time.UTC)
		s := &hall{ended: []Slot{
			{From: began.Add(-23 * time.Hour), Stats: job.Stats{Failed: 1}},
			{From: began.Add(-SlotLength), Stats: job.Stats{Failed: 2}},
			{From: began, Stats: job.Stats{Failed: 4}},
		}}
		o := NewOverview(s, leased{})
		got, err := o.Summary(t.Context(), &SummaryQuery{Sight: everywhere(), Namespace: "team", Zone: "Europe/Berlin"})
		day := time.Date(2030, 4, 1, 0, 0, 0, 0, time.UTC)
		if err != nil || got.Zone != "Europe/Berlin" || got.Yesterday != (job.Stats{Day: day.AddDate(0, 0, -1), Failed: 3}) || got.Today != (job.Stats{Day: day, Failed: 4}) {
			t.Errorf("got %+v, %v", got, err)
		}
		want := SlotFilter{Sight: everywhere(), From: began.Add(-23 * time.Hour), To: began.Add(24 * time.Hour)}
		want.Sight = want.Sight.Within("team", "")
		if diff := cmp.Diff(want, s.slots); diff != "" {
			t.Error(diff)
		}
		for _, zone := range []string{"Local", "Nowhere/Land", "../etc/passwd"} {
			q := SummaryQuery{Sight: everywhere(), Zone: zone}
			if _, err := o.Summary(t.Context(), &q); !job.Is(err, job.Invalid) || !job.Is(q.Check(), job.Invalid) {
				t.Errorf("%s: %v", zone, err)
			}
		}
	})
}
