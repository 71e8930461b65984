package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func calendarTests() []test {
	return []test{
		{"saved calendars are read", calendarIsRead},
		{"a save counts versions and compares them", calendarCompares},
		{"one of many makers wins", calendarRace},
		{"a calendar that is named stays", calendarNamed},
		{"a job names calendars that exist", calendarMissing},
		{"a change lets planners look at the jobs that name it", calendarLooks},
		{"limits", calendarLimits},
		{"rules are read when they have changed", rulesVersion},
	}
}

// calendar returns a calendar that is not in the store.
func (b *bench) calendar(key string) job.Calendar {
	return job.Calendar{
		Namespace: job.DefaultNamespace, Key: key, Title: "Праздники", CreatedAt: b.now, UpdatedAt: b.now,
		Rules: calendar.Rules{
			Dates:      []calendar.Day{{Date: calendar.Date{Year: 2026, Month: 5, Day: 1}, Name: "Tag der \"Arbeit\""}},
			KnownUntil: calendar.Date{Year: 2027, Month: 12, Day: 31}, Source: "a law",
		},
	}
}

func (b *bench) saveCalendar(c job.Calendar) job.Calendar {
	b.Helper()
	c, err := b.SaveCalendar(b.ctx(), c)
	b.ok(err)
	return c
}

// naming makes a job's schedule name calendars.
func naming(keys ...string) func(*job.Job) {
	return func(j *job.Job) { j.Schedule.Calendars = keys }
}

func (b *bench) rules(known int64) *planner.Rules {
	b.Helper()
	rules, err := b.Rules(b.ctx(), known)
	b.ok(err)
	return rules
}

func calendarIsRead(b *bench) {
	other := b.calendar("a")
	other.Namespace = "team-b"
	b.saveCalendar(other)
	second, one := b.saveCalendar(b.calendar("b")), b.saveCalendar(b.calendar("a"))
	want := b.calendar("a")
	want.ID, want.Version = one.ID, 1
	b.same("saved", one, want)
	if one.ID == second.ID || one.ID == 0 {
		b.Fatalf("ids %d and %d", one.ID, second.ID)
	}
	b.reopen()
	got, err := b.Calendar(b.ctx(), job.DefaultNamespace, "a")
	b.ok(err)
	b.same("calendar", got, want)
	all, err := b.Calendars(b.ctx(), job.DefaultNamespace)
	b.ok(err)
	b.same("calendars", all, []job.Calendar{one, second})
	every, err := b.Calendars(b.ctx(), access.All)
	b.ok(err)
	b.same("in order of namespace and key", slices.IsSortedFunc(every, func(x, y job.Calendar) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Key, y.Key))
	}), true)
	b.same("how many there are in all namespaces", len(every), len(all)+1)
	all, err = b.Calendars(b.ctx(), "nobody")
	b.ok(err)
	b.same("calendars of nobody", len(all), 0)
	_, err = b.Calendar(b.ctx(), "nobody", "a")
	b.kind(err, job.NotFound)
}

func calendarCompares(b *bench) {
	first := b.saveCalendar(b.calendar("a"))
	_, err := b.SaveCalendar(b.ctx(), b.calendar("a"))
	b.kind(err, job.Conflict)
	next := b.calendar("a") // its ID is ignored
	next.Version, next.Title, next.CreatedAt, next.UpdatedAt = 1, changed, b.at(7), b.at(8)
	next.Rules = calendar.Rules{Mode: calendar.ModeOnly}
	saved := b.saveCalendar(next)
	next.ID, next.Version, next.CreatedAt = first.ID, 2, b.now
	b.same("saved", saved, next)
	got, err := b.Calendar(b.ctx(), job.DefaultNamespace, "a")
	b.ok(err)
	b.same("calendar", got, next)
	_, err = b.SaveCalendar(b.ctx(), first)
	b.kind(err, job.Conflict)
	first.Key = "missing"
	_, err = b.SaveCalendar(b.ctx(), first)
	b.kind(err, job.NotFound)

	b.ok(b.DeleteCalendar(b.ctx(), job.DefaultNamespace, "a"))
	b.kind(b.DeleteCalendar(b.ctx(), job.DefaultNamespace, "a"), job.NotFound)
	again := b.saveCalendar(b.calendar("a"))
	if again.ID == first.ID {
		b.Fatal("an id is given twice")
	}
}

