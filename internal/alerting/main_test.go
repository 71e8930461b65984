package alerting

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is everything around engines, in memory, with the rules that the interfaces
// promise. Rows go through JSON where a database would keep them so.
type world struct {
	mu       sync.Mutex
	events   []words.Event
	defined  words.Definitions
	cursor   Cursor
	holder   string
	until    time.Time
	fence    int64
	alarms   map[int64]Alarm
	states   map[alarmKey]State
	bunches  map[int64]AlarmGroup
	messages map[int64]Outgoing
	entries  []words.Entry
	health   map[int64]error

	sent    []delivered
	refuse  func(c words.Channel, m words.Message) error
	slow    map[string]time.Duration // of channels, by key
	sending map[string]int           // messages under way, by id
	twice   bool                     // a message was being sent twice at once
	steps   int
	stopAt  int // the step at which everything stops; 0 for never
	crash   func()
	prunes  []time.Duration // how old is what was removed, of each time
}

// delivered is a message that a channel took.
type delivered struct {
	At      time.Time
	Channel string
	words.Message
}

// errStopped is what everything says after a crash.
var errStopped = errors.New("the process is dead")

func newWorld() *world {
	return &world{
		cursor: Cursor{Tag: "t"}, alarms: map[int64]Alarm{}, states: map[alarmKey]State{}, bunches: map[int64]AlarmGroup{},
		messages: map[int64]Outgoing{}, health: map[int64]error{}, slow: map[string]time.Duration{}, sending: map[string]int{},
	}
}

// step counts what an engine does, and kills it at one of them: before it, or after it.
func (w *world) step() error {
	w.steps++
	if w.stopAt != 0 && w.steps >= w.stopAt {
		if w.crash != nil {
			w.crash()
		}
		return errStopped
	}
	return nil
}

func (w *world) define(rules []words.Rule, channels []words.Channel, silences ...words.Silence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.defined = words.Definitions{Version: w.defined.Version + 1, Silences: silences}
	for i := range rules {
		w.defined.Rules = append(w.defined.Rules, rules[i].WithDefaults())
	}
	for i := range channels {
		w.defined.Channels = append(w.defined.Channels, channels[i].WithDefaults())
	}
}

// tell adds an event.
func (w *world) tell(e words.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.ID = int64(len(w.events) + 1)
	if e.At.IsZero() {
		e.At = time.Now()
	}
	w.events = append(w.events, e)
}

func (w *world) Events(_ context.Context, after int64, limit int) ([]words.Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.events[min(int(after), len(w.events)):]
	return slices.Clone(rest[:min(len(rest), limit)]), nil
}

func (w *world) Definitions(context.Context) (words.Definitions, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.defined, nil
}

func (w *world) TakeLease(_ context.Context, _, holder string, now, until time.Time) (int64, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holder != holder && w.until.After(now) {
		return 0, false, nil
	}
	if w.holder != holder {
		w.fence++
	}
	w.holder, w.until = holder, until
	return w.fence, true, nil
}

func (w *world) AlarmCursor(context.Context) (Cursor, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cursor, nil
}

func (w *world) ReadAlarms(_ context.Context, a Query) (Rows, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := Rows{Loads: map[int64]Load{}, Unnoted: map[string]bool{}}
	subjects, keys := setOf(a.Subjects), setOf(a.Keys)
	due := func(at time.Time, got int) bool {
		if a.Due.IsZero() || at.IsZero() {
			return false
		}
		if rows.Next.IsZero() || at.Before(rows.Next) {
			rows.Next = at
		}
		return !at.After(a.Due) && got < a.Limit
	}
	for _, x := range w.alarms {
		if x.State != words.Firing {
			continue
		}
		if due(x.LookAt, len(rows.Alarms)) || subjects[x.Subject()] {
			rows.Alarms = append(rows.Alarms, x)
		}
		if x.NotedAt.IsZero() && slices.Contains(a.Unnoted, x.Key) {
			rows.Unnoted[x.Key] = true
		}
	}
	for _, x := range w.states {
		if due(x.LookAt, len(rows.States)) || subjects[x.Subject] {
			rows.States = append(rows.States, x)
		}
	}
	for _, x := range w.bunches {
		if due(x.LookAt, len(rows.Bunches)) || keys[x.Key] {
			rows.Bunches = append(rows.Bunches, through(x))
		}
	}
	for _, c := range a.Channels {
		rows.Loads[c] = w.load(c, a.Since)
	}
	return rows, nil
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}

