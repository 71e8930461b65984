package explain

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// asked is a question about a job at a time.
type asked struct {
	JobSnapshot
	moment Moment
}

func TestSlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		moment Moment
		alter  func(*asked)
		answer string
	}{
		{
			"ran", wall("2026-05-06 02:30:00"), func(a *asked) { a.Planned = []job.Run{firing(job.Succeeded).Run} },
			"Yes: run 12 succeeded, 3s after its slot.",
		},
		{"ran at last", at("2026-05-06T00:30:00Z"), func(a *asked) {
			first, second := firing(job.Failed).Run, firing(job.Succeeded).Run
			second.ID, second.Cause = 13, job.CauseBackfill
			a.Planned = []job.Run{first, second}
		}, "Yes: run 13 succeeded, 3s after its slot."},
		{"failed", at("2026-05-06T00:30:00Z"), func(a *asked) {
			r := firing(job.Failed).Run
			r.Message = "boom"
			a.Planned = []job.Run{r}
		}, "Yes, but run 12 failed: boom."},
		{"missed", wall("2026-05-06 02:30:00"), func(a *asked) {
			r := firing(job.Skipped).Run
			r.Cause, r.Reason, r.EndedAt = job.CauseMisfire, "the firing of 2026-05-06T00:30:00Z was held by pause night (backups); misfire policy skip let it go", slot
			a.Planned = []job.Run{r}
		}, "No: run 12 was skipped: the firing of 2026-05-06T00:30:00Z was held by pause night (backups); misfire policy skip let it go."},
		{"waits", at("2026-05-06T00:30:00Z"), func(a *asked) {
			r := firing(job.Queued).Run
			r.Reason = "no executor of group reports is alive"
			a.Planned = []job.Run{r}
		}, "Not yet: run 12 is queued: no executor of group reports is alive."},
		{"waits for a retry", at("2026-05-06T00:30:00Z"), func(a *asked) {
			r := firing(job.WaitingRetry).Run
			r.Tries = 1
			a.Planned = []job.Run{r}
		}, "Yes, but run 12 has not succeeded so far; it is waiting for a retry."},
		{"runs", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Planned = []job.Run{firing(job.Running).Run} }, "Yes: run 12 is running."},
		{"cancelled", at("2026-05-06T00:30:00Z"), func(a *asked) {
			r := firing(job.Cancelled).Run
			r.Tries, r.Reason = 0, "the job was stopped before the firing was made up for"
			a.Planned = []job.Run{r}
		}, "No: run 12 was cancelled before it was sent: the job was stopped before the firing was made up for."},
		{
			"no slot", wall("2026-05-06 02:00:00"), func(*asked) {},
			"No: 2026-05-06 02:00:00 (Europe/Berlin) is no slot of its schedule. The nearest are 2026-05-05 02:30:00 +02:00 and 2026-05-06 02:30:00 +02:00.",
		},
		{
			"no slot any more", at("2026-05-06T00:00:00Z"), func(a *asked) { a.Job.UpdatedAt = instant("2026-05-06T01:00:00Z") },
			"No: 2026-05-06 02:00:00 +02:00 is no slot of its schedule. The nearest are 2026-05-05 02:30:00 +02:00 and 2026-05-06 02:30:00 +02:00. " +
				"The job was changed, started or stopped after that, at 2026-05-06 03:00:00 +02:00; what its schedule was then is not kept.",
		},
		{
			"before the start", at("2026-05-04T00:30:00Z"), func(a *asked) { a.Job.Schedule.Start = instant("2026-05-05T00:00:00Z") },
			"No: 2026-05-04 02:30:00 +02:00 is no slot of its schedule. The first one is 2026-05-05 02:30:00 +02:00.",
		},
		{
			"after the end", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Job.Schedule.End = instant("2026-05-05T12:00:00Z") },
			"No: 2026-05-06 02:30:00 +02:00 is no slot of its schedule. The last one was 2026-05-05 02:30:00 +02:00.",
		},
		{"holiday", wall("2026-05-01 02:30:00"), func(a *asked) {
			a.Job.Schedule.Calendars, a.Calendars = []string{"works"}, []job.Calendar{works()}
			a.Calendars[0].UpdatedAt = instant("2026-05-03T00:00:00Z")
		}, "No: calendar works does not allow the day: Labour Day."},
		{"holiday that moves", wall("2026-05-01 02:30:00"), func(a *asked) {
			a.Job.Schedule.Calendars, a.Calendars, a.Job.Schedule.Excluded = []string{"works"}, []job.Calendar{works()}, schedule.ExcludedShift
			a.Job.Schedule.Cron = "0 30 2 1 * ?"
		}, "Not at that time: calendar works does not allow the day: Labour Day, so the slot moves to 2026-05-04 02:30:00 +02:00."},
		{"jitter", wall("2026-05-06 02:30:00"), func(a *asked) {
			a.Job.Schedule.Jitter, a.Job.Schedule.Seed = time.Hour, schedule.Seed("default", "report")
		}, "Not at that time: the jitter of the job moves the slot to 2026-05-06 02:47:59.027 +02:00."},
		{
			"gap", wall("2026-03-29 02:30:00"), func(*asked) {},
			"There is no 2026-03-29 02:30:00 (Europe/Berlin): the clock of the zone jumps from 2026-03-29 02:00:00 to 2026-03-29 03:00:00. " +
				"The firings around the jump are 2026-03-28 02:30:00 +01:00 and 2026-03-29 03:00:00 +02:00.",
		},
		{"gap with a run", wall("2026-03-29 02:30:00"), func(a *asked) {
			r := firing(job.Succeeded).Run
			r.PlannedAt = instant("2026-03-29T01:00:00Z")
			r.CreatedAt, r.EndedAt = r.PlannedAt, r.PlannedAt.Add(time.Second)
			a.Planned = []job.Run{r}
		}, "There is no 2026-03-29 02:30:00 (Europe/Berlin): the clock of the zone jumps from 2026-03-29 02:00:00 to 2026-03-29 03:00:00. " +
			"There is a run for the jump: run 12 for the slot 2026-03-29 03:00:00 +02:00 succeeded."},
		{"overlap", wall("2025-10-26 02:30:00"), func(a *asked) {
			a.Job.Schedule.DST, a.Job.CreatedAt, a.Job.UpdatedAt = nil, instant("2025-01-01T00:00:00Z"), instant("2025-01-01T00:00:00Z")
			r := firing(job.Succeeded).Run
			r.PlannedAt = instant("2025-10-26T01:30:00Z")
			r.CreatedAt, r.EndedAt = r.PlannedAt, r.PlannedAt.Add(time.Second)
			a.Planned = []job.Run{r}
		}, "Yes: run 12 succeeded, 1s after its slot."},
		{"before the job", wall("2025-12-31 02:30:00"), func(*asked) {}, "No: the job did not exist then; it was created at 2026-01-01 01:00:00 +01:00."},
		{
			"manual", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Job.Schedule = schedule.Spec{Kind: schedule.KindManual} },
			"No: its schedule is manual, so it never fires by itself, and no run for that time is kept.",
		},
		{"fixed delay", at("2026-05-06T00:30:00Z"), func(a *asked) {
			a.Job.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: time.Minute}
		}, "Its schedule is a fixed delay: it fires 1m after the end of each run, whatever the time, and no run for that time is kept."},
		{
			"unreadable", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Job.Schedule.Calendars = []string{"gone"} },
			`What its schedule says is not known, because it cannot be read: there is no calendar "gone"; make it first, name another, or leave it out.`,
		},
		{"expected", wall("2026-05-08 02:30:00"), func(*asked) {}, "Yes, if nothing changes: 2026-05-08 02:30:00 (Europe/Berlin) is a slot of its schedule."},
		{
			"expected without executors", wall("2026-05-08 02:30:00"), func(a *asked) { a.Executors = nil },
			"Yes, if nothing changes: 2026-05-08 02:30:00 (Europe/Berlin) is a slot of its schedule. No executor of its group reports is alive now; without one the run waits.",
		},
		{
			"expected while stopped", wall("2026-05-08 02:30:00"), func(a *asked) { a.Job.Enabled, a.Job.NextAt = false, time.Time{} },
			"No, as things stand: the time is a slot of its schedule, but the job is not started.",
		},
		{"expected after its own stop", wall("2026-05-08 02:30:00"), func(a *asked) {
			a.Job.Enabled, a.Job.NextAt, a.Job.StopReason = false, time.Time{}, "stopped after 3 failed runs in a row"
		}, "No, as things stand: the time is a slot of its schedule, but the job has stopped by itself: stopped after 3 failed runs in a row."},
		{
			"expected beyond the count", wall("2026-05-09 02:30:00"), func(a *asked) { a.Job.Schedule.Count, a.Job.Fired = 5, 3 },
			"No, as things stand: its schedule makes 5 runs, and they are used up before.",
		},
		{
			"expected as the last of the count", wall("2026-05-08 02:30:00"), func(a *asked) { a.Job.Schedule.Count, a.Job.Fired = 5, 3 },
			"Yes, if nothing changes: 2026-05-08 02:30:00 (Europe/Berlin) is a slot of its schedule.",
		},
		{
			"expected within a pause", wall("2026-05-07 02:30:00"), func(a *asked) { a.Pauses = []job.Pause{night()} },
			"Not at that time, as things stand: it is a slot of its schedule, but pause night holds it back until 2026-05-08 02:00:00 +02:00: backups.",
		},
		{
			"held back", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Pauses, a.Job.NextAt = []job.Pause{night()}, slot },
			"Not yet: pause night holds it back until 2026-05-08 02:00:00 +02:00: backups. When the pause is over, its misfire policy fire_once decides about the firings held back.",
		},
		{
			"not planned", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Job.NextAt = slot },
			"Not yet: no server has planned the slot so far. The first one that is not planned is 2026-05-06 02:30:00 +02:00, 11h30m ago: look at the log of the planner.",
		},
		{"stopped by itself", at("2026-05-06T00:30:00Z"), func(a *asked) {
			a.Job.Enabled, a.Job.NextAt, a.Job.LastAt, a.Job.StopReason = false, time.Time{}, slot.Add(-24*time.Hour), "its schedule has made its 3 runs"
		}, "No: the job had stopped by itself after its slot of 2026-05-05 02:30:00 +02:00: its schedule has made its 3 runs."},
		{
			"stopped then", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Job.Enabled, a.Job.NextAt = false, time.Time{} },
			"No: the time is a slot of its schedule, but the job was stopped then, as it is now.",
		},
		{
			"changed since", at("2026-05-06T00:30:00Z"), func(a *asked) { a.Job.UpdatedAt = instant("2026-05-06T01:00:00Z") },
			"No run of that time is kept. The time is a slot of its present schedule, but the job was changed, started or stopped at 2026-05-06 03:00:00 +02:00; " +
				"whether it was started before, and what its schedule was, is not kept. What a job would have fired while it was stopped is not made up for.",
		},
		{
			"removed", at("2026-02-06T01:30:00Z"), func(*asked) {},
			"No run of that time is kept, and none from before: runs are removed when they are old, so whether there was one is not known.",
		},
		{"record before", at("2026-05-06T00:30:00Z"), func(a *asked) {
			before := firing(job.Skipped).Run
			before.Cause, before.PlannedAt, before.EndedAt = job.CauseMisfire, slot.Add(-72*time.Hour), slot.Add(time.Hour)
			before.Reason = "200 firings from 2026-05-03T00:30:00Z to 2026-05-06T00:30:00Z were missed; misfire policy skip let them go"
			a.Before = &before
		}, "No run of that time alone is kept. The last record before it, of 2026-05-03 02:30:00 +02:00, may stand for it too: " +
			"200 firings from 2026-05-03T00:30:00Z to 2026-05-06T00:30:00Z were missed; misfire policy skip let them go."},
		{
			"nobody knows", at("2026-05-06T00:30:00Z"), func(a *asked) { before := firing(job.Succeeded).Run; a.Before = &before },
			"No run of that time is kept, although the time is a slot of its present schedule and older runs are kept; nothing that is kept says why.",
		},
		{"moved and ran", wall("2026-05-06 02:30:00"), func(a *asked) {
			a.Job.Schedule.Jitter, a.Job.Schedule.Seed = time.Hour, schedule.Seed("default", "report")
			r := firing(job.Lost).Run
			r.PlannedAt = slot.Add(17*time.Minute + 59*time.Second + 27*time.Millisecond)
			a.Planned = []job.Run{r}
		}, "Yes, but run 12 was lost. Its slot is 2026-05-06 02:47:59.027 +02:00."},
		{"day that Samoa never had", wall("2011-12-30 06:00:00"), func(a *asked) {
			a.Job.Schedule.Zone, a.Job.Schedule.Cron = "Pacific/Apia", "0 0 6 * * ?"
			a.Job.CreatedAt, a.Job.UpdatedAt = instant("2011-01-01T00:00:00Z"), instant("2011-01-01T00:00:00Z")
		}, "There is no 2011-12-30 06:00:00 (Pacific/Apia): the clock of the zone jumps from 2011-12-30 00:00:00 to 2011-12-31 00:00:00. " +
			"The firings around the jump are 2011-12-29 06:00:00 -10:00 and 2011-12-31 00:00:00 +14:00."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := asked{JobSnapshot: JobSnapshot{Job: report(), Executors: alive()}, moment: c.moment}
			c.alter(&a)
			e := NewSlot(&a.Job, a.Calendars, a.moment).Explain(a.JobSnapshot, now)
			if e.Answer != c.answer {
				t.Errorf("answer\n%s\nwant\n%s", e.Answer, c.answer)
			}
			golden(t, "slot-"+c.name, e)
		})
	}
}

