package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

func alarmTests() []test {
	return []test{
		{"the decisions of a pass are read", alarmsAreRead},
		{"only the lease holder writes a pass, where the cursor was", alarmsAreFenced},
		{"a lease has one holder at a time", leaseHasOneHolder},
		{"due alarms are found, the earliest first", alarmsDue},
		{"all alarms are looked at again", alarmsLookAgain},
		{"alarms are listed", alarmsListed},
		{"an alarm is noted once", alarmNoted},
		{"messages are claimed by one, and recorded once", messagesClaimed},
		{"messages of a line wait for each other", messagesInLine},
		{"the end of a given up message is reported, and it is sent again", messageGivenUp},
		{"the end of a message given up twice is reported once", messageGivenUpTwice},
		{"messages are listed", messagesListed},
		{"old rows are removed", alarmsPruned},
	}
}

const alarmLease = "alarms"

// take takes the lease of alarms.
func (b *bench) take(holder string, now, until time.Time) (fence int64, held bool) {
	b.Helper()
	fence, held, err := b.TakeLease(b.ctx(), alarmLease, holder, now, until)
	b.ok(err)
	return fence, held
}

func (b *bench) cursor() alerting.Cursor {
	b.Helper()
	c, err := b.AlarmCursor(b.ctx())
	b.ok(err)
	return c
}

// decide writes what a pass decided, with the next ids behind the cursor.
func (b *bench) decide(edit func(c *alerting.Changes)) {
	b.Helper()
	b.ok(b.CommitAlarms(b.ctx(), b.decision(edit)))
}

func (b *bench) decision(edit func(c *alerting.Changes)) alerting.Changes {
	b.Helper()
	fence, held := b.take("one", b.at(0), b.at(60))
	b.same("held", held, true)
	c := alerting.Changes{Lease: alarmLease, Fence: fence, From: b.cursor(), At: b.at(0)}
	c.To = c.From
	edit(&c)
	return c
}

func (b *bench) asked(a alerting.Query) alerting.Rows {
	b.Helper()
	rows, err := b.ReadAlarms(b.ctx(), a)
	b.ok(err)
	return rows
}

// alarmOf returns an alarm of a job that is not in the store.
func (b *bench) alarmOf(id, jobID int64) *alerting.Alarm {
	a := &alerting.Alarm{
		Alarm: words.Alarm{
			ID: id, Namespace: job.DefaultNamespace, RuleID: 3, RuleKey: "r", Kind: words.KindFailed, Severity: words.Critical, GroupID: 7, Group: "workers",
			JobID: jobID, JobKey: fmt.Sprint("job-", jobID), State: words.Firing, Reason: "größe", FirstAt: b.at(1), LastAt: b.at(2), Count: 2, LastRunID: 9,
		},
		Labels: map[string]string{"kind": "a"}, To: []string{"a@x"}, Key: "rule:3/group:7", Told: true, Held: 4, LookAt: b.at(100),
	}
	return a
}

// message returns a message that is not in the store, due now.
func (b *bench) message(id, channel int64) *alerting.Outgoing {
	m := &alerting.Outgoing{
		Key: fmt.Sprint("b", id), Line: fmt.Sprint("b", id), Dedup: "1.1", LookAt: b.at(0),
		Message: words.Message{State: words.Firing, Events: 2, Items: []words.Item{{RunID: 9, At: b.at(1)}}, Reasons: []words.Reason{{Text: "größe", Count: 2}}},
	}
	m.Notification = words.Notification{
		ID: id, Namespace: job.DefaultNamespace, RuleID: 3, RuleKey: "r", ChannelID: channel, Channel: "ops", To: "a@x", GroupKey: "rule:3/group:7",
		Status: words.Pending, State: words.Firing, Alarms: 1, Events: 2, DueAt: b.at(0), CreatedAt: b.at(0),
	}
	return m
}

// posted writes messages.
func (b *bench) posted(messages ...*alerting.Outgoing) {
	b.Helper()
	b.decide(func(c *alerting.Changes) { c.To.LastID, c.Messages = c.From.LastID+100, messages })
}

func (b *bench) due(now time.Time, busy ...int64) []alerting.Outgoing {
	b.Helper()
	due, err := b.DueMessages(b.ctx(), now, busy, 9)
	b.ok(err)
	return due
}

