package alerting

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// ops is the channel that the rule of most tests has.
func ops() []words.Channel { return []words.Channel{channel(1, "ops")} }

func (w *world) wants(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.told()); diff != "" {
		t.Fatalf("told (-want +got):\n%s", diff)
	}
}

// A failure is told once, after the wait, with what came meanwhile; and then its end.
func TestFailureIsToldAndOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule()}, ops())
		e, _ := w.start(t, Config{Links: site()})
		w.tell(failed(1, "no disk"))
		e.Wake()
		pass(5 * time.Second)
		w.wants(t)
		w.tell(failed(1, "no disk"))
		w.tell(failed(2, "no net"))
		pass(6 * time.Second)
		w.wants(t, "ops firing 2/3")
		m := w.now().sent[0].Message
		if m.ID != "orth-t-4" || m.Dedup != "orth-t-2.1" || m.Group != "workers" || m.Rule != "r" || m.Link != "https://orth/runs/200" {
			t.Errorf("the message is %+v", m)
		}
		want := []words.Reason{{Text: "no disk", Count: 2, Run: 100}, {Text: "no net", Count: 1, Run: 200}}
		if diff := cmp.Diff(want, m.Reasons); diff != "" || m.More != 0 {
			t.Errorf("reasons (-want +got):\n%s", diff)
		}
		if len(m.Items) != 3 || m.Items[0].RunID != 200 || m.Items[0].Link != "https://orth/runs/200" || m.Items[0].Kind != words.KindFailed {
			t.Errorf("items %+v", m.Items)
		}
		w.tell(succeeded(2))
		pass(5 * time.Second)
		w.wants(t, "ops firing 2/3")
		w.tell(succeeded(1))
		pass(5 * time.Second)
		w.wants(t, "ops firing 2/3", "ops resolved 2/3")
		if over := w.now().sent[1].Message; over.Dedup != m.Dedup || over.ID == m.ID {
			t.Errorf("the end has dedup %s and id %s", over.Dedup, over.ID)
		}
		pass(6 * time.Minute)
		if len(w.now().bunches) != 0 {
			t.Errorf("%d bunches are left", len(w.now().bunches))
		}
		for _, a := range w.now().alarms {
			if a.State != words.Resolved || a.EndedAt.IsZero() || a.Count != int(3-a.JobID) {
				t.Errorf("alarm %+v", a)
			}
		}
	})
}

// A job that fails and recovers in turns is told no more often than its rule says.
func TestFlappingIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule()}, ops())
		w.start(t, Config{})
		for range 60 {
			w.tell(failed(1, "flaky"))
			pass(30 * time.Second)
			w.tell(succeeded(1))
			pass(30 * time.Second)
		}
		n := len(w.told())
		if n < 10 || n > 2*(60/5+1) {
			t.Errorf("%d messages in an hour", n)
		}
		if len(w.now().entries) != 60 {
			t.Errorf("%d entries, want one for each failure", len(w.now().entries))
		}
	})
}

// What comes and goes faster than its rule waits is told all the same, and soon.
func TestFastFlappingIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule()}, ops())
		w.start(t, Config{})
		for range 30 {
			w.tell(failed(1, "flaky"))
			pass(2 * time.Second)
			w.tell(succeeded(1))
			pass(2 * time.Second)
		}
		if got := w.told(); len(got) == 0 || w.now().sent[0].Events < 2 {
			t.Errorf("told %v in two minutes", got)
		}
		pass(10 * time.Minute)
		events := 0
		for _, s := range w.now().sent {
			if s.State == words.Firing {
				events += s.Events
			}
		}
		if events != 30 || w.now().sent[len(w.now().sent)-1].State != words.Resolved {
			t.Errorf("%d events were told, the last message is %+v", events, w.now().sent[len(w.now().sent)-1].Message)
		}
	})
}

// A channel that the rule does not name any more hears nothing more.
func TestChannelLeavesRule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		channels := []words.Channel{channel(1, "ops"), channel(2, "dev")}
		w.define([]words.Rule{rule()}, channels)
		w.start(t, Config{Poll: 10 * time.Second})
		w.tell(failed(1, "a"))
		pass(20 * time.Second)
		w.define([]words.Rule{rule(func(r *words.Rule) { r.Channels = []string{"dev"} })}, channels)
		w.tell(failed(1, "b"))
		pass(5 * time.Hour)
		w.wants(t, "ops firing 1/1", "dev firing 1/1", "dev firing 1/1")
		if len(w.now().bunches) != 1 {
			t.Errorf("%d bunches are left", len(w.now().bunches))
		}
	})
}

func TestRepeatsAndNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule(func(r *words.Rule) { r.Repeat = time.Hour })}, ops())
		w.start(t, Config{Poll: 10 * time.Second})
		w.tell(failed(1, "a"))
		pass(time.Minute)
		w.tell(failed(1, "b"))
		w.tell(failed(1, "c"))
		pass(time.Minute)
		w.wants(t, "ops firing 1/1")
		pass(4 * time.Minute) // the interval is over
		w.wants(t, "ops firing 1/1", "ops firing 1/2")
		pass(time.Hour)
		w.wants(t, "ops firing 1/1", "ops firing 1/2", "ops firing 1/2")
		pass(24 * time.Hour) // without news it is over
		if a := w.only(t); a.State != words.Resolved {
			t.Errorf("the alarm is %s after a day without news", a.State)
		}
	})
}

