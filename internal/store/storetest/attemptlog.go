package storetest

import (
	"math"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func attemptLogTests() []test {
	return []test{
		{"attempts are listed by job, group, standing and time", attemptsListed},
		{"attempts come with their runs", attemptsWithRuns},
		{"the alarm outcome of the end of a run is found", endsTold},
	}
}

func attemptsListed(b *bench) {
	one, other := b.create(), b.create()
	foreign := b.create(func(j *job.Job) { j.Group = changed })
	send := func(j job.Job, at int) job.Attempt {
		m := b.markOf(b.trigger(j, b.now), executorAddress)
		m.Attempt.TriggeredAt = b.at(at)
		b.same("mark", b.mark(m), []bool{true})
		return m.Attempt
	}
	good, failed, taken := send(one, 10), send(one, 20), send(one, 30)
	retried := b.retrying(b.trigger(one, b.now), b.at(70))
	first := b.attempts(retried.ID)[0]
	theirs, apart := send(other, 50), send(foreign, 60)
	b.complete(good, job.Succeeded)
	b.complete(failed, job.Failed)
	b.accept(taken)
	again := b.markOf(retried, executorAddress)
	again.Attempt.TriggeredAt = b.at(70)
	b.same("mark", b.mark(again), []bool{true})
	last := again.Attempt
	split := b.trigger(one, b.now) // its attempt has no executor
	b.same("split", b.mark(b.markOf(split, "")), []bool{true})

	all := []int64{last.ID, first.ID, taken.ID, failed.ID, good.ID}
	for name, c := range map[string]struct {
		filter queries.AttemptFilter
		want   []int64
	}{
		"of a job":               {queries.AttemptFilter{JobID: one.ID}, all},
		"of a job and its group": {queries.AttemptFilter{JobID: one.ID, GroupID: one.GroupID}, all},
		"of another group":       {queries.AttemptFilter{JobID: one.ID, GroupID: foreign.GroupID}, nil},
		"of a group":             {queries.AttemptFilter{GroupID: one.GroupID}, append([]int64{theirs.ID}, all...)},
		"of the other group":     {queries.AttemptFilter{GroupID: foreign.GroupID}, []int64{apart.ID}},
		"good":                   {queries.AttemptFilter{JobID: one.ID, Standing: queries.StandingGood}, []int64{good.ID}},
		"bad":                    {queries.AttemptFilter{JobID: one.ID, Standing: queries.StandingBad}, []int64{first.ID, failed.ID}},
		"open":                   {queries.AttemptFilter{JobID: one.ID, Standing: queries.StandingOpen}, []int64{taken.ID}},
		"open in a group":        {queries.AttemptFilter{GroupID: one.GroupID, Standing: queries.StandingOpen}, []int64{taken.ID}},
		"between instants":       {queries.AttemptFilter{JobID: one.ID, Since: b.at(20), Until: b.at(40)}, []int64{taken.ID, failed.ID}},
		"the first ones":         {queries.AttemptFilter{JobID: one.ID, Limit: 2}, all[:2]},
		"of nobody":              {queries.AttemptFilter{JobID: 4711}, nil},
	} {
		if c.filter.Limit == 0 {
			c.filter.Limit = math.MaxInt
		}
		for sight, want := range map[string][]int64{
			"all": c.want, "both groups": c.want, "its namespace": c.want, "one group": c.want, "another namespace": nil, "nothing": nil,
		} {
			if sight == "one group" && c.filter.GroupID == foreign.GroupID && c.filter.JobID == 0 {
				want = nil
			}
			c.filter.Sight = map[string]access.Sight{
				"all":               {All: true},
				"both groups":       {Places: []access.Place{{Namespace: one.Namespace, Group: one.Group}, {Namespace: one.Namespace, Group: foreign.Group}}},
				"its namespace":     {Places: []access.Place{{Namespace: one.Namespace, Group: access.All}}},
				"one group":         {Places: []access.Place{{Namespace: one.Namespace, Group: one.Group}}},
				"another namespace": {Places: []access.Place{{Namespace: "elsewhere", Group: access.All}}},
			}[sight]
			got, err := b.AttemptIDs(b.ctx(), c.filter)
			b.ok(err)
			b.same(name+", seeing "+sight, got, want)
		}
	}
}

func attemptsWithRuns(b *bench) {
	j := b.create()
	var want []queries.Tried
	var ids []int64
	for range 60 { // more than one list of ids
		a := b.dispatch(b.trigger(j, b.now))
		want, ids = append(want, queries.Tried{Attempt: a, Run: b.run(a.RunID)}), append(ids, a.ID)
	}
	got, err := b.Tried(b.ctx(), append(ids, 4711))
	b.ok(err)
	slices.SortFunc(got, func(x, y queries.Tried) int { return int(x.Attempt.ID - y.Attempt.ID) })
	b.same("attempts", got, want)
	got, err = b.Tried(b.ctx(), nil)
	b.ok(err)
	b.same("none", len(got), 0)
}

func endsTold(b *bench) {
	j := b.create()
	waits := b.dispatch(b.trigger(j, b.now))
	b.same("done", b.commit(b.telling(waits, job.Failed)), []bool{true})
	firing := func(id, jobID int64, key string) *alerting.Alarm {
		a := b.alarmOf(id, jobID)
		a.Key = key
		return a
	}
	message := func(id, channel int64, key string, at int, status words.Delivery) *alerting.Outgoing {
		m := b.message(id, channel)
		m.GroupKey, m.CreatedAt, m.Status = key, b.at(at), status
		if status != words.Pending {
			m.LookAt, m.EndedAt = time.Time{}, b.at(at)
		}
		return m
	}
	b.decide(func(c *alerting.Changes) {
		c.To.LastID = 100
		c.Alarms = []*alerting.Alarm{firing(1, 5, "told"), firing(2, 6, "heard"), firing(3, 7, "fresh")}
		for i, run := range []int64{9001, 9002, 9003} {
			id := int64(i + 1)
			c.Entries = append(c.Entries, words.Entry{AlarmID: id, EventID: id, At: b.at(10), RunID: run, JobKey: "x", State: job.Failed})
		}
		c.Messages = []*alerting.Outgoing{
			message(11, 1, "told", 5, words.GivenUp), // an earlier one
			message(12, 1, "told", 10, words.Sent), message(13, 2, "told", 11, words.Silenced), message(14, 1, "told", 12, words.GivenUp),
			message(15, 1, "heard", 2, words.GivenUp), message(16, 1, "heard", 4, words.Sent),
		}
	})
	got, err := b.AlarmOutcomes(b.ctx(), []int64{9001, 9002, 9003, 9004, waits.RunID})
	b.ok(err)
	b.same("told", got, map[int64]alerting.Outcome{
		9001: {Messages: []words.Delivery{words.Sent, words.Silenced}}, 9002: {Messages: []words.Delivery{words.Sent}},
		9003: {Messages: []words.Delivery{words.Pending}}, 9004: {}, waits.RunID: {Waiting: true},
	})
}