func alarmsAreRead(b *bench) {
	if c := b.cursor(); c.EventID != 0 || c.LastID != 0 || len(c.Tag) != 8 {
		b.Fatalf("the first cursor is %+v", c)
	}
	one, pool := b.alarmOf(1, 5), b.alarmOf(2, 0)
	pool.Kind, pool.JobKey, pool.Labels, pool.To = words.KindGroupDown, "", nil, nil
	states := []*alerting.State{
		{RuleID: 3, Kind: words.KindStreak, Subject: 5, Streak: 2, SeenAt: b.at(2)},
		{RuleID: 3, Kind: words.KindGroupDown, Subject: -7, Since: b.at(1), Event: &words.Event{ID: 4, Group: "workers"}, LookAt: b.at(50), SeenAt: b.at(2)},
		{RuleID: 4, Kind: words.KindStreak, Subject: 5, SeenAt: b.at(2)}, // empty
	}
	bunch := &alerting.AlarmGroup{
		ID: 3, Key: one.Key, ChannelID: 8, Namespace: job.DefaultNamespace, RuleID: 3, Severity: words.Critical, Episode: 1, OpenedAt: b.at(1), Alarms: 2, Firing: 2,
		Fresh: alerting.Digest{Events: 2, Items: []words.Item{{RunID: 9, At: b.at(1)}}}, LookAt: b.at(11),
	}
	entry := words.Entry{AlarmID: 1, EventID: 20, At: b.at(2), RunID: 9, JobKey: "job-5", State: job.Failed, Reason: "größe"}
	b.decide(func(c *alerting.Changes) {
		c.To.EventID, c.To.LastID, c.To.Definitions = 20, 3, 6
		c.Alarms, c.States, c.Bunches, c.Entries = []*alerting.Alarm{one, pool}, states, []*alerting.AlarmGroup{bunch}, []words.Entry{entry}
	})
	b.reopen()
	c := b.cursor()
	b.same("cursor", []int64{c.EventID, c.LastID, c.Definitions}, []int64{20, 3, 6})
	rows := b.asked(alerting.Query{Subjects: []int64{5, 6, 7}})
	b.same("alarms of a job", rows.Alarms, []alerting.Alarm{*one})
	b.same("states of a job", rows.States, []alerting.State{*states[0]})
	rows = b.asked(alerting.Query{Subjects: []int64{-7}, Keys: []string{"none", one.Key}, Unnoted: []string{one.Key, "none"}})
	b.same("alarms of a group", rows.Alarms, []alerting.Alarm{*pool})
	b.same("states of a group", rows.States, []alerting.State{*states[1]})
	b.same("bunches", rows.Bunches, []alerting.AlarmGroup{*bunch})
	b.same("unnoted", rows.Unnoted, map[string]bool{one.Key: true})
	entries, err := b.AlarmEntries(b.ctx(), 1, 0, 9)
	b.ok(err)
	b.same("entries", entries, []words.Entry{entry})
	entries, err = b.AlarmEntries(b.ctx(), 1, 20, 9)
	b.ok(err)
	b.same("entries behind", len(entries), 0)

	one.State, one.EndedAt, one.LookAt, one.Told = words.Resolved, b.at(9), time.Time{}, false
	again := b.alarmOf(4, 5)
	states[0].Streak, states[1].Event, states[1].LookAt = 0, nil, time.Time{}
	bunch.Gone = true
	b.decide(func(c *alerting.Changes) {
		c.To.LastID, c.Alarms, c.States, c.Bunches = 4, []*alerting.Alarm{again, one}, states[:2], []*alerting.AlarmGroup{bunch}
	})
	rows = b.asked(alerting.Query{Subjects: []int64{5, -7}, Keys: []string{one.Key}})
	b.same("the next alarm", len(rows.Alarms), 2)
	b.same("the states that are left", rows.States, []alerting.State{*states[1]})
	b.same("bunches", len(rows.Bunches), 0)
	got, err := b.Alarm(b.ctx(), 1)
	b.ok(err)
	b.same("the alarm that is over", got, one.Alarm)
}