func TestGrouping(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		by   words.GroupBy
		want []string
	}{
		{words.ByJob, []string{"ops firing 1/1", "ops firing 1/1", "ops firing 1/1"}},
		{words.ByPool, []string{"ops firing 1/1", "ops firing 2/2"}},
		{words.ByRule, []string{"ops firing 3/3"}},
	} {
		t.Run(string(test.by), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.define([]words.Rule{rule(func(r *words.Rule) { r.GroupBy = test.by })}, ops())
				w.start(t, Config{})
				other := failed(3, "x")
				other.GroupID, other.Group = 8, "others"
				w.tell(failed(1, "x"))
				w.tell(failed(2, "x"))
				w.tell(other)
				pass(20 * time.Second)
				got := slices.Sorted(slices.Values(w.told()))
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				if m := w.now().sent[0]; (m.Group == "") != (test.by == words.ByRule) {
					t.Errorf("the message is about group %q", m.Group)
				}
			})
		})
	}
}

func TestEscalation(t *testing.T) {
	t.Parallel()
	for _, noted := range []bool{false, true} {
		t.Run(fmt.Sprintf("noted %t", noted), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				steps := []words.Step{{After: 10 * time.Minute, Channels: []string{"boss"}}, {After: time.Hour, Channels: []string{"ceo", "ops"}}}
				w.define([]words.Rule{rule(func(r *words.Rule) { r.Escalation = steps })},
					[]words.Channel{channel(1, "ops"), channel(2, "boss"), channel(3, "ceo")})
				w.start(t, Config{})
				w.tell(failed(1, "a"))
				pass(11 * time.Minute)
				w.wants(t, "ops firing 1/1", "boss firing 1/1")
				if noted {
					w.mu.Lock()
					for id, a := range w.alarms {
						a.NotedAt = time.Now()
						w.alarms[id] = a
					}
					w.mu.Unlock()
				}
				pass(time.Hour)
				want := []string{"ops firing 1/1", "boss firing 1/1"}
				if !noted {
					want = append(want, "ceo firing 1/1")
				}
				w.wants(t, want...)
				w.tell(succeeded(1))
				pass(10 * time.Second)
				got := w.told()[len(want):]
				if len(got) != len(want) || slices.ContainsFunc(got, func(s string) bool { return !strings.Contains(s, "resolved") }) {
					t.Errorf("told of the end: %v", got)
				}
			})
		})
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		quiet := words.Silence{ID: 5, Namespace: "default", From: time.Now(), Until: time.Now().Add(time.Hour)}
		w.define([]words.Rule{rule()}, ops(), quiet)
		w.start(t, Config{Poll: 10 * time.Second})
		w.tell(failed(1, "a"))
		w.tell(failed(2, "b"))
		pass(time.Minute)
		w.tell(failed(1, "c"))
		w.tell(succeeded(2))
		pass(58 * time.Minute)
		w.wants(t)
		silenced := 0
		for _, m := range w.now().messages {
			if m.Status == words.Silenced && strings.Contains(m.Error, "silence 5") {
				silenced++
			}
		}
		if silenced != 2 {
			t.Errorf("%d messages were recorded as silenced, want one for each alarm", silenced)
		}
		pass(2 * time.Minute) // it ends: what still fires is told
		w.wants(t, "ops firing 1/2")
		again := quiet
		again.ID, again.From, again.Until = 6, time.Now(), time.Now().Add(12*time.Hour)
		w.define([]words.Rule{rule()}, ops(), again)
		pass(11 * time.Hour)
		w.tell(failed(1, "d"))
		pass(time.Minute)
		w.wants(t, "ops firing 1/2") // no repeat, no news
		pass(time.Hour)
		w.wants(t, "ops firing 1/2", "ops firing 1/1")
		w.tell(succeeded(1))
		pass(time.Minute)
		w.wants(t, "ops firing 1/2", "ops firing 1/1", "ops resolved 1/1")
	})
}

// A rule that goes away ends its alarms, and what it had to say is recorded.
func TestRuleGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule()}, ops())
		w.start(t, Config{})
		w.tell(failed(1, "a"))
		pass(2 * time.Second)
		w.define(nil, ops())
		pass(10 * time.Second)
		if a := w.only(t); a.State != words.Resolved {
			t.Errorf("the alarm is %s", a.State)
		}
		if len(w.now().bunches) != 0 || len(w.now().messages) != 1 || len(w.now().sent) != 0 {
			t.Fatalf("%d bunches, messages %v", len(w.now().bunches), w.now().messages)
		}
		for _, m := range w.now().messages {
			if m.Status != words.Dropped || !strings.Contains(m.Error, "rule is gone") {
				t.Errorf("message %+v", m.Notification)
			}
		}
	})
}