// The runs that are read are those that can be meant.
func TestInstants(t *testing.T) {
	t.Parallel()
	j := report()
	jittered := report()
	jittered.Schedule.Jitter, jittered.Schedule.Seed = time.Hour, schedule.Seed("default", "report")
	for _, c := range []struct {
		name   string
		job    job.Job
		moment Moment
		want   []string
	}{
		{"an instant", j, at("2026-05-06T00:30:00Z"), []string{"2026-05-06T00:30:00Z"}},
		{"a time on the clock", j, wall("2026-05-06 02:30:00"), []string{"2026-05-06T00:30:00Z"}},
		{"a gap", j, wall("2026-03-29 02:30:00"), []string{"2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"}},
		{"an overlap", j, wall("2025-10-26 02:30:00"), []string{"2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z"}},
		{"moved", jittered, wall("2026-05-06 02:30:00"), []string{"2026-05-06T00:30:00Z", "2026-05-06T00:47:59Z"}},
	} {
		found := NewSlot(&c.job, nil, c.moment).Instants()
		if len(found) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, found, c.want)
			continue
		}
		for i := range found {
			if got := found[i].Truncate(time.Second); !got.Equal(instant(c.want[i])) {
				t.Errorf("%s: %v, want %v", c.name, found, c.want)
			}
		}
	}
}