func alarmsAreFenced(b *bench) {
	old := b.decision(func(c *alerting.Changes) { c.To.EventID = 5 })
	b.decide(func(c *alerting.Changes) { c.To.EventID = 4 })
	b.kind(b.CommitAlarms(b.ctx(), old), job.Conflict)
	b.same("cursor", b.cursor().EventID, int64(4))
	old = b.decision(func(c *alerting.Changes) {
		c.To.EventID, c.Alarms, c.To.LastID = 5, []*alerting.Alarm{b.alarmOf(1, 5)}, 1
	})
	_, held := b.take("two", b.at(61), b.at(90))
	b.same("held", held, true)
	b.kind(b.CommitAlarms(b.ctx(), old), job.Conflict)
	b.same("alarms", len(b.asked(alerting.Query{Subjects: []int64{5}}).Alarms), 0)
}

func leaseHasOneHolder(b *bench) {
	var mu sync.Mutex
	var holders []string
	var wg sync.WaitGroup
	for i := range 8 {
		holder := fmt.Sprint("server ", i)
		wg.Go(func() {
			_, held, err := b.TakeLease(b.ctx(), "x", holder, b.at(0), b.at(10))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				b.Errorf("take: %v", err)
			}
			if held {
				holders = append(holders, holder)
			}
		})
	}
	wg.Wait()
	b.same("holders", len(holders), 1)
	first, held, err := b.TakeLease(b.ctx(), "x", holders[0], b.at(5), b.at(15))
	b.ok(err)
	b.same("renewed", []any{first, held}, []any{int64(1), true})
	_, held, err = b.TakeLease(b.ctx(), "x", "other", b.at(14), b.at(24))
	b.ok(err)
	b.same("held by another", held, false)
	fence, held, err := b.TakeLease(b.ctx(), "x", "other", b.at(15), b.at(25))
	b.ok(err)
	b.same("taken over", []any{fence, held}, []any{int64(2), true})
	fence, held = b.take("one", b.at(0), b.at(10))
	b.same("another name", []any{fence, held}, []any{int64(1), true})
}

func alarmsDue(b *bench) {
	b.decide(func(c *alerting.Changes) {
		for i := range int64(3) {
			a := b.alarmOf(i+1, i+5)
			a.LookAt = b.at(30 - int(i))
			c.Alarms = append(c.Alarms, a)
			c.Bunches = append(c.Bunches, &alerting.AlarmGroup{ID: i + 11, Key: fmt.Sprint(i), ChannelID: 1, LookAt: b.at(40 + int(i))})
			c.States = append(c.States, &alerting.State{RuleID: 1, Kind: words.KindStreak, Subject: i + 5, Streak: 1, LookAt: b.at(35 + int(i)), SeenAt: b.at(0)})
		}
		c.Bunches = append(c.Bunches, &alerting.AlarmGroup{ID: 20, Key: "never", ChannelID: 1})
		c.To.LastID = 20
	})
	rows := b.asked(alerting.Query{Due: b.at(10), Limit: 9})
	b.same("due", len(rows.Alarms)+len(rows.Bunches)+len(rows.States), 0)
	b.same("next", rows.Next.Equal(b.at(28)), true)
	rows = b.asked(alerting.Query{Due: b.at(41), Limit: 2})
	b.same("alarms", []int64{rows.Alarms[0].ID, rows.Alarms[1].ID}, []int64{3, 2})
	b.same("bunches", []int64{rows.Bunches[0].ID, rows.Bunches[1].ID}, []int64{11, 12})
	b.same("states", []int64{rows.States[0].Subject, rows.States[1].Subject}, []int64{5, 6})
	b.same("next", rows.Next.Equal(b.at(41)), true)
}

func alarmsLookAgain(b *bench) {
	b.decide(func(c *alerting.Changes) {
		c.To.LastID, c.Alarms = 9, []*alerting.Alarm{b.alarmOf(1, 5), b.alarmOf(2, 6), b.alarmOf(3, 7)}
	})
	b.decide(func(c *alerting.Changes) {
		later := b.alarmOf(2, 6)
		later.LookAt = b.at(200)
		c.LookAgain, c.Alarms = true, []*alerting.Alarm{later}
	})
	due := b.asked(alerting.Query{Due: b.at(0), Limit: 9}).Alarms
	b.same("due", []int64{due[0].ID, due[1].ID}, []int64{1, 3})
}

