package storetest

import (
	"slices"
	"strconv"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

func placeTests() []test {
	return []test{
		{"what users name is where it is stored", placesFound},
		{"a pause is where the jobs are that it holds", placesOfPauses},
		{"lists have what is in the sight and nothing else, page by page", listsWithin},
		{"a calendar beyond the sight is like one that does not exist", calendarsWithin},
		{"runs are named with how they stand", runsNamed},
	}
}

// place returns where an object is that is in one place.
func (b *bench) place(kind, namespace, key string) access.Object {
	b.Helper()
	on, err := b.Place(b.ctx(), kind, namespace, key)
	b.ok(err)
	b.same("number of places", len(on), 1)
	return on[0]
}

func digits(id int64) string { return strconv.FormatInt(id, 10) }

func placesFound(b *bench) {
	j := b.create(func(j *job.Job) { j.Namespace, j.Group = "team", "desk" })
	r := b.trigger(j, b.now)
	a := b.dispatch(r)
	fill := b.backfill(j)
	flow := b.flowRun("nightly", j)
	silence, err := b.SaveAlarmSilence(b.ctx(), words.Silence{Namespace: "team", CreatedAt: b.now}, b.now)
	b.ok(err)
	b.decide(func(c *alerting.Changes) {
		one := b.alarmOf(7, j.ID)
		one.Namespace, one.Group = "team", "desk"
		c.Alarms = []*alerting.Alarm{one}
	})
	b.posted(b.message(8, 3))

	here := access.Object{Namespace: "team", Group: "desk"}
	moved := b.save(j, func(j *job.Job) { j.Group = "another" })
	now := access.Object{Namespace: "team", Group: "another"}
	b.same("group", moved.Group, now.Group)
	for _, c := range []struct {
		kind, namespace, key string
		want                 access.Object
	}{
		{"job", "team", j.Key, now},
		{"run", "", digits(r.ID), here}, // it stays where it was made
		{"attempt", "", digits(a.ID), here},
		{"backfill", "", digits(fill.ID), now},
		{"workflow run", "", digits(flow.ID), access.Object{Namespace: job.DefaultNamespace}},
		{"silence", "", digits(silence.ID), access.Object{Namespace: "team"}},
		{"alarm", "", "7", here},
		{"notification", "", "8", access.Object{Namespace: job.DefaultNamespace}},
	} {
		b.same("place of "+c.kind, b.place(c.kind, c.namespace, c.key), c.want)
		for _, missing := range []string{"999999999", "0", "-1", "x", "", "99999999999999999999", c.key + " ", "'"} {
			_, err := b.Place(b.ctx(), c.kind, c.namespace, missing)
			b.kind(err, job.NotFound)
		}
	}
	_, err = b.Place(b.ctx(), "job", "another", j.Key)
	b.kind(err, job.NotFound)
	_, err = b.Place(b.ctx(), "shoe", "", "1")
	b.kind(err, job.Internal)
	b.ok(b.DeleteJob(b.ctx(), moved, ""))
	_, err = b.Place(b.ctx(), "job", "team", j.Key)
	b.kind(err, job.NotFound)
	b.same("a run of a job that is gone", b.place("run", "", digits(r.ID)), here)
}

func placesOfPauses(b *bench) {
	b.pause("all")
	b.pause("space", func(p *job.Pause) { p.Namespace = "team" })
	b.pause("groups", func(p *job.Pause) { p.Namespace, p.Groups = "team", []string{"a", "b"} })
	for key, want := range map[string][]access.Object{
		"all": {access.Server()}, "space": {{Namespace: "team"}}, "groups": {{Namespace: "team", Group: "a"}, {Namespace: "team", Group: "b"}},
	} {
		on, err := b.Place(b.ctx(), "pause", "", key)
		b.ok(err)
		b.same("places of pause "+key, on, want)
	}
	_, err := b.Place(b.ctx(), "pause", "", "none")
	b.kind(err, job.NotFound)
}

// calendarsWithin lists the jobs that name a calendar: in each order there are those in the
// sight. A caller that sees none of them gets the same answer as for a missing calendar.
func calendarsWithin(b *bench) {
	var jobs []job.Job
	for _, namespace := range []string{job.DefaultNamespace, "team"} {
		c := b.calendar("works")
		c.Namespace = namespace
		b.saveCalendar(c)
		for i, group := range []string{"g1", "g2", "g1"} {
			jobs = append(jobs, b.create(func(j *job.Job) {
				j.Namespace, j.Group, j.Key = namespace, group, group+digits(int64(i))
				if i < 2 {
					j.Schedule.Calendars = []string{"works"}
				}
			}))
		}
	}
	rapid.Check(b.T, func(r *rapid.T) {
		sight := access.Sight{Places: rapid.SliceOfN(rapid.Custom(drawPlace), 0, 4).Draw(r, "places")}
		q := queries.JobQuery{
			Sight: sight, Namespace: rapid.SampledFrom([]string{job.DefaultNamespace, "team"}).Draw(r, "namespace"),
			Group: rapid.SampledFrom([]string{"", "", "g1", "g2"}).Draw(r, "group"), Calendar: "works", Limit: 100,
		}
		want := []int64{}
		for i := range jobs {
			j := &jobs[i]
			seen := sight.Sees(access.Object{Namespace: j.Namespace, Group: j.Group})
			if seen && j.Namespace == q.Namespace && (q.Group == "" || q.Group == j.Group) && len(j.Schedule.Calendars) > 0 {
				want = append(want, j.ID)
			}
		}
		for _, calendar := range []string{"works", "missing", "Works"} {
			if q.Calendar = calendar; calendar != "works" {
				want = want[:0]
			}
			page, err := b.JobPage(b.ctx(), q)
			if err != nil {
				r.Fatal(err)
			}
			ranked := q
			ranked.Order = jobrows.Order{By: jobrows.ByTitle}
			sorted, err := b.JobRanks(b.ctx(), ranked)
			if err != nil {
				r.Fatal(err)
			}
			inOrder := idsBy(page, func(j *job.Job) int64 { return j.ID })
			byTitle := idsBy(sorted, func(j *queries.RankedJob) int64 { return j.Job.ID })
			if !slices.Equal(inOrder, want) || !slices.Equal(byTitle, want) {
				r.Fatalf("%+v: got %v and %v, want %v", q, inOrder, byTitle, want)
			}
		}
	})
}

// runsNamed reads a run for watchers, at each of its steps.
func runsNamed(b *bench) {
	j := b.create(func(j *job.Job) { j.Namespace, j.Group = "team", "desk" })
	r := b.trigger(j, b.now)
	want := event.Named{
		Run: r.ID, About: event.About{Namespace: "team", Group: "desk", JobID: j.ID, JobKey: j.Key}, Cause: job.CauseManual, PlannedAt: r.PlannedAt,
	}
	check := func(step string) {
		b.Helper()
		named, err := b.NamedRuns(b.ctx(), []int64{r.ID, 999_999_999})
		b.ok(err)
		b.same(step, named, []event.Named{want})
	}
	check("made")
	a := b.dispatch(r)
	want.Attempt, want.Executor = a.ID, executorAddress
	check("sent")
	b.accept(a)
	want.StartedAt = b.run(r.ID).StartedAt
	b.same("started", want.StartedAt.IsZero(), false)
	check("taken")
	b.complete(a, job.Succeeded)
	want.EndedAt = b.run(r.ID).EndedAt
	b.same("ended", want.EndedAt.IsZero(), false)
	check("over")
}

// row is one of a list, with the place that decides its visibility.
type row struct {
	id int64
	on access.Object
}

// narrow is a list that is narrowed by a sight: ids below before, at most limit.
type narrow func(sight access.Sight, before int64, limit int) ([]int64, error)

func listsWithin(b *bench) {
	jobs := b.placed()
	var letters, fills, flows, alarms, sent []row
	for i := range 12 {
		j := jobs[i%len(jobs)]
		on := access.Object{Namespace: j.Namespace, Group: j.Group}
		letters = append(letters, row{b.bury(j, b.at(i), job.Failed, func(c *completer.Completion) { c.JobID = j.ID }).ID, on})
		fills = append(fills, row{b.backfill(j).ID, on})
		flows = append(flows, row{b.flowRun("nightly", j).ID, access.Object{Namespace: job.DefaultNamespace}})
		alarms = append(alarms, row{int64(i + 1), on})
		sent = append(sent, row{int64(i + 101), access.Object{Namespace: j.Namespace}})
	}
	b.decide(func(c *alerting.Changes) {
		for i, at := range alarms {
			one := b.alarmOf(at.id, int64(i))
			one.RuleID, one.Namespace, one.Group = int64(i), at.on.Namespace, at.on.Group
			c.Alarms = append(c.Alarms, one)
			m := b.message(sent[i].id, 3)
			m.Namespace = at.on.Namespace
			c.Messages = append(c.Messages, m)
		}
		c.To.LastID = 1000
	})
	ctx := b.ctx()
	lists := map[string]struct {
		rows []row
		read narrow
	}{
		"dead letters": {letters, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.DeadLetters(ctx, deadletters.LetterFilter{Sight: s, BeforeRun: before, Limit: limit})
			return idsBy(all, func(d *job.DeadLetter) int64 { return d.RunID }), err
		}},
		"open dead letters": {letters, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.DeadLetters(ctx, deadletters.LetterFilter{Sight: s, Status: job.LetterOpen, BeforeRun: before, Limit: limit})
			return idsBy(all, func(d *job.DeadLetter) int64 { return d.RunID }), err
		}},
		"backfills": {fills, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.Backfills(ctx, jobrows.BackfillQuery{Sight: s, BeforeID: before, Limit: limit})
			return idsBy(all, func(f *job.Backfill) int64 { return f.ID }), err
		}},
		"workflow runs": {flows, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.WorkflowRuns(ctx, workflow.Filter{Sight: s, Before: before, Limit: limit})
			return idsBy(all, func(r *job.WorkflowRun) int64 { return r.ID }), err
		}},
		"runs of a workflow": {flows, func(s access.Sight, before int64, limit int) ([]int64, error) {
			f := workflow.Filter{Sight: s, Namespace: job.DefaultNamespace, Workflow: "nightly", Before: before, Limit: limit}
			all, err := b.WorkflowRuns(ctx, f)
			return idsBy(all, func(r *job.WorkflowRun) int64 { return r.ID }), err
		}},
		"alarms": {alarms, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.Alarms(ctx, alerting.AlarmFilter{Sight: s, Before: before, Limit: limit})
			return idsBy(all, func(a *words.Alarm) int64 { return a.ID }), err
		}},
		"firing alarms": {alarms, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.Alarms(ctx, alerting.AlarmFilter{Sight: s, State: words.Firing, Before: before, Limit: limit})
			return idsBy(all, func(a *words.Alarm) int64 { return a.ID }), err
		}},
		"messages": {sent, func(s access.Sight, before int64, limit int) ([]int64, error) {
			all, err := b.Notifications(ctx, alerting.NotificationFilter{Sight: s, Before: before, Limit: limit})
			return idsBy(all, func(n *words.Notification) int64 { return n.ID }), err
		}},
	}
	rapid.Check(b.T, func(r *rapid.T) {
		sight := access.Sight{
			All:    rapid.IntRange(0, 9).Draw(r, "all") == 0,
			Places: rapid.SliceOfN(rapid.Custom(drawPlace), 0, 9).Draw(r, "places"),
		}
		limit := rapid.IntRange(1, 5).Draw(r, "limit")
		for name, list := range lists {
			checkNarrow(r, name, list.rows, sight, limit, list.read)
		}
		b.checkStats(r, sight, letters)
	})
}

