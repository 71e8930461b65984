package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// instant is when everything happens.
var instant = time.UnixMilli(1_800_000_000_000).UTC()

func key(n byte) thread.Key { return thread.Key{n, 7} }

// works is a service with configurable answers.
type works struct {
	mu       sync.Mutex // guards reports
	stats    service.Stats
	dead     []ledger.Task
	offered  []observe.ThreadReady
	offer    func(observe.ThreadReady) error
	steps    []service.Progress
	redriven []ledger.ID
	fail     error
	reports  []service.Report // that wait
}

func (w *works) Reports(_ context.Context, after uint64, limit int) ([]service.Report, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []service.Report
	for _, e := range w.reports {
		if e.Number > after && len(found) < limit {
			found = append(found, e)
		}
	}
	return found, w.fail
}

func (w *works) Reported(_ context.Context, numbers ...uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports = slices.DeleteFunc(w.reports, func(e service.Report) bool { return slices.Contains(numbers, e.Number) })
	return w.fail
}

func (w *works) Stats(context.Context) (service.Stats, error) { return w.stats, w.fail }

func (w *works) Tasks(_ context.Context, where ledger.Place, after uint64, _ int) (found []ledger.Task, err error) {
	for _, t := range w.dead {
		if where == ledger.Dead && t.Seq > after {
			found = append(found, t)
		}
	}
	return found, w.fail
}

func (w *works) Profit(context.Context, thread.Key, int) (ledger.Profit, error) {
	return ledger.Profit{Total: ledger.Account{Executions: 12, Failures: 1, Spent: 65_000, Earned: 70_800}}, w.fail
}

func (w *works) Offer(_ context.Context, e observe.ThreadReady) error {
	w.offered = append(w.offered, e)
	if w.offer != nil {
		return w.offer(e)
	}
	return w.fail
}

func (w *works) Follow(context.Context, ledger.ID) (<-chan service.Progress, error) {
	steps := make(chan service.Progress, len(w.steps))
	for _, step := range w.steps {
		steps <- step
	}
	close(steps)
	return steps, w.fail
}

func (w *works) Redrive(_ context.Context, ids ...ledger.ID) error {
	w.redriven = append(w.redriven, ids...)
	return w.fail
}

func state(t thread.Trigger, count uint64, change func(*thread.Thread)) *thread.Thread {
	s := &thread.Thread{
		Authority: key(200), ID: []byte("pay"), Trigger: t, Fibers: []uint8{0, 1}, ExecCount: count, LastExecutor: key(100),
		Schedule: thread.Schedule{Kind: thread.Timed, Next: instant.Unix() + 30},
	}
	if change != nil {
		change(s)
	}
	return s
}

// threads are one of each kind of due, the last one ready.
func threads() []observe.Tracked {
	in := func(unit thread.Unit, at int64) thread.Due { return thread.Due{Unit: unit, At: at} }
	return []observe.Tracked{
		{Thread: key(1), State: state(thread.Trigger{Kind: thread.OnInterval, Every: 30}, 5, nil), Due: in(thread.Seconds, instant.Unix()+30), Waits: true},
		{Thread: key(2), State: state(thread.Trigger{Kind: thread.OnCron, Cron: "0 * * * * *"}, 6, func(s *thread.Thread) { s.ID = []byte{0, 255} }), Due: in(thread.Seconds, instant.Unix()+3), Waits: true},
		{Thread: key(3), State: state(thread.Trigger{Kind: thread.OnSlot, Number: 900}, 0, nil), Due: in(thread.Slots, 900), Waits: true},
		{Thread: key(4), State: state(thread.Trigger{Kind: thread.OnEpoch, Number: 9}, 0, nil), Due: in(thread.Epochs, 9), Waits: true},
		{Thread: key(5), State: state(thread.Trigger{Kind: thread.OnAccount, Address: key(9)}, 0, nil), Due: in(thread.Change, 0), Waits: true},
		{Thread: key(6), State: state(thread.Trigger{Kind: thread.OnTimestamp, At: 1}, 1, func(s *thread.Thread) { s.Paused, s.Fibers = true, nil })},
		{Thread: key(7), State: state(thread.Trigger{Kind: thread.Immediate}, 0, func(s *thread.Thread) { s.LastExecutor = thread.Key{} }), Waits: true, Ready: true},
	}
}