func alarmsListed(b *bench) {
	b.decide(func(c *alerting.Changes) {
		for i := range int64(6) {
			a := b.alarmOf(i+1, i%2+5)
			a.RuleID, a.RuleKey, a.FirstAt, a.LastAt = i+1, fmt.Sprint("r", i%3), b.at(int(i)*10), b.at(int(i)*10+5)
			if i < 2 {
				a.State, a.EndedAt, a.LookAt = words.Resolved, b.at(60), time.Time{}
			}
			if i == 5 {
				a.Namespace, a.Group, a.Kind, a.Severity = "b", "others", words.KindLost, words.Info
			}
			c.Alarms = append(c.Alarms, a)
		}
		c.To.LastID = 6
	})
	for _, test := range []struct {
		name   string
		filter alerting.AlarmFilter
		want   []int64
	}{
		{"all", alerting.AlarmFilter{}, []int64{6, 5, 4, 3, 2, 1}},
		{"a page", alerting.AlarmFilter{Before: 5, Limit: 2}, []int64{4, 3}},
		{"firing", alerting.AlarmFilter{State: words.Firing}, []int64{6, 5, 4, 3}},
		{"resolved", alerting.AlarmFilter{State: words.Resolved}, []int64{2, 1}},
		{"a job", alerting.AlarmFilter{JobID: 5}, []int64{5, 3, 1}},
		{"a job, firing", alerting.AlarmFilter{JobID: 5, State: words.Firing}, []int64{5, 3}},
		{"a rule", alerting.AlarmFilter{Rule: "r1"}, []int64{5, 2}},
		{"a namespace", alerting.AlarmFilter{Namespace: "b"}, []int64{6}},
		{"a group", alerting.AlarmFilter{Group: "others"}, []int64{6}},
		{"a severity", alerting.AlarmFilter{Severity: words.Info}, []int64{6}},
		{"a kind", alerting.AlarmFilter{Kind: words.KindLost}, []int64{6}},
		{"a time", alerting.AlarmFilter{Since: b.at(15), Until: b.at(40)}, []int64{4, 3, 2}},
	} {
		test.filter.Sight = everywhere
		got, err := b.Alarms(b.ctx(), test.filter)
		b.ok(err)
		ids := []int64{}
		for i := range got {
			ids = append(ids, got[i].ID)
		}
		b.same(test.name, ids, test.want)
	}
	_, err := b.Alarm(b.ctx(), 99)
	b.kind(err, job.NotFound)
}

func alarmNoted(b *bench) {
	a := b.alarmOf(1, 5)
	b.decide(func(c *alerting.Changes) { c.To.LastID, c.Alarms = 1, []*alerting.Alarm{a} })
	b.ok(b.NoteAlarm(b.ctx(), 1, "Jörg", b.at(3)))
	b.ok(b.NoteAlarm(b.ctx(), 1, "other", b.at(4)))
	b.kind(b.NoteAlarm(b.ctx(), 2, "other", b.at(4)), job.NotFound)
	a.Count++
	b.decide(func(c *alerting.Changes) { c.Alarms = []*alerting.Alarm{a} }) // the engine does not know
	a.NotedAt, a.NotedBy = b.at(3), "Jörg"
	got, err := b.Alarm(b.ctx(), 1)
	b.ok(err)
	b.same("alarm", got, a.Alarm)
	b.same("unnoted", len(b.asked(alerting.Query{Unnoted: []string{a.Key}}).Unnoted), 0)
}

func messagesClaimed(b *bench) {
	b.posted(b.message(1, 8), b.message(2, 9))
	due := b.due(b.at(0))
	b.same("due", due, []alerting.Outgoing{*b.message(1, 8), *b.message(2, 9)})
	b.same("of channels that are not busy", b.due(b.at(0), 8)[0].ID, int64(2))
	b.same("too early", len(b.due(b.at(-1))), 0)
	var mu sync.Mutex
	claims := 0
	var winner alerting.Outgoing
	var wg sync.WaitGroup
	for range 16 {
		m := due[0]
		wg.Go(func() {
			claimed, err := b.ClaimMessage(b.ctx(), &m, b.at(30))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				b.Errorf("claim: %v", err)
			}
			if claimed {
				claims++
				winner = m
			}
		})
	}
	wg.Wait()
	b.same("claims", claims, 1)
	b.same("claimed", len(b.due(b.at(29))), 1)
	b.same("when the claim is over", len(b.due(b.at(30))), 2)
	second := b.due(b.at(30), 9)[0]
	claimed, err := b.ClaimMessage(b.ctx(), &second, b.at(60))
	b.ok(err)
	b.same("claimed again", []any{claimed, second.Fence}, []any{true, winner.Fence + 1})

	winner.Status, winner.EndedAt, winner.LookAt, winner.Tries = words.Sent, b.at(31), time.Time{}, 1
	b.ok(b.RecordMessage(b.ctx(), &winner, b.message(50, 8))) // too late
	b.same("pending", b.notifications(alerting.NotificationFilter{Status: words.Pending}), []int64{2, 1})
	second.Status, second.EndedAt, second.LookAt, second.Tries, second.Title = words.Sent, b.at(32), time.Time{}, 1, "größe"
	b.ok(b.RecordMessage(b.ctx(), &second, nil))
	b.ok(b.RecordMessage(b.ctx(), &second, nil))
	sent, err := b.Notifications(b.ctx(), alerting.NotificationFilter{Sight: everywhere, Status: words.Sent})
	b.ok(err)
	b.same("sent", sent, []words.Notification{second.Notification})
	loads := b.asked(alerting.Query{Channels: []int64{8, 9, 10}, Since: b.at(31)}).Loads
	b.same("loads", loads, map[int64]alerting.Load{8: {Ended: 1}, 9: {Pending: 1}, 10: {}})
	b.same("load later", b.asked(alerting.Query{Channels: []int64{8}, Since: b.at(32)}).Loads[8], alerting.Load{})
}

