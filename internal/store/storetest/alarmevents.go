package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

func alarmEventTests() []test {
	return []test{
		{"an event is written with its end, or not at all", eventWithItsEnd},
		{"an end that would end an alarm is written when there may be one", eventThatEnds},
		{"an event is read as it was written", eventIsRead},
		{"long texts are cut", eventIsBounded},
		{"ids grow with the commits of concurrent writers", eventsInOrder},
		{"a run stopped in between writes no failure", eventOfStopped},
		{"skipped runs write a missed firing", eventOfGivenUp},
		{"skipped firings write one event", eventOfLetGo},
		{"the usual time is that of good attempts before", usualTime},
		{"events go when they are old and were dealt with", eventsForgotten},
		{"the mails of a job are kept", emailsKept},
	}
}

func (b *bench) events(after int64) []alarm.Event {
	b.Helper()
	events, err := b.Events(b.ctx(), after, 1000)
	b.ok(err)
	return events
}

// telling returns the end of an attempt that writes an event.
func (b *bench) telling(a job.Attempt, end job.State) completer.Completion {
	c := b.completion(a, end)
	c.JobID, c.When = a.JobID, completer.Always
	c.Told = &alarm.Event{At: c.EndedAt, Source: alarm.SourceRun, JobID: a.JobID, RunID: a.RunID, AttemptID: a.ID, State: end}
	return c
}

// sources returns the sources and the runs of events.
func sources(events []alarm.Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, fmt.Sprint(e.Source, " ", e.RunID, " ", e.Count))
	}
	return all
}

func eventWithItsEnd(b *bench) {
	j := b.create()
	first, second := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.at(1)))
	silent := b.completion(second, job.Failed)
	b.same("completions", b.commit(b.telling(first, job.Failed), silent), []bool{true, true})
	b.same("again", b.commit(b.telling(first, job.Failed), b.telling(second, job.Succeeded)), []bool{false, false})
	b.same("events", sources(b.events(0)), []string{fmt.Sprint("run ", first.RunID, " 0")})
	b.reopen()
	b.same("events later", sources(b.events(0)), []string{fmt.Sprint("run ", first.RunID, " 0")})
}

func eventThatEnds(b *bench) {
	j := b.create()
	end := func(at int, state job.State, when completer.Want) completer.Completion {
		c := b.telling(b.dispatch(b.trigger(j, b.at(at))), state)
		c.When = when
		return c
	}
	b.commit(end(1, job.Succeeded, completer.WhileFiring))
	b.same("while nothing fires", len(b.events(0)), 0)
	b.commit(end(2, job.Succeeded, completer.WhileFiring), end(3, job.Failed, completer.Always), end(4, job.Succeeded, completer.WhileFiring))
	b.same("behind a failure that is not processed", len(b.events(0)), 2)
	b.commit(end(5, job.Succeeded, completer.WhileFiring))
	b.same("later", len(b.events(0)), 3)
}

func eventIsRead(b *bench) {
	a := b.dispatch(b.trigger(b.create(), b.now))
	c := b.telling(a, job.Lost)
	*c.Told = alarm.Event{
		At: b.at(6), Source: alarm.SourceRun, Namespace: "default", GroupID: 4, Group: "reports", JobID: a.JobID, JobKey: "report",
		JobTitle: "日报", Labels: map[string]string{"crew": "data"}, Emails: []string{mailAddress}, RunID: a.RunID, AttemptID: a.ID,
		State: job.Lost, Cause: job.CauseSchedule, Tries: 3, PlannedAt: b.at(-9), Dead: true, Message: "gone\nfor good", Since: b.at(-5), Count: 7, Reason: "it was lost",
	}
	b.same("completion", b.commit(c), []bool{true})
	got := b.events(0)
	b.same("number of events", len(got), 1)
	want := *c.Told
	want.ID = got[0].ID
	b.same("event", got[0], want)
	b.same("after it", b.events(want.ID), []alarm.Event{})
}

func eventIsBounded(b *bench) {
	c := b.telling(b.dispatch(b.trigger(b.create(), b.now)), job.Failed)
	c.Told.Message, c.Told.Reason = strings.Repeat("m", 100_000), strings.Repeat("r", 100_000)
	b.same("completion", b.commit(c), []bool{true})
	e := b.events(0)[0]
	b.same("message and reason are short", len(e.Message) < 3000 && len(e.Reason) < 1500 && e.Message != "" && e.Reason != "", true)
}

// Events that many callers write at once are read in sequence, none twice.
func eventsInOrder(b *bench) {
	j := b.create()
	const each, tellers = 20, 8
	attempts := make([]job.Attempt, each*tellers)
	for i := range attempts {
		attempts[i] = b.dispatch(b.trigger(j, b.at(i)))
	}
	var told sync.WaitGroup
	for chunk := range slices.Chunk(attempts, each) {
		told.Go(func() {
			for _, a := range chunk {
				if _, err := b.CommitCompletions(b.ctx(), []completer.Completion{b.telling(a, job.Failed)}); err != nil {
					b.Errorf("complete: %v", err)
				}
			}
		})
	}
	seen := make(map[int64]bool)
	var after int64
	for len(seen) < len(attempts) {
		events, err := b.Events(b.ctx(), after, 7)
		b.ok(err)
		for _, e := range events {
			b.same("a new event with a larger id", e.ID > after && !seen[e.RunID], true)
			after, seen[e.RunID] = e.ID, true
		}
	}
	told.Wait()
	b.same("more", b.events(after), []alarm.Event{})
}

