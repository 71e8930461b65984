package storetest

import (
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func spreadTests() []test {
	return []test{
		{"ends are counted in their pieces of time", spreadOfEnds},
		{"they are counted where the caller may read", spreadWithin},
		{"runs that end without an attempt are counted too", spreadWithoutAttempts},
		{"how late attempts were sent", spreadOfLate},
		{"old pieces are removed", spreadsRemoved},
	}
}

// hours is the day of the test.
func (b *bench) hours() queries.SlotFilter {
	day := job.DayOf(b.now)
	return queries.SlotFilter{Sight: everywhere, From: day, To: day.AddDate(0, 0, 1)}
}

func (b *bench) slots(f queries.SlotFilter) []queries.Slot {
	b.Helper()
	found, err := b.Slots(b.ctx(), &f)
	b.ok(err)
	return found
}

func spreadOfEnds(b *bench) {
	j := b.create()
	b.same("before", len(b.slots(b.hours())), 0)
	took := []time.Duration{0, time.Second, 1100 * time.Millisecond, time.Minute}
	var batch []completer.Completion
	for i, outcome := range []job.State{job.Succeeded, job.Failed, job.Succeeded, job.Lost} {
		c := b.counted(b.dispatch(b.trigger(j, b.now)), outcome, b.at(20*i), took[i])
		if i > 0 { // the first one has no place
			c.Namespace, c.Group = j.Namespace, j.Group
		}
		batch = append(batch, c)
	}
	b.commit(batch...)
	b.commit(b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, b.at(1800), time.Second))

	f := b.hours()
	first := queries.Slot{From: b.now, Stats: job.Stats{
		Succeeded: 2, Failed: 1, Lost: 1, Attempts: 4, Timed: 3, Took: 2100 * time.Millisecond, TookMax: 1100 * time.Millisecond,
		Late: 6210 * time.Millisecond, LateMax: 6 * time.Second,
	}}
	first.Spread.Count(took[0])
	first.Spread.Count(took[1])
	first.Spread.Count(took[2])
	second := queries.Slot{From: b.at(1800), Stats: job.Stats{
		Succeeded: 1, Attempts: 1, Timed: 1, Took: time.Second, TookMax: time.Second, Late: 100 * time.Millisecond, LateMax: 100 * time.Millisecond,
	}}
	second.Spread.Count(time.Second)
	b.same("half hours", b.slots(f), []queries.Slot{first, second})
	f.Short = true
	var begins []time.Time
	for _, s := range b.slots(f) {
		begins = append(begins, s.From)
	}
	b.same("minutes", begins, []time.Time{b.now, b.at(60), b.at(1800)})
	f.To = b.at(60)
	b.reopen()
	short := b.slots(f)
	b.same("of a minute", []int64{int64(len(short)), short[0].Succeeded, short[0].Failed, short[0].Spread.Total()}, []int64{1, 2, 1, 3})
}

func spreadWithin(b *bench) {
	jobs := b.placed()
	for i, j := range jobs {
		c := b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, b.at(i), 0)
		c.Namespace, c.Group = j.Namespace, j.Group
		b.commit(c)
	}
	for _, c := range []struct {
		sight            access.Sight
		namespace, group string
	}{
		{everywhere, "", ""},
		{everywhere, job.DefaultNamespace, ""},
		{everywhere, "", "g1"},
		{everywhere, "team", "g1"},
		{access.Sight{}, "", ""},
		{access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: access.All}}}, "", ""},
		{access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}, {Namespace: "team", Group: "g3"}}}, "", ""},
		{access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}, {Namespace: "team", Group: "g3"}}}, "team", ""},
		{access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}}}, "", "g2"},
	} {
		want := int64(0)
		for _, j := range jobs {
			if c.sight.Sees(access.Object{Namespace: j.Namespace, Group: j.Group}) && (c.namespace == "" || c.namespace == j.Namespace) &&
				(c.group == "" || c.group == j.Group) {
				want++
			}
		}
		f := b.hours()
		f.Sight, f.Namespace, f.Group = c.sight, c.namespace, c.group
		got := int64(0)
		for _, s := range b.slots(f) {
			got += s.Succeeded
		}
		late, _, err := b.Late(b.ctx(), &f)
		b.ok(err)
		if got != want || late.Total() != want {
			b.Errorf("%+v in %q of %q: %d ends and %d late, want %d", c.sight, c.group, c.namespace, got, late.Total(), want)
		}
	}
}

func spreadWithoutAttempts(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	for range 2 { // the second time it is over
		_, err := b.CancelRun(b.ctx(), r.ID, "", b.at(1))
		b.ok(err)
	}
	b.same("cancelled", b.slots(b.hours()), []queries.Slot{{From: b.now, Stats: job.Stats{Cancelled: 1}}})
}

func spreadOfLate(b *bench) {
	j := b.create()
	var want job.Spread
	for i, took := range []time.Duration{0, time.Second, time.Minute} { // a tenth of it late
		want.Count(took / 10)
		b.commit(b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, b.at(60*i), took))
	}
	f := b.hours()
	f.From, f.To = b.now, b.at(180)
	got, most, err := b.Late(b.ctx(), &f)
	b.ok(err)
	b.same("late", got, want)
	b.same("latest", most, 6*time.Second)
	f.To = b.now
	got, most, err = b.Late(b.ctx(), &f)
	b.ok(err)
	b.same("of no time", got, job.Spread{})
	b.same("latest of no time", most, time.Duration(0))
}

func spreadsRemoved(b *bench) {
	one, two := b.create(), b.create(func(j *job.Job) { j.Group = "other" })
	for _, j := range []job.Job{one, two} {
		for _, hours := range []int{0, 5, 2000} {
			b.commit(b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, b.at(3600*hours), 0))
		}
	}
	b.fold()
	remove := func(hours, limit int) int {
		b.Helper()
		n, err := b.RemoveSpreads(b.ctx(), b.at(3600*hours), limit)
		b.ok(err)
		return n
	}
	b.same("none", remove(2, 9)+remove(3000, 0), 0)
	b.same("minutes", []int{remove(5, 1), remove(5, 9), remove(5, 9)}, []int{1, 1, 0})
	f := b.hours()
	b.same("half hours are kept", len(b.slots(f)), 2)
	b.same("nine weeks later", []int{remove(2000, 3), remove(2000, 9), remove(2000, 9)}, []int{3, 3, 0})
	b.same("none is left of the day", len(b.slots(f)), 0)
	f.To = b.at(3600 * 3000)
	left := b.slots(f)
	b.same("the newest is left", []int64{int64(len(left)), left[0].Succeeded}, []int64{1, 2})
}