func messagesInLine(b *bench) {
	first, second, other := b.message(1, 8), b.message(2, 8), b.message(3, 8)
	second.Line = first.Line
	first.LookAt = b.at(20) // it waits for its next try
	b.posted(first, second, other)
	b.same("due", idsOfMessages(b.due(b.at(10))), []int64{3})
	b.same("due later", idsOfMessages(b.due(b.at(20))), []int64{3, 1})
	first.Status, first.EndedAt, first.LookAt = words.GivenUp, b.at(20), time.Time{}
	b.ok(b.RecordMessage(b.ctx(), first, nil))
	b.same("due then", idsOfMessages(b.due(b.at(20))), []int64{2, 3})
}

func idsOfMessages(all []alerting.Outgoing) (ids []int64) {
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	return ids
}

func messageGivenUp(b *bench) {
	m, none := b.message(1, 8), b.message(2, 0)
	none.Status, none.EndedAt, none.LookAt, none.Error = words.GivenUp, b.at(0), time.Time{}, "no such channel"
	b.posted(m, none)
	last := b.cursor().LastID
	m.Status, m.EndedAt, m.LookAt, m.Tries, m.Error = words.GivenUp, b.at(20), time.Time{}, 3, "no route"
	instead := b.message(0, 9)
	instead.Key = "i1"
	b.ok(b.RecordMessage(b.ctx(), m, instead))
	b.same("the other one", instead.ID, last+1)
	b.same("ids", b.cursor().LastID, last+1)
	b.same("due", idsOfMessages(b.due(b.at(20))), []int64{instead.ID})
	n, err := b.RetryNotification(b.ctx(), 1, b.at(40))
	b.ok(err)
	want := m.Notification
	want.Status, want.DueAt, want.EndedAt = words.Pending, b.at(40), time.Time{}
	b.same("again", n, want)
	b.same("due again", idsOfMessages(b.due(b.at(40))), []int64{instead.ID, 1})
	for id, word := range map[int64]string{1: "is pending", 2: "no such channel"} {
		_, err = b.RetryNotification(b.ctx(), id, b.at(41))
		b.kind(err, job.Conflict)
		if !strings.Contains(err.Error(), word) {
			b.Fatalf("%q does not contain %q", err, word)
		}
	}
	_, err = b.RetryNotification(b.ctx(), 99, b.at(41))
	b.kind(err, job.NotFound)
}

// A message that was given up, sent again by hand and refused again is given up again: it
// no longer waits, and its end is not reported a second time.
func messageGivenUpTwice(b *bench) {
	m := b.message(1, 8)
	b.posted(m)
	for try := 1; try <= 3; try++ {
		m.Status, m.EndedAt, m.LookAt, m.Tries, m.Error = words.GivenUp, b.at(20*try), time.Time{}, try, "refused"
		instead := b.message(0, 9)
		instead.Key = "i1"
		b.ok(b.RecordMessage(b.ctx(), m, instead))
		waiting := b.due(b.at(20 * try))
		b.same("messages instead", len(waiting), 1)
		b.same("its channel", waiting[0].ChannelID, int64(9))
		n, err := b.RetryNotification(b.ctx(), 1, b.at(20*try+1))
		b.ok(err)
		b.same("tries", n.Tries, try)
		b.same("why", n.Error, "refused")
	}
}