func eventOfStopped(b *bench) {
	a := b.stopping(b.create())
	c := b.telling(a, job.Failed) // decided before the run was stopped
	b.same("completion", b.commit(c), []bool{true})
	b.same("events", b.events(0), []alarm.Event{})
}

func eventOfGivenUp(b *bench) {
	j := b.create(func(j *job.Job) {
		j.Title, j.Labels, j.AlarmEmails = "Title", map[string]string{"a": "b"}, []string{mailAddress}
	})
	r := b.trigger(j, b.at(1))
	over := r
	over.Reason, over.EndedAt = "it waited too long", b.at(9)
	b.same("given up", b.expire(over), []bool{true})
	b.same("again", b.expire(over), []bool{false})
	got := b.events(0)
	b.same("events", got, []alarm.Event{{
		ID: got[0].ID, At: b.at(9), Source: alarm.SourceMissed, Namespace: j.Namespace, GroupID: j.GroupID, Group: j.Group, JobID: j.ID,
		JobKey: j.Key, JobTitle: "Title", Labels: j.Labels, Emails: j.AlarmEmails, RunID: r.ID, State: job.Skipped, Cause: job.CauseManual,
		PlannedAt: r.PlannedAt, Count: 1, Reason: "it waited too long",
	}})
	gone := b.create()
	late := b.trigger(gone, b.at(1))
	b.ok(b.DeleteJob(b.ctx(), gone, "")) // cancels it
	late.EndedAt = b.at(9)
	b.expire(late)
	b.same("events of a deleted job", len(b.events(got[0].ID)), 0)
}

func eventOfLetGo(b *bench) {
	j := b.create()
	letGo := func(at int, cause job.Cause) job.Run {
		r := b.firing(j, b.at(at))
		r.State, r.Cause, r.EndedAt, r.Reason = job.Skipped, cause, b.at(60), fmt.Sprint("let go ", at)
		r.ReadyAt, r.DueAt = time.Time{}, time.Time{}
		return r
	}
	move := planner.Move{JobID: j.ID, Version: j.Version, From: b.now, Next: b.at(61), Last: b.at(60), Missed: 3}
	move.Runs = []job.Run{letGo(1, job.CauseMisfire), letGo(2, job.CauseMisfire), letGo(3, job.CauseSchedule), b.firing(j, b.at(60))}
	b.same("moved", b.plan(move), true)
	got := b.events(0)
	b.same("events", sources(got), []string{fmt.Sprint("missed ", move.Runs[1].ID, " 3")})
	b.same("why", got[0].Reason, "let go 2")
	b.same("moved again", b.plan(move), false)
	move.From, move.Next, move.Missed, move.Runs = b.at(61), b.at(62), 0, []job.Run{letGo(61, job.CauseSchedule)}
	b.same("moved on", b.plan(move), true)
	b.same("events of days off", len(b.events(got[0].ID)), 0)
}

func usualTime(b *bench) {
	j := b.create()
	run := func(at int, end job.State, took time.Duration) {
		a := b.dispatch(b.trigger(j, b.at(at)))
		b.accept(a) // at 1
		c := b.telling(a, end)
		c.EndedAt, c.Told.Took = b.at(1).Add(took), took
		b.same("completion", b.commit(c), []bool{true})
	}
	for i := range 19 {
		run(i, job.Succeeded, time.Duration(i+1)*time.Second)
	}
	run(50, job.Failed, time.Hour)
	run(51, job.Succeeded, 20*time.Second)
	events := b.events(0)
	b.same("with too few", events[20].P95, time.Duration(0))
	run(52, job.Succeeded, time.Hour)
	b.same("with enough, but for what failed and itself", b.events(events[20].ID)[0].P95, 19*time.Second)
}

func eventsForgotten(b *bench) {
	j := b.create()
	for i := range 4 { // at 6
		b.commit(b.telling(b.dispatch(b.trigger(j, b.at(i))), job.Failed))
	}
	remove := func(before, limit, want int) {
		b.Helper()
		n, err := b.RemoveEvents(b.ctx(), b.at(before), limit)
		b.ok(err)
		b.same("removed", n, want)
	}
	remove(9999, 10, 0)
	all := b.events(0)
	fence, held, err := b.TakeLease(b.ctx(), "alarms", "one", b.now, b.at(60))
	b.ok(err)
	b.same("held", held, true)
	from, err := b.AlarmCursor(b.ctx())
	b.ok(err)
	to := from
	to.EventID = all[2].ID
	b.ok(b.CommitAlarms(b.ctx(), alerting.Changes{Lease: "alarms", Fence: fence, From: from, To: to, At: b.at(1)}))
	remove(6, 10, 0)
	remove(7, 2, 2)
	remove(7, 10, 1)
	b.same("events", b.events(0), all[3:])
	b.commit(b.telling(b.dispatch(b.trigger(j, b.at(9))), job.Failed))
	b.same("the next id", b.events(0)[1].ID > all[3].ID, true)
}

func emailsKept(b *bench) {
	j := b.create(func(j *job.Job) { j.AlarmEmails = []string{mailAddress, "b@example.com"} })
	b.same("at first", b.job(j.Key).AlarmEmails, j.AlarmEmails)
	j = b.save(j, func(j *job.Job) { j.AlarmEmails = []string{"c@example.com"} })
	b.same("changed", b.job(j.Key).AlarmEmails, []string{"c@example.com"})
	b.save(j, func(j *job.Job) { j.AlarmEmails = nil })
	b.same("taken away", b.job(j.Key).AlarmEmails, []string(nil))
}