func calendarRace(b *bench) {
	var mu sync.Mutex
	wins := map[string]int{}
	race := func(name string, c job.Calendar) {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				_, err := b.SaveCalendar(b.ctx(), c)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					wins[name]++
				case !job.Is(err, job.Conflict):
					b.Errorf("unexpected error: %v", err)
				}
			})
		}
		all.Wait()
	}
	before := b.rules(0).Version
	race("make", b.calendar("a"))
	c, err := b.Calendar(b.ctx(), job.DefaultNamespace, "a")
	b.ok(err)
	race("change", c)
	b.same("winners", wins, map[string]int{"make": 1, "change": 1})
	b.same("changes of the rules", b.rules(0).Version-before, int64(2))
}

func calendarNamed(b *bench) {
	b.saveCalendar(b.calendar("a"))
	inside := b.saveCalendar(b.calendar("inside"))
	refused := func(key string, names ...string) {
		b.Helper()
		err := b.DeleteCalendar(b.ctx(), job.DefaultNamespace, key)
		b.kind(err, job.Conflict)
		for _, name := range names {
			if !strings.Contains(err.Error(), name) {
				b.Fatalf("%q does not name %s", err, name)
			}
		}
	}
	jobs := make([]job.Job, 6)
	for i := range jobs {
		jobs[i] = b.create(naming("a"), func(j *job.Job) { j.Enabled = i > 0 })
	}
	refused("a", jobs[0].Key, jobs[4].Key, "and more")
	several := b.create(func(j *job.Job) {
		daily := schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Calendars: []string{"inside"}}
		j.Schedule = schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{daily, daily}}
	})
	refused("inside", several.Key)
	b.save(several, naming("inside", "inside")) // another place, and twice
	refused("inside", several.Key)
	b.reopen()
	refused("inside", several.Key)
	for _, j := range jobs[1:] {
		b.save(j, naming())
	}
	refused("a", jobs[0].Key)
	b.ok(b.DeleteJob(b.ctx(), jobs[0], ""))
	b.ok(b.DeleteCalendar(b.ctx(), job.DefaultNamespace, "a"))
	b.same("the other one", b.rules(0).Calendars, []job.Calendar{inside})
}

func calendarMissing(b *bench) {
	elsewhere := b.calendar("elsewhere")
	elsewhere.Namespace = "team-b"
	b.saveCalendar(elsewhere)
	b.saveCalendar(b.calendar("a"))
	draft, j := b.draft(), b.create(naming("a"))
	for _, key := range []string{"missing", "elsewhere"} {
		naming("a", key)(&draft)
		_, err := b.CreateJob(b.ctx(), draft)
		b.invalid(err, "schedule.calendars", key)
		_, err = b.Job(b.ctx(), draft.Namespace, draft.Key)
		b.kind(err, job.NotFound)
		wrong := j
		naming("a", key)(&wrong)
		_, err = b.SaveJob(b.ctx(), wrong, "")
		b.invalid(err, "schedule.calendars", key)
		b.same("job", b.job(j.Key), j)
	}
	j = b.save(j, func(j *job.Job) { j.Title = changed })
	b.kind(b.DeleteCalendar(b.ctx(), job.DefaultNamespace, "a"), job.Conflict)
	b.same("job", b.job(j.Key), j)
}

// invalid checks that err is Invalid, about the field, and contains the word.
func (b *bench) invalid(err error, field, word string) {
	b.Helper()
	b.kind(err, job.Invalid)
	if !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), word) {
		b.Fatalf("%q does not contain %s and %s", err, field, word)
	}
}