// The firing before an instant leads to the instant's next one, and nothing
// fires between.
func TestFiringBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		spec := rapid.SampledFrom([]schedule.Spec{
			{Kind: schedule.KindEvery, Every: 100 * time.Millisecond},
			{Kind: schedule.KindEvery, Every: 90 * 24 * time.Hour},
			{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin"},
			{Kind: schedule.KindCron, Cron: "0 0 0 29 2 ?"},
			{Kind: schedule.KindDaily, Daily: "09:00-18:00 MON-FRI every 100ms", Zone: "America/New_York"},
			{Kind: schedule.KindOnce, At: instant("2026-01-01T00:00:00Z")},
			{Kind: schedule.KindEvery, Every: time.Minute, End: instant("2026-01-01T00:00:00Z")},
		}).Draw(r, "schedule")
		s, err := spec.Compile()
		if err != nil {
			r.Fatal(err)
		}
		at := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(r, "at"))
		before := firingBefore(s, at)
		if before.IsZero() {
			if first, ok := s.Next(time.Unix(-1, 0)); ok && first.Before(at) {
				r.Fatalf("nothing before %s, but %s fires", at, first)
			}
			return
		}
		if next, ok := s.Next(before); !before.Before(at) || ok && next.Before(at) {
			r.Fatalf("%s is before %s, but %s is too", before, at, next)
		}
		if first, ok := schedule.First(s, before); !ok || !first.Equal(before) {
			r.Fatalf("%s is no firing", before)
		}
	})
}

