package alerting

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// survive checks what must hold however often engines died: each event is an entry
// once, each message that was made was sent, and what was sent twice has one id.
func (w *world) survive(t fatal, events int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[entryKey]bool{}
	for _, e := range w.entries {
		key := entryKey{e.AlarmID, e.EventID}
		if seen[key] {
			t.Fatalf("event %d counts twice in alarm %d", e.EventID, e.AlarmID)
		}
		seen[key] = true
	}
	if len(w.entries) != events {
		t.Fatalf("%d entries of %d events", len(w.entries), events)
	}
	count := 0
	for _, a := range w.alarms {
		count += a.Count
	}
	if count != events {
		t.Fatalf("the alarms count %d events, want %d", count, events)
	}
	told := map[string]int{}
	for _, s := range w.sent {
		told[s.ID] = s.Events
	}
	firing := 0
	for _, m := range w.messages {
		if m.Status != words.Sent {
			t.Fatalf("message %d is %s", m.ID, m.Status)
		}
		if m.State == words.Firing {
			firing += told[fmt.Sprintf("orth-t-%d", m.ID)]
		}
	}
	if len(told) != len(w.messages) || firing != events {
		t.Fatalf("%d messages of %d were sent, about %d events of %d", len(told), len(w.messages), firing, events)
	}
	if w.twice {
		t.Fatalf("a message was being sent twice at once")
	}
}

// fatal is what a test and a property have in common.
type fatal interface {
	Fatalf(format string, args ...any)
}

// TestCrashAtEveryStep stops everything before and after each write in turn: before
// and after the commit of what was decided, the claim, and the record behind the send.
// Another engine continues with the same rows.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	steps := 0
	for at := 1; at == 1 || at <= steps+1; at++ {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.define([]words.Rule{rule(func(r *words.Rule) { r.Channels = []string{"ops", "dev"} })}, []words.Channel{channel(1, "ops"), channel(2, "dev")})
			ctx, cancel := context.WithCancel(t.Context())
			w.stopAt, w.crash = at, cancel
			e := New(Config{Store: w, Definitions: w, Sender: w, Holder: "first"})
			ended := make(chan struct{})
			go func() {
				_ = e.Run(ctx)
				close(ended)
			}()
			w.tell(failed(1, "a"))
			w.tell(failed(2, "b"))
			pass(20 * time.Second)
			w.tell(succeeded(1))
			w.tell(succeeded(2))
			pass(20 * time.Second)
			cancel()
			<-ended
			w.mu.Lock()
			if w.stopAt, steps = 0, max(steps, w.steps); at == 1 {
				steps = 20
			}
			w.mu.Unlock()
			w.start(t, Config{Holder: "second"})
			pass(2 * time.Minute)
			seen := w.now()
			twice := len(seen.sent) - len(seen.messages)
			if twice < 0 || twice > 2 {
				t.Errorf("stopped at step %d: %d messages were sent again, want those under way at most, one to a channel", at, twice)
			}
			for _, m := range seen.messages {
				if m.Status != words.Sent {
					t.Errorf("stopped at step %d: message %d is %s", at, m.ID, m.Status)
				}
			}
			if len(seen.entries) != 2 || len(seen.messages) != 4 {
				t.Errorf("stopped at step %d: %d entries, %d messages", at, len(seen.entries), len(seen.messages))
			}
		})
	}
}

