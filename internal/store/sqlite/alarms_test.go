package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
)

// crowd is people who hear of alarms by one rule.
type crowd struct {
	mu     sync.Mutex
	events map[string]int // by id of message
}

func (c *crowd) Send(_ context.Context, _ words.Channel, m words.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events[m.ID] = m.Events
	return nil
}

func (c *crowd) heard() (events, messages int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.events {
		events += n
	}
	return events, len(c.events)
}

func (c *crowd) Definitions(context.Context) (words.Definitions, error) {
	r := words.Rule{
		ID: 1, Namespace: "default", Key: "r", Enabled: true, Kinds: []words.Kind{words.KindFailed, words.KindStreak}, Channels: []string{"ops"},
		GroupBy: words.ByJob, Wait: 50 * time.Millisecond, Count: 2,
	}
	ops := words.Channel{ID: 1, Namespace: "default", Key: "ops", Kind: words.Webhook, Enabled: true, PerMinute: 2}
	return words.Definitions{Rules: []words.Rule{r.WithDefaults()}, Channels: []words.Channel{ops}, Version: 1}, nil
}

// TestAlarmStorm writes the failures of many jobs into a database and lets two engines
// tell of them: a bounded number of messages, and an entry of each.
func TestAlarmStorm(t *testing.T) {
	t.Parallel()
	const failures = 2000
	path := filepath.Join(t.TempDir(), "orth.db")
	mustClose(t, mustOpen(t, path, Config{}))
	alter(t, path, fmt.Sprintf(`WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < %d)
		INSERT INTO alarm_events (id, at, body) SELECT x, 1, JSON_OBJECT('at', STRFTIME('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now'), 'source', 'run',
		'namespace', 'default', 'group_id', 7, 'group', 'workers', 'job_id', x, 'job', 'job-' || x, 'run_id', x, 'state', 'failed',
		'reason', 'reason ' || x) FROM n`, failures))
	s := mustOpen(t, path, Config{})
	start(t, s)
	people := &crowd{events: make(map[string]int)}
	ctx, cancel := context.WithCancel(t.Context())
	var engines sync.WaitGroup
	began := time.Now()
	for _, holder := range []string{"one", "two"} {
		e := alerting.New(alerting.Config{Store: s, Definitions: people, Sender: people, Holder: holder})
		engines.Go(func() {
			if err := e.Run(ctx); err != nil {
				t.Errorf("run an engine: %v", err)
			}
		})
	}
	defer engines.Wait()
	defer cancel()
	for {
		c, err := s.AlarmCursor(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if c.EventID == int64(failures) {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("event %d of %d is reached after a minute", c.EventID, failures)
		}
		<-time.After(time.Millisecond)
	}
	took := time.Since(began)
	n, messages := people.heard()
	for ; messages < 2 && n < failures; n, messages = people.heard() {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d events are told in %d messages after a minute", n, messages)
		}
		<-time.After(time.Millisecond)
	}
	if messages > 2 {
		t.Errorf("%d messages to a channel that carries 2 a minute", messages)
	}
	entries, err := s.AlarmEntries(ctx, 1, 0, 9)
	if err != nil || len(entries) != 1 || entries[0].Reason != "reason 1" {
		t.Errorf("the entries of the first alarm: %+v, %v", entries, err)
	}
	t.Logf("%d µs an event", took.Microseconds()/failures)
}