// Whatever is asked, the sentences are whole and say what the schedule does.
func TestSlotIsSoundWhateverIsAsked(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu"}
	specs := []schedule.Spec{
		{Kind: schedule.KindCron, Cron: "0 30 2 * * ?"},
		{Kind: schedule.KindCron, Cron: "0 */15 * * * ?"},
		{Kind: schedule.KindDaily, Daily: "22:00-03:00 MON-FRI every 30m"},
		{Kind: schedule.KindEvery, Every: 90 * time.Minute},
		{Kind: schedule.KindAfter, After: time.Hour},
		{Kind: schedule.KindManual},
		{Kind: schedule.KindOnce, At: slot},
		{Kind: schedule.KindOnce, Delay: time.Hour},
		{Kind: schedule.KindSeveral, Of: []schedule.Spec{{Kind: schedule.KindCron, Cron: "0 0 2 * * ?"}, {Kind: schedule.KindEvery, Every: time.Hour}}},
	}
	rapid.Check(t, func(r *rapid.T) {
		j := report()
		j.Schedule = rapid.SampledFrom(specs).Draw(r, "schedule")
		j.Schedule.Zone = rapid.SampledFrom(zones).Draw(r, "zone")
		s := JobSnapshot{}
		if rapid.Bool().Draw(r, "calendar") && j.Schedule.Kind != schedule.KindManual {
			j.Schedule.Calendars, s.Calendars = []string{"works"}, []job.Calendar{works()}
			j.Schedule.Excluded = rapid.SampledFrom([]schedule.Excluded{"", schedule.ExcludedShift}).Draw(r, "excluded")
		}
		if rapid.Bool().Draw(r, "jitter") && j.Schedule.Kind == schedule.KindCron {
			j.Schedule.Jitter, j.Schedule.Seed = time.Hour, 12345
		}
		j.Enabled = rapid.Bool().Draw(r, "enabled")
		j.UpdatedAt = rapid.SampledFrom([]time.Time{j.CreatedAt, now.Add(-time.Minute)}).Draw(r, "updated")
		j.NextAt = rapid.SampledFrom([]time.Time{{}, slot, now.Add(time.Hour)}).Draw(r, "next")
		if rapid.Bool().Draw(r, "pause") {
			s.Pauses = []job.Pause{night()}
		}
		s.Job = j
		when := time.Unix(60*rapid.Int64Range(0, 80_000_000).Draw(r, "minute"), 0).UTC() // up to 2122
		m := Moment{At: when}
		if rapid.Bool().Draw(r, "on the clock") {
			m = Moment{Wall: when}
		}
		q := NewSlot(&j, s.Calendars, m)
		if next, ok := schedule.First(q.compiled, q.at); q.fires && (!ok || !next.Equal(q.at)) {
			r.Fatalf("%s is said to fire, but %s does", q.at, next)
		}
		if q.fires && (q.dropped != nil || q.moved != nil) || len(q.Instants()) == 0 {
			r.Fatalf("%s contradicts itself: %+v", q.at, q)
		}
		if rapid.Bool().Draw(r, "a run") {
			s.Planned = []job.Run{firing(rapid.SampledFrom(job.States()).Draw(r, "state")).Run}
		}
		sound(r, q.Explain(s, now))
		sound(r, Job(s, now))
	})
}