func (w *world) load(channel int64, since time.Time) (l Load) {
	for _, m := range w.messages {
		switch {
		case m.ChannelID != channel:
		case m.Status == words.Pending:
			l.Pending++
		case m.Status == words.Sent && m.EndedAt.After(since):
			l.Ended++
		}
	}
	return l
}

// through returns a bunch as a database gives it back.
func through(b AlarmGroup) AlarmGroup {
	raw, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	again := AlarmGroup{ID: b.ID, Key: b.Key, ChannelID: b.ChannelID, LookAt: b.LookAt}
	if err := json.Unmarshal(raw, &again); err != nil {
		panic(err)
	}
	return again
}

func (w *world) CommitAlarms(_ context.Context, c Changes) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.step(); err != nil {
		return err
	}
	if c.Fence != w.fence || c.From != w.cursor {
		return job.Errorf(job.Conflict, "somebody else decides")
	}
	if c.LookAgain {
		for id, a := range w.alarms {
			if a.State == words.Firing && a.LookAt.After(c.At) {
				a.LookAt = c.At
				w.alarms[id] = a
			}
		}
	}
	w.cursor = c.To
	for _, a := range c.Alarms {
		noted, by := w.alarms[a.ID].NotedAt, w.alarms[a.ID].NotedBy
		w.alarms[a.ID] = *a
		if x := w.alarms[a.ID]; !noted.IsZero() {
			x.NotedAt, x.NotedBy = noted, by
			w.alarms[a.ID] = x
		}
	}
	w.entries = append(w.entries, c.Entries...)
	for _, s := range c.States {
		at := alarmKey{s.RuleID, s.Kind, s.Subject}
		if delete(w.states, at); !s.Empty() {
			w.states[at] = *s
		}
	}
	for _, b := range c.Bunches {
		if delete(w.bunches, b.ID); !b.Gone {
			w.bunches[b.ID] = *b
		}
	}
	for _, m := range c.Messages {
		for _, other := range w.messages {
			if other.Key == m.Key {
				panic("the same message again: " + m.Key)
			}
		}
		w.messages[m.ID] = *m
	}
	return w.step()
}

func (w *world) DueMessages(_ context.Context, now time.Time, busy []int64, limit int) (due []Outgoing, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(w.messages)) {
		m := w.messages[id]
		line := fmt.Sprint(m.ChannelID, m.Line)
		if m.Status != words.Pending || lines[line] {
			continue
		}
		lines[line] = true
		if !m.LookAt.After(now) && !slices.Contains(busy, m.ChannelID) {
			due = append(due, m)
		}
	}
	slices.SortStableFunc(due, func(a, b Outgoing) int { return a.LookAt.Compare(b.LookAt) })
	return due[:min(len(due), limit)], nil
}

func (w *world) ClaimMessage(_ context.Context, m *Outgoing, until time.Time) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.step(); err != nil {
		return false, err
	}
	stored := w.messages[m.ID]
	if stored.Fence != m.Fence || stored.Status != words.Pending {
		return false, nil
	}
	stored.Fence++
	stored.LookAt = until
	w.messages[m.ID] = stored
	m.Fence++
	return true, w.step()
}

func (w *world) RecordMessage(_ context.Context, m, instead *Outgoing) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.step(); err != nil {
		return err
	}
	if stored := w.messages[m.ID]; stored.Fence != m.Fence || stored.Status != words.Pending {
		return nil
	}
	w.messages[m.ID] = *m
	if instead != nil && !w.knows(instead.Key) {
		w.cursor.LastID++
		instead.ID = w.cursor.LastID
		w.messages[instead.ID] = *instead
	}
	return w.step()
}

// knows reports whether there is a message with a key.
func (w *world) knows(key string) bool {
	for _, m := range w.messages {
		if m.Key == key {
			return true
		}
	}
	return false
}