func (b *bench) notifications(f alerting.NotificationFilter) []int64 {
	b.Helper()
	f.Sight = everywhere
	all, err := b.Notifications(b.ctx(), f)
	b.ok(err)
	ids := []int64{}
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	return ids
}

func messagesListed(b *bench) {
	var all []*alerting.Outgoing
	for i := range int64(4) {
		m := b.message(i+1, 8)
		m.RuleKey, m.CreatedAt = fmt.Sprint("r", i%2), b.at(int(i)*10)
		all = append(all, m)
	}
	all[3].Namespace, all[3].Channel = "b", "dev"
	all[0].Status, all[0].EndedAt, all[0].LookAt = words.Silenced, b.at(0), time.Time{}
	b.posted(all...)
	for _, test := range []struct {
		name   string
		filter alerting.NotificationFilter
		want   []int64
	}{
		{"all", alerting.NotificationFilter{}, []int64{4, 3, 2, 1}},
		{"a page", alerting.NotificationFilter{Before: 4, Limit: 2}, []int64{3, 2}},
		{"pending", alerting.NotificationFilter{Status: words.Pending}, []int64{4, 3, 2}},
		{"silenced", alerting.NotificationFilter{Status: words.Silenced}, []int64{1}},
		{"a rule", alerting.NotificationFilter{Rule: "r1"}, []int64{4, 2}},
		{"a channel", alerting.NotificationFilter{Channel: "dev"}, []int64{4}},
		{"a namespace", alerting.NotificationFilter{Namespace: job.DefaultNamespace}, []int64{3, 2, 1}},
		{"a time", alerting.NotificationFilter{Since: b.at(10), Until: b.at(30)}, []int64{3, 2}},
	} {
		b.same(test.name, b.notifications(test.filter), test.want)
	}
	double := b.message(90, 8)
	double.Key = all[1].Key
	err := b.CommitAlarms(b.ctx(), b.decision(func(c *alerting.Changes) { c.Messages = []*alerting.Outgoing{double} }))
	b.kind(err, job.Conflict)
	b.same("the same message again", len(b.notifications(alerting.NotificationFilter{})), 4)
}

func alarmsPruned(b *bench) {
	old, kept, open := b.alarmOf(1, 5), b.alarmOf(2, 6), b.alarmOf(3, 7)
	for _, a := range []*alerting.Alarm{old, kept} {
		a.State, a.EndedAt, a.LookAt = words.Resolved, b.at(10), time.Time{}
	}
	kept.EndedAt = b.at(50)
	gone, pending := b.message(11, 8), b.message(12, 8)
	gone.Status, gone.EndedAt, gone.LookAt = words.Sent, b.at(10), time.Time{}
	b.decide(func(c *alerting.Changes) {
		c.To.LastID, c.Alarms, c.Messages = 20, []*alerting.Alarm{old, kept, open}, []*alerting.Outgoing{gone, pending}
		for i := range int64(5) {
			c.Entries = append(c.Entries, words.Entry{AlarmID: 3, EventID: i + 1, At: b.at(int(i) * 10)})
		}
		for i := range int64(2) {
			c.States = append(c.States, &alerting.State{RuleID: 1, Kind: words.KindStreak, Subject: i + 5, Streak: 1, SeenAt: b.at(int(i) * 40)})
		}
	})
	total := 0
	for range 9 {
		n, err := b.PruneAlarms(b.ctx(), b.at(30), 2)
		b.ok(err)
		total += n
	}
	b.same("removed", total, 1+1+3+1)
	left, err := b.Alarms(b.ctx(), alerting.AlarmFilter{Sight: everywhere})
	b.ok(err)
	b.same("alarms", []int64{left[0].ID, left[1].ID}, []int64{3, 2})
	b.same("messages", b.notifications(alerting.NotificationFilter{}), []int64{12})
	entries, err := b.AlarmEntries(b.ctx(), 3, 0, 9)
	b.ok(err)
	b.same("entries", []int64{entries[0].EventID, entries[1].EventID, int64(len(entries))}, []int64{4, 5, 2})
	states := b.asked(alerting.Query{Subjects: []int64{5, 6}}).States
	b.same("states", slices.Collect(func(yield func(int64) bool) {
		for i := range states {
			if !yield(states[i].Subject) {
				return
			}
		}
	}), []int64{6})
}