func newReport(t *testing.T, w *works, change func(*Config)) *Report {
	t.Helper()
	c := Config{
		Servers: []string{"http://127.0.0.1:1"}, Group: "chain", Token: "a token of the group", Data: t.TempDir(), Work: w, Profile: thread.Newest(), Key: key(100),
		Mode: "both", Floor: 10_000_000, Threads: threads, Clock: func() thread.Clock { return thread.Clock{Slot: 890, Epoch: 8, Unix: instant.Unix()} },
		Balance: func(context.Context) (uint64, error) { return 1_234_567_890, nil },
		Account: func(_ context.Context, k thread.Key) (ledger.Account, error) {
			return ledger.Account{Earned: uint64(k[0]), Spent: 5000}, nil
		},
		Nodes: func(time.Time) []rpc.Status {
			return []rpc.Status{
				{Name: "a.example", Role: rpc.Everything, Latency: 12_345 * time.Microsecond, Breaker: breaker.Status{State: breaker.Closed}},
				{Name: "b.example", Role: rpc.Submitting, Breaker: breaker.Status{State: breaker.Open, Failures: 5, Reason: "HTTP status 503"}},
			}
		},
	}
	if change != nil {
		change(&c)
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r.startedAt = instant.Add(-time.Hour)
	return r
}

func letter(n int) ledger.Task {
	return ledger.Task{
		ID: ledger.ID(1000 + n), Seq: uint64(n), Thread: key(byte(n)), ExecCount: uint64(n), Tries: 5, DueAt: instant.Add(time.Duration(n) * time.Second),
		Failed: ledger.Failure{Class: failure.Program, Reason: "custom program error 0x1771"},
	}
}

func busy() *works {
	return &works{
		dead: []ledger.Task{letter(1), letter(2)},
		stats: service.Stats{
			Ledger: ledger.Stats{Scheduled: 3, Processing: 2, Dead: 2}, Waiting: map[string]int{"clock": 3}, Ready: 1, Working: 2, InFlight: 2,
			Trouble: service.Trouble{Since: instant, Reason: "the executor has 5 lamports", Needed: 10_005_000},
			Offered: 20, Outcomes: map[service.Outcome]uint64{service.Executed: 12, service.Buried: 2, service.Superseded: 1},
			Failures: map[failure.Class]uint64{failure.Program: 12}, Retries: 10, Sent: 13, Resent: 4, Expired: 1,
			ToWire: service.Quantiles{Count: 12, P50: 1500 * time.Microsecond, P99: 8 * time.Millisecond, Max: 9 * time.Millisecond},
			Clock:  thread.Clock{Slot: 890, Epoch: 8, Unix: instant.Unix()},
		},
	}
}

// TestFacts holds the document to testdata/facts.json, which the console's tests read too.
func TestFacts(t *testing.T) {
	t.Parallel()
	r := newReport(t, busy(), nil)
	r.lasts[key(5)] = last{outcome: service.Buried, reason: "it failed", at: instant}
	r.lasts[key(1)] = last{outcome: service.Executed, at: instant}
	f, err := r.collect(t.Context(), instant.Add(700*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.encode(job.MaxFacts)
	if err != nil {
		t.Fatal(err)
	}
	told := job.Facts{Kind: Kind, Text: string(text)}
	if err := told.Check(); err != nil {
		t.Error(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	indented.WriteByte('\n')
	path := filepath.Join("testdata", "facts.json")
	if *update {
		if err := os.WriteFile(path, indented.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), indented.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var order []string
	for _, th := range f.Threads {
		order = append(order, th.Trigger)
	}
	if got, want := strings.Join(order, " "), "account immediate cron slot interval epoch timestamp"; got != want {
		t.Errorf("the most pressing are %s, want %s", got, want)
	}
}

// TestFactsFit: whatever there is, the document is not too large, and threads and dead letters share the room.
func TestFactsFit(t *testing.T) {
	t.Parallel()
	w := busy()
	w.dead = nil
	for i := range 250 {
		d := letter(i + 1)
		d.Failed.Reason = strings.Repeat("\u00fc<", 500)
		w.dead = append(w.dead, d)
	}
	r := newReport(t, w, func(c *Config) {
		c.Threads = func() (all []observe.Tracked) {
			for i := range 5000 {
				all = append(all, observe.Tracked{
					Thread: thread.Key{byte(i), byte(i >> 8), 1}, Waits: true, Due: thread.Due{Unit: thread.Seconds, At: instant.Unix() + int64(i)},
					State: state(thread.Trigger{Kind: thread.OnCron, Cron: strings.Repeat("<", 1000)}, 1, func(s *thread.Thread) { s.Name = strings.Repeat("&", 1000) }),
				})
			}
			return all
		}
	})
	failed := settlement(service.Buried)
	failed.Thread = thread.Key{byte(4990 & 255), byte(4990 >> 8), 1}
	r.Settled(failed)
	f, err := r.collect(t.Context(), instant)
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.encode(job.MaxFacts)
	if err != nil {
		t.Fatal(err)
	}
	var back Facts
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if len(text) > job.MaxFacts || len(text) < job.MaxFacts*9/10 {
		t.Errorf("%d bytes of %d", len(text), job.MaxFacts)
	}
	for i, got := range back.Threads { // the one that fails, then those that are due next; which have room is no accident
		if want := instant.Unix() + int64(i-1); i == 0 && got.Key != failed.Thread.String() || i > 0 && got.Due != want {
			t.Fatalf("thread %d is %s, due at %d", i, got.Key, got.Due)
		}
	}
	if back.All != 5000 || len(back.Threads) < 20 || len(back.Dead) < 10 || back.Dead[0].ID != "1250" {
		t.Errorf("%d threads of %d and %d dead letters, the first %+v", len(back.Threads), back.All, len(back.Dead), back.Dead[:1])
	}
}

func TestFactsFail(t *testing.T) {
	t.Parallel()
	r := newReport(t, &works{fail: errors.New("the disk is away")}, nil)
	if _, err := r.collect(t.Context(), instant); err == nil {
		t.Error("facts of a service that does not answer")
	}
}

// TestBalance is read each half minute, and the last one stays while no node answers.
func TestBalance(t *testing.T) {
	t.Parallel()
	asked, fail := 0, error(nil)
	r := newReport(t, busy(), func(c *Config) {
		c.Balance = func(context.Context) (uint64, error) { asked++; return uint64(asked), fail }
	})
	for i, want := range []uint64{1, 1, 2, 2, 2, 5} {
		fail = nil
		if i == 3 || i == 4 {
			fail = errors.New("no node answers")
		}
		at := instant.Add([]time.Duration{0, 29 * time.Second, 31 * time.Second, 62 * time.Second, 93 * time.Second, 2 * time.Hour}[i])
		if got := r.balance(t.Context(), at); got != want {
			t.Errorf("question %d: %d, want %d", i, got, want)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"work":    func(c *Config) { c.Work = nil },
		"group":   func(c *Config) { c.Group = "" },
		"execute": func(c *Config) { c.Execute = "No Key" },
		"redrive": func(c *Config) { c.Redrive = defaultExecute },
		"servers": func(c *Config) { c.Servers = nil },
	} {
		c := Config{Servers: []string{"http://127.0.0.1:1"}, Group: "chain", Token: "x", Data: t.TempDir(), Work: &works{}, Profile: thread.Newest()}
		change(&c)
		if _, err := New(c); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// task returns a run with a parameter, and what it has written so far.
func task(text string) (*handler.Task, *bytes.Buffer) {
	var out bytes.Buffer
	return handler.NewTask(handler.TaskConfig{Task: job.Task{Param: text}, Output: &out, Zone: time.UTC}), &out
}

func settlement(outcome service.Outcome) service.Settlement {
	s := service.Settlement{
		Task: 17, Thread: key(7), ExecCount: 3, Trigger: thread.Immediate, Outcome: outcome, Slot: 891, Signature: solana.Signature{1, 2, 3}, Path: "both", Fibers: 1,
		Units: 20_000, Price: 5, Fee: 5000, Before: 1_000_000, After: 1_000_888, Expected: 888, Logs: []string{"Program log: paid"}, Tries: 1, Reason: "HTTP status 503",
		Stages: service.Stages{Due: instant, Queued: instant.Add(time.Millisecond), Begun: instant.Add(2 * time.Millisecond), Sent: instant.Add(5 * time.Millisecond)},
	}
	if outcome == service.Buried {
		s.Signature, s.Class, s.Reason = solana.Signature{}, failure.Program, "custom program error 0x1771"
	}
	return s
}

// TestReported: a run about an execution that has ended reports it and ends like it, also
// when this process knows nothing of it.
func TestReported(t *testing.T) {
	t.Parallel()
	r := newReport(t, busy(), nil)
	name := key(7).String() + "#3"
	for outcome, want := range map[service.Outcome]struct{ result, err string }{
		service.Executed:   {name + " executed in slot 891: " + solana.Signature{1, 2, 3}.String(), ""},
		service.Superseded: {name + " superseded: another executor has executed it, or it was changed: HTTP status 503", ""},
		service.Gone:       {name + " the thread is closed: HTTP status 503", ""},
		service.Buried:     {"", name + " is a dead letter, program: custom program error 0x1771"},
		"eaten":            {"", `"eaten" is no outcome`},
	} {
		e := &service.Report{Settlement: settlement(outcome), At: instant}
		text, err := paramOf(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, known := range []bool{false, true} {
			if known {
				r.sent.holdReport(keyOf(e), e)
			}
			run, log := task(text)
			err := r.execute(t.Context(), run)
			if run.ResultText() != want.result || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
				t.Errorf("%s, known %t: %q, %v", outcome, known, run.ResultText(), err)
			}
			if told := strings.Contains(log.String(), "program: Program log: paid") && strings.Contains(log.String(), "sent      2027-01-15T08:00:00.005Z +3ms"); told != known {
				t.Errorf("%s, known %t: the log is\n%s", outcome, known, log)
			}
		}
	}
}

// TestKeys: one execution has one key, also when it is reported twice, and the next failure
// of a dead letter another.
func TestKeys(t *testing.T) {
	t.Parallel()
	keys := make(map[string]bool)
	for _, change := range []func(*service.Report){
		func(*service.Report) {}, func(e *service.Report) { e.At = e.At.Add(time.Hour) }, // the same
		func(e *service.Report) { e.Task = 18 }, func(e *service.Report) { e.Settlement = settlement(service.Buried) },
		func(e *service.Report) {
			e.Settlement = settlement(service.Buried)
			e.Stages.Begun = e.Stages.Begun.Add(time.Second)
		},
	} {
		e := &service.Report{Settlement: settlement(service.Executed), At: instant}
		change(e)
		keys[keyOf(e)] = true
		if len(keyOf(e)) > 128 {
			t.Errorf("%q is too long", keyOf(e))
		}
	}
	if len(keys) != 4 {
		t.Errorf("keys %v, want 4", keys)
	}
}

// TestByHand: a person has a thread executed, when it is due.
func TestByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, param, result, err string }{
		{"due", key(7).String(), "#3 executed in slot 891", ""},
		{"due, with its count", fmt.Sprintf(`{"thread":%q,"exec":0}`, key(7)), "#3 executed in slot 891", ""},
		{"over", fmt.Sprintf(`{"thread":%q,"exec":3}`, key(1)), "#3 superseded: the thread has been executed 5 times already", ""},
		{"not yet", fmt.Sprintf(`{"thread":%q,"exec":8}`, key(1)), "", "execution 8 is not next"},
		{"not due", key(1).String(), "", "is not due: it waits until 2027-01-15T08:00:30Z. Nothing was done"},
		{"a slot", key(3).String(), "", "it waits for slot 900, and slot 890 is now"},
		{"an epoch", key(4).String(), "", "it waits for epoch 9, and epoch 8 is now"},
		{"an account", key(5).String(), "", "it waits for a change"},
		{"paused", key(6).String(), "", "it is paused"},
		{"unknown", key(50).String(), "", "no thread " + key(50).String() + " is followed here"},
		{"no address", "nightly", "", `"nightly" is no address of a thread`},
		{"nothing", "", "", "is no address of a thread"},
		{"no JSON", `{"thread":`, "", "is neither an address nor"},
	} {
		w := busy()
		w.steps = []service.Progress{{Stage: service.Queued}, {Stage: service.Built, Words: "20000 units"}}
		r := newReport(t, w, nil)
		w.offer = func(e observe.ThreadReady) error {
			s := settlement(service.Executed)
			s.Thread, s.Task = e.Thread, ledger.IDOf(e.Thread, e.State.ExecCount, false, e.TriggerTime)
			r.Settled(s)
			return nil
		}
		run, _ := task(c.param)
		err := r.execute(t.Context(), run)
		if !strings.Contains(run.ResultText(), c.result) || c.result == "" && run.ResultText() != "" ||
			(err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.name, run.ResultText(), err)
		}
		if len(r.watched) != 0 {
			t.Errorf("%s: %d executions are watched", c.name, len(r.watched))
		}
		if offered := len(w.offered) == 1; offered != strings.HasPrefix(c.name, "due") {
			t.Errorf("%s: offered %v", c.name, w.offered)
		}
	}
}

func TestRedrive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		param, err string
		want       []ledger.ID
	}{
		{`{"ids":["17","18"]}`, "", []ledger.ID{17, 18}},
		{" 17, 18\n19 ", "", []ledger.ID{17, 18, 19}},
		{"", "0 ids", nil},
		{`{"ids":[]}`, "0 ids", nil},
		{`{"ids":17}`, "is not like", nil},
		{"17 x", `"x" is no task`, nil},
		{strings.Repeat("1 ", 1001), "1001 ids", nil},
	} {
		w := busy()
		run, log := task(c.param)
		err := newReport(t, w, nil).redrive(t.Context(), run)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%.50q: %v", c.param, err)
		}
		if diff := cmp.Diff(c.want, w.redriven); diff != "" || len(c.want) != strings.Count(log.String(), "is tried again") {
			t.Errorf("%.50q: %s\n%s", c.param, diff, log)
		}
	}
	w := &works{fail: job.Errorf(job.NotFound, "17 is no dead letter")}
	run, _ := task("17")
	if err := newReport(t, w, nil).redrive(t.Context(), run); !job.Is(err, job.NotFound) {
		t.Errorf("one that is none: %v", err)
	}
}

// TestSent: what was sent is kept for its run, the last thousand.
func TestSent(t *testing.T) {
	t.Parallel()
	o := newSent()
	for i := range mostSent + 5 {
		o.holdReport(fmt.Sprint(i), &service.Report{})
		o.holdReport(fmt.Sprint(i), &service.Report{}) // and reported once more
	}
	if o.findReport("4") != nil || o.findReport("5") == nil || len(o.kept) != mostSent || len(o.order) != mostSent {
		t.Errorf("%d are kept for their runs", len(o.kept))
	}
}

// TestLettersAreKept: dead letters are read again when they may be others, and not each time.
func TestLettersAreKept(t *testing.T) {
	t.Parallel()
	w := busy()
	r := newReport(t, w, nil)
	for i, step := range []struct {
		after  time.Duration
		change func()
		want   int
	}{
		{0, func() {}, 2},
		{5 * time.Second, func() { w.dead = w.dead[:1] }, 2}, // nothing reports it
		{6 * time.Second, func() { w.stats.Ledger.Dead = 1 }, 1},
		{7 * time.Second, func() { w.dead = []ledger.Task{letter(3), letter(4)}; w.stats.Outcomes[service.Buried] += 2 }, 2},
		{2 * time.Minute, func() { w.dead = nil }, 0},
	} {
		step.change()
		f, err := r.collect(t.Context(), instant.Add(step.after))
		if err != nil || len(f.Dead) != step.want {
			t.Errorf("step %d: %d dead letters, %v, want %d", i, len(f.Dead), err, step.want)
		}
	}
}

// TestLastsGo: of threads that are gone nothing is remembered.
func TestLastsGo(t *testing.T) {
	t.Parallel()
	r := newReport(t, busy(), nil)
	s := settlement(service.Executed)
	s.Thread = key(50) // not followed
	r.Settled(s)
	s.Thread = key(1)
	r.Settled(s)
	for range 4 {
		r.pressing(threads(), 3)
	}
	if _, there := r.lasts[key(1)]; !there || len(r.lasts) != 1 {
		t.Errorf("remembered are %v", r.lasts)
	}
}