// TestTwoEngines lets two engines work on the same rows, with channels that are slow
// or fail, and engines that die and come back: while both are alive no message is sent
// by both, and nothing is lost.
func TestTwoEngines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		slow := time.Duration(rapid.IntRange(0, 9_000).Draw(rt, "slow")) * time.Millisecond
		trouble := rapid.IntRange(0, 10).Draw(rt, "minutes of trouble")
		restarts := rapid.SliceOfN(rapid.IntRange(1, 200), 0, 4).Draw(rt, "restarts")
		gaps := rapid.SliceOfN(rapid.IntRange(0, 90), 1, 15).Draw(rt, "seconds between events")
		by := rapid.SampledFrom([]words.GroupBy{words.ByJob, words.ByPool, words.ByRule}).Draw(rt, "by")
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.slow["ops"] = slow
			healthy := time.Now().Add(time.Duration(trouble) * time.Minute)
			w.refuse = func(words.Channel, words.Message) error {
				if time.Now().Before(healthy) {
					return job.Errorf(job.Unavailable, "it is busy")
				}
				return nil
			}
			w.define([]words.Rule{rule(func(r *words.Rule) { r.GroupBy, r.Recovered, r.Repeat = by, false, words.Never })}, ops())
			w.start(t, Config{Holder: "one", Poll: 10 * time.Second})
			_, stop := w.start(t, Config{Holder: "two", Poll: 10 * time.Second})
			next := 0
			for i, gap := range gaps {
				w.tell(failed(int64(i%3+1), fmt.Sprint("reason ", i)))
				pass(time.Duration(gap) * time.Second)
				if next < len(restarts) {
					stop()
					time.Sleep(time.Duration(restarts[next]) * time.Second / 10)
					_, stop = w.start(t, Config{Holder: "two", Poll: 10 * time.Second})
					next++
				}
			}
			pass(40 * time.Minute)
			stop()
			w.survive(rt, len(gaps))
		})
	})
}

// TestStorm is 10,000 failures of as many jobs in a minute: few messages, with all of
// the events, and every reason in an entry.
func TestStorm(t *testing.T) {
	t.Parallel()
	for by, failures := range map[words.GroupBy]int{words.ByJob: 10_000, words.ByPool: 10_000, words.ByRule: 2000} {
		t.Run(string(by), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.define([]words.Rule{rule(func(r *words.Rule) { r.GroupBy, r.Repeat = by, words.Never })}, ops())
				w.start(t, Config{Poll: 2 * time.Second})
				begun := time.Now()
				for i := range failures {
					w.tell(failed(int64(i+1), fmt.Sprintf("reason %d", i)))
					if i%(failures/100) == 0 {
						time.Sleep(600 * time.Millisecond)
					}
				}
				pass(10 * time.Minute)
				seen := w.now()
				events, most := 0, 0
				for i, s := range seen.sent {
					events += s.Events
					n := 0
					for _, other := range seen.sent[i:] {
						if other.At.Sub(s.At) < time.Minute {
							n++
						}
					}
					most = max(most, n)
					if len(s.Reasons) > maxReasons || len(s.Items) > maxItems {
						t.Errorf("a message has %d reasons and %d items", len(s.Reasons), len(s.Items))
					}
				}
				last := seen.sent[len(seen.sent)-1].At.Sub(begun)
				t.Logf("%d messages, at most %d a minute, the last after %s", len(seen.sent), most, last)
				if events != failures || len(seen.sent) > 60 || most > 20 || last > 7*time.Minute {
					t.Errorf("%d messages about %d events, at most %d a minute, the last after %s", len(seen.sent), events, most, last)
				}
				reasons := map[string]bool{}
				for _, e := range seen.entries {
					reasons[e.Reason] = true
				}
				if len(reasons) != failures || len(seen.alarms) != failures {
					t.Errorf("%d alarms, entries with %d reasons of %d", len(seen.alarms), len(reasons), failures)
				}
				if keys := slices.Collect(maps.Keys(seen.messages)); len(keys) != len(seen.sent) {
					t.Errorf("%d messages were made, %d sent", len(keys), len(seen.sent))
				}
			})
		})
	}
}

// BenchmarkDecide is a pass over 500 failures of as many jobs, without a store.
func BenchmarkDecide(b *testing.B) {
	r := rule()
	r = r.WithDefaults()
	defined := words.Definitions{Rules: []words.Rule{r}, Channels: ops()}
	events := make([]words.Event, 500)
	for i := range events {
		events[i] = failed(int64(i), fmt.Sprintf("reason %d", i))
		events[i].ID = int64(i + 1)
	}
	for b.Loop() {
		d := newDesk(Cursor{}, newRuleSet(&defined, begin()), begin())
		for i := range events {
			d.evaluate(&events[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(events)), "µs/event")
}