func calendarLooks(b *bench) {
	c := b.saveCalendar(b.calendar("a"))
	b.saveCalendar(b.calendar("b"))
	later := func(j *job.Job) { j.NextAt = b.at(500) }
	named, plain, other := b.create(naming("b", "a"), later), b.create(later), b.create(naming("b"), later)
	due := b.create(naming("a"), func(j *job.Job) { j.NextAt = b.at(-3) })
	b.create(naming("a"), func(j *job.Job) { j.Enabled = false })
	waiting := b.create(func(j *job.Job) {
		j.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: delay, Calendars: []string{"a"}}
	})
	b.fire(waiting, b.now)
	c.UpdatedAt = b.at(4)
	b.saveCalendar(c)
	looks := map[int64]time.Time{}
	jobs, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(1000), 99)
	b.ok(err)
	for _, d := range jobs {
		looks[d.JobID] = d.Look
	}
	b.same("looks", looks, map[int64]time.Time{
		named.ID: b.at(4), plain.ID: b.at(500), other.ID: b.at(500), due.ID: b.at(-3),
	})
	b.next1(named, b.at(500), b.at(4))
	b.same("took effect", b.plan(planner1(named, b.at(500), b.at(600))), true)
	b.next(named, b.at(600))
}

// next1 checks the job's next firing and when planners look at it.
func (b *bench) next1(j job.Job, next, look time.Time) {
	b.Helper()
	due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(1_000_000), 1000)
	b.ok(err)
	i := slices.IndexFunc(due, func(d planner.Due) bool { return d.JobID == j.ID })
	if i < 0 {
		b.Fatalf("no planner looks at job %s", j.Key)
	}
	b.same("next and look", []time.Time{due[i].Next, due[i].Look}, []time.Time{next, look})
}

func calendarLimits(b *bench) {
	long := b.calendar("long")
	long.Rules.Source = strings.Repeat("x", job.MaxCalendarBytes)
	_, err := b.SaveCalendar(b.ctx(), long)
	b.invalid(err, "rules", fmt.Sprint(job.MaxCalendarBytes))
	var all sync.WaitGroup
	for i := range job.MaxCalendars {
		all.Go(func() {
			if _, err := b.SaveCalendar(b.ctx(), b.calendar(fmt.Sprintf("c-%d", i))); err != nil {
				b.Errorf("calendar %d: %v", i, err)
			}
		})
	}
	all.Wait()
	_, err = b.SaveCalendar(b.ctx(), b.calendar("one-more"))
	b.kind(err, job.Full)
	_, err = b.SaveCalendar(b.ctx(), b.calendar("c-7"))
	b.kind(err, job.Conflict)
	got, err := b.Calendars(b.ctx(), job.DefaultNamespace)
	b.ok(err)
	b.same("calendars", len(got), job.MaxCalendars)
	b.saveCalendar(got[3])
	b.ok(b.DeleteCalendar(b.ctx(), job.DefaultNamespace, "c-7"))
	b.saveCalendar(b.calendar("one-more"))
}

func rulesVersion(b *bench) {
	rules := b.rules(0)
	if rules == nil || rules.Version <= 0 || len(rules.Calendars)+len(rules.Pauses) > 0 {
		b.Fatalf("rules of an empty store: %+v", rules)
	}
	version := rules.Version
	changes := func(what string, do func()) {
		b.Helper()
		do()
		rules := b.rules(version)
		if rules == nil || rules.Version <= version {
			b.Fatalf("%s does not change the rules: %+v", what, rules)
		}
		version = rules.Version
		if again := b.rules(version); again != nil {
			b.Fatalf("rules that are known: %+v", again)
		}
	}
	var c job.Calendar
	changes("a new group", func() { b.create() })
	changes("a new calendar", func() { c = b.saveCalendar(b.calendar("a")) })
	changes("a changed calendar", func() { c = b.saveCalendar(c) })
	changes("a new pause", func() { b.pause("p") })
	changes("a changed pause", func() { b.pause("p") })
	changes("an executor of a new group", func() { b.beat("second", executorAddress, 90) })
	b.same("calendars", b.rules(0).Calendars, []job.Calendar{c})
	changes("a pause that is lifted", func() { b.ok(b.DeletePause(b.ctx(), "p", b.now)) })
	changes("a calendar that is deleted", func() { b.ok(b.DeleteCalendar(b.ctx(), c.Namespace, "a")) })

	b.create() // the group exists
	_, err := b.SaveCalendar(b.ctx(), job.Calendar{Version: 3, Key: "missing"})
	b.kind(err, job.NotFound)
	b.reopen()
	if again := b.rules(version); again != nil {
		b.Fatalf("nothing changed, and the rules did: %+v", again)
	}
}