func (w *world) PruneAlarms(_ context.Context, before time.Time, _ int) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prunes = append(w.prunes, time.Since(before))
	return 0, nil
}

func (w *world) Send(ctx context.Context, c words.Channel, m words.Message) error {
	w.mu.Lock()
	w.sending[m.ID]++
	w.twice = w.twice || w.sending[m.ID] > 1
	slow, refuse := w.slow[c.Key], w.refuse
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.sending[m.ID]--
		w.mu.Unlock()
	}()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return job.Errorf(job.Unreachable, "%s took too long", c.Key)
		}
	}
	if refuse != nil {
		if err := refuse(c, m); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, delivered{time.Now(), c.Key, m})
	return nil
}

func (w *world) Health(_ context.Context, channel int64, _ time.Time, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health[channel] = err
	return nil
}

// start runs an engine within the bubble of a test, until the test ends or stop is
// called.
func (w *world) start(t *testing.T, c Config) (e *Engine, stop func()) {
	t.Helper()
	c.Store, c.Definitions, c.Sender, c.Health = w, w, w, w
	c.Holder = cmp.Or(c.Holder, "one")
	e = New(c)
	stop = lifecycletest.Start(t, e.Run)
	synctest.Wait()
	return e, stop
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// told returns what was sent, as a channel and what happened.
func (w *world) told() (lines []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sent {
		lines = append(lines, fmt.Sprintf("%s %s %d/%d", s.Channel, s.State, s.Alarms, s.Events))
	}
	return lines
}

// scene is what a world has at a moment.
type scene struct {
	alarms   map[int64]Alarm
	bunches  map[int64]AlarmGroup
	messages map[int64]Outgoing
	entries  []words.Entry
	sent     []delivered
	health   map[int64]error
	holder   string
	twice    bool
}

// now returns what there is at this moment.
func (w *world) now() scene {
	w.mu.Lock()
	defer w.mu.Unlock()
	return scene{
		maps.Clone(w.alarms), maps.Clone(w.bunches), maps.Clone(w.messages), slices.Clone(w.entries), slices.Clone(w.sent), maps.Clone(w.health),
		w.holder, w.twice,
	}
}

// only returns the one alarm that there is.
func (w *world) only(t *testing.T) Alarm {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.alarms) != 1 {
		t.Fatalf("there are %d alarms, want one", len(w.alarms))
	}
	for _, a := range w.alarms {
		return a
	}
	return Alarm{}
}

// failed returns the end of a run that failed.
func failed(jobID int64, reason string) words.Event {
	return words.Event{
		Source: words.SourceRun, Namespace: "default", GroupID: 7, Group: "workers", JobID: jobID, JobKey: fmt.Sprintf("job-%d", jobID),
		RunID: jobID * 100, State: job.Failed, Reason: reason,
	}
}

// succeeded returns the end of a good run.
func succeeded(jobID int64) words.Event {
	e := failed(jobID, "")
	e.State = job.Succeeded
	return e
}

func rule(edit ...func(*words.Rule)) words.Rule {
	r := words.Rule{
		ID: 1, Namespace: "default", Key: "r", Enabled: true, Channels: []string{"ops"}, Recovered: true,
		Kinds: []words.Kind{words.KindFailed, words.KindTimedOut, words.KindLost},
	}
	for _, fn := range edit {
		fn(&r)
	}
	return r
}

func channel(id int64, key string, edit ...func(*words.Channel)) words.Channel {
	c := words.Channel{ID: id, Namespace: "default", Key: key, Kind: words.Webhook, Enabled: true}
	for _, fn := range edit {
		fn(&c)
	}
	return c
}

// site is a console at https://orth.
func site() Links {
	byID := func(folder string) func(int64) string {
		return func(id int64) string { return fmt.Sprintf("https://orth/%s/%d", folder, id) }
	}
	byKey := func(folder string) func(string, string) string {
		return func(namespace, key string) string { return "https://orth/" + folder + "/" + namespace + "/" + key }
	}
	return Links{
		Run: byID("runs"), Alarm: byID("alarms"), Job: byKey("jobs"), Group: byKey("groups"), Alarms: func() string { return "https://orth/alarms" },
	}
}