func drawPlace(r *rapid.T) access.Place {
	return access.Place{
		Namespace: rapid.SampledFrom([]string{"default", "team", "other", "none"}).Draw(r, "namespace"),
		Group:     rapid.SampledFrom([]string{"g1", "g2", "g3", "none", access.All}).Draw(r, "group"),
	}
}

func idsBy[T any](rows []T, id func(*T) int64) []int64 {
	var ids []int64
	for i := range rows {
		ids = append(ids, id(&rows[i]))
	}
	return ids
}

// checkNarrow reads a list page by page: every page but the last is full.
func checkNarrow(t failer, name string, rows []row, sight access.Sight, limit int, read narrow) {
	var want, got []int64
	for _, row := range slices.Backward(rows) {
		if sight.Sees(row.on) {
			want = append(want, row.id)
		}
	}
	for before := int64(0); ; {
		page, err := read(sight, before, limit)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got = append(got, page...)
		if len(page) < limit {
			break
		}
		before = page[len(page)-1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s in %+v, pages of %d (-want +got):\n%s", name, sight, limit, diff)
	}
}

// checkStats compares what is counted with the runs that ended in the sight.
func (b *bench) checkStats(t failer, sight access.Sight, ended []row) {
	want, got := int64(0), int64(0)
	for _, one := range ended {
		if sight.Sees(one.on) {
			want++
		}
	}
	day := job.DayOf(b.now)
	days, err := b.Stats(b.ctx(), queries.StatsFilter{Sight: sight, From: day.AddDate(0, 0, -1), To: day.AddDate(0, 0, 1)})
	if err != nil {
		t.Fatalf("statistics: %v", err)
	}
	for _, d := range days {
		got += d.Failed
	}
	if got != want {
		t.Fatalf("statistics in %+v count %d, want %d", sight, got, want)
	}
}