// Job mails go to the default channel of the namespace; without one it is seen.
func TestJobMails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define(nil, ops())
		w.start(t, Config{})
		e := failed(1, "a")
		e.Emails = []string{"a@x", "b@x"}
		w.tell(e)
		pass(20 * time.Second)
		for _, m := range w.now().messages {
			if m.Status != words.GivenUp || !strings.Contains(m.Error, "no default e-mail channel") {
				t.Errorf("message %+v", m.Notification)
			}
		}
		if len(w.now().messages) != 1 || len(w.now().sent) != 0 {
			t.Fatalf("messages %v", w.now().messages)
		}
		w.define(nil, []words.Channel{channel(4, "mail", func(c *words.Channel) { c.Kind, c.Default = words.Email, true })})
		good := succeeded(1)
		good.Emails = e.Emails
		w.tell(good)
		w.tell(e)
		late := e
		late.State = job.TimedOut
		w.tell(late)
		pass(20 * time.Second)
		w.wants(t, "mail firing 2/2")
		if diff := cmp.Diff(e.Emails, w.now().sent[0].To); diff != "" {
			t.Errorf("recipients (-want +got):\n%s", diff)
		}
		w.tell(good)
		pass(time.Hour)
		w.wants(t, "mail firing 2/2") // the end is not told
	})
}

func TestMissingChannelIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule(func(r *words.Rule) { r.Channels = []string{"nowhere", "ops"} })}, ops())
		w.start(t, Config{})
		w.tell(failed(1, "a"))
		w.tell(failed(1, "b"))
		pass(20 * time.Second)
		w.wants(t, "ops firing 1/2")
		lost := 0
		for _, m := range w.now().messages {
			if m.Status == words.GivenUp && strings.Contains(m.Error, "channel nowhere, which does not exist") {
				lost++
			}
		}
		if lost != 1 {
			t.Errorf("%d messages say that the channel is missing, want one", lost)
		}
	})
}

// Whoever stops lets the next one begin at once; whoever dies keeps it waiting for the
// lease, and no longer.
func TestNextServerTakesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule()}, ops())
		_, stop := w.start(t, Config{})
		w.start(t, Config{Holder: "two"})
		stop()
		w.tell(failed(1, "a"))
		pass(2 * time.Second)
		if w.now().holder != "two" || len(w.now().entries) != 1 {
			t.Fatalf("%s has the lease, %d entries", w.now().holder, len(w.now().entries))
		}
		w.mu.Lock()
		w.holder, w.until, w.fence = "dead", time.Now().Add(15*time.Second), w.fence+1
		w.mu.Unlock()
		w.tell(failed(1, "b"))
		pass(14 * time.Second)
		if len(w.now().entries) != 1 {
			t.Error("an engine decides under the lease of another")
		}
		pass(2 * time.Second)
		if len(w.now().entries) != 2 {
			t.Error("nobody took over from the dead one")
		}
	})
}

// What is old is removed each hour, by whoever decides.
func TestPrune(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		_, stop := w.start(t, Config{Poll: 10 * time.Second})
		_, other := w.start(t, Config{Holder: "two", Poll: 10 * time.Second})
		pass(150 * time.Minute)
		stop()
		other()
		if len(w.prunes) != 3 || w.prunes[2] != 30*24*time.Hour {
			t.Errorf("removed %v", w.prunes)
		}
	})
}

// Events that many rules are about are dealt with in several transactions, and none is
// passed over.
func TestManyRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rules, events = 20, 100
		w := newWorld()
		var all []words.Rule
		for i := range int64(rules) {
			all = append(all, rule(func(r *words.Rule) { r.ID, r.Key = i+1, fmt.Sprint("r", i) }))
		}
		w.define(all, ops())
		for i := range int64(events) {
			w.tell(failed(i+1, "a"))
		}
		w.start(t, Config{Batch: 100})
		pass(time.Second)
		if n := len(w.now().entries); n != rules*events {
			t.Errorf("%d entries of %d events by %d rules", n, events, rules)
		}
		pass(time.Minute)
		told := 0
		for _, s := range w.now().sent {
			told += s.Events
		}
		if n := len(w.now().sent); told != rules*events || n > 20 {
			t.Errorf("%d events were told in %d messages", told, n)
		}
	})
}

// An idle engine lets go of the right to decide, and another one decides at once.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define([]words.Rule{rule(func(*words.Rule) {})}, ops())
		var idle atomic.Bool
		w.start(t, Config{Idle: idle.Load, Lease: time.Hour})
		pass(2 * time.Second)
		idle.Store(true)
		pass(2 * time.Second)
		w.tell(failed(1, "a"))
		pass(time.Minute)
		if n := len(w.now().entries); n != 0 {
			t.Errorf("%d entries by an engine that is idle", n)
		}
		w.start(t, Config{Holder: "two", Lease: time.Hour})
		pass(time.Minute)
		if n := len(w.now().entries); n != 1 {
			t.Errorf("%d entries by the other one, want 1: it waits for the lease", n)
		}
	})
}
