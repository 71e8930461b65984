package service

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// A thread that is due is executed once, with three requests, however often it is offered,
// and all of it is reported.
func TestExecute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.enter(t, nil, nil)
		defer h.stop()
		key := w.put(t, 1, now-10)
		e := w.ready(key)
		id := h.offer(t, key)
		pass(time.Second)
		d := h.ends(t)
		if d.Task != id || d.Outcome != Executed || d.Requests != 3 || d.Path != "rpc" || d.Expected != 900 || d.Fee != 5000 || d.Recovered || len(d.Logs) != 1 {
			t.Errorf("%+v", d)
		}
		last := d.Stages.Due
		for i, at := range []time.Time{d.Stages.Queued, d.Stages.Begun, d.Stages.Built, d.Stages.Recorded, d.Stages.Sent, d.Stages.Confirmed} {
			if at.IsZero() || i > 0 && at.Before(last) {
				t.Errorf("stage %d is at %v, behind %v", i, at, last)
			}
			last = at
		}
		for range 3 {
			if err := h.service.Offer(t.Context(), e); err != nil {
				t.Error(err)
			}
		}
		pass(time.Minute)
		if w.done != 1 || w.sent != 1 || len(h.settled) != 0 {
			t.Errorf("it was executed %d times, sent %d times", w.done, w.sent)
		}
		st := h.stats(t)
		if st.Outcomes[Executed] != 1 || st.ToWire.Count != 1 || st.Ledger.Remembered != 1 || st.Offered != 1 || st.Ready != 0 {
			t.Errorf("%+v", st)
		}
		samples, err := h.service.Samples(t.Context())
		seen := map[string]bool{}
		for _, s := range samples {
			name := fmt.Sprint(s.Name, s.Labels)
			if seen[name] || s.Help == "" || s.Kind != counter && s.Kind != gauge {
				t.Errorf("sample %+v", s)
			}
			seen[name] = true
		}
		if err != nil || !seen["executions_totalmap[outcome:executed]"] {
			t.Errorf("samples %v, %v", seen, err)
		}
		h.stop()
		if err := h.service.Offer(t.Context(), e); !job.Is(err, job.Unavailable) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A try that fails is made again after delays that grow, until none is left.
func TestRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var tries []time.Duration
		began := time.Now()
		w.simulate = func(thread.Key) (*rpc.TxError, []string, error) {
			tries = append(tries, time.Since(began))
			return nil, nil, &rpc.UnreachableError{Endpoint: "node", Method: "simulateTransaction", Status: 503}
		}
		h := w.enter(t, nil, nil)
		defer h.stop()
		if err := h.service.SetRetry(t.Context(), ledger.Retry{MaxRetries: 3, Initial: time.Second, Max: 3 * time.Second, Multiplier: 2}); err != nil {
			t.Fatal(err)
		}
		id := h.offer(t, w.put(t, 1, now-10))
		steps, err := h.service.Follow(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		d := h.ends(t)
		if d.Outcome != Buried || d.Class != failure.Transient || d.Tries != 3 {
			t.Errorf("%+v", d)
		}
		for i, want := range []time.Duration{0, time.Second, 3 * time.Second, 6 * time.Second} {
			if len(tries) != 4 || tries[i].Round(10*time.Millisecond) != want {
				t.Fatalf("it was tried after %v", tries)
			}
		}
		var last Progress
		for p := range steps {
			last = p
		}
		if last.Stage != Ended || last.Task != id {
			t.Errorf("the last step was %+v", last)
		}
		w.set(func() { w.simulate = nil })
		if err := h.service.Redrive(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if d := h.ends(t); d.Outcome != Executed || d.Task != id || d.Tries != 0 {
			t.Errorf("redriven: %+v", d)
		}
	})
}

// What is not due waits for the chain's clock, and for nothing else; what is paused for a change.
func TestWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.enter(t, nil, func(c *Config) { c.Again = 10 * time.Hour })
		defer h.stop()
		h.tick(0)
		key := w.put(t, 1, now+100)
		h.offer(t, key)
		pass(time.Hour)
		if st := h.stats(t); st.Waiting["clock"] != 1 || w.calls["accounts"] != 1 {
			t.Errorf("%+v after %v", st.Waiting, w.calls)
		}
		h.tick(99)
		pass(time.Second)
		if w.calls["accounts"] != 1 {
			t.Errorf("a second early it was looked at: %v", w.calls)
		}
		h.tick(1)
		pass(time.Second)
		if d := h.ends(t); d.Outcome != Executed || d.Tries != 0 {
			t.Errorf("%+v", d)
		}

		key = w.put(t, 2, now)
		w.change(key, func(th *thread.Thread) { th.Paused = true })
		h.offer(t, key)
		pass(time.Hour)
		if st := h.stats(t); st.Waiting["change"] != 1 {
			t.Errorf("%+v", st.Waiting)
		}
		h.service.Changed(observe.ThreadChanged{Thread: key, State: w.change(key, func(th *thread.Thread) { th.Paused = false })})
		pass(time.Second)
		if d := h.ends(t); d.Outcome != Executed || d.Tries != 0 {
			t.Errorf("%+v", d)
		}

		// Closed, or executed by another executor, while it waits.
		gone, lost := w.put(t, 3, now+1000), w.put(t, 4, now+1000)
		h.offer(t, gone)
		h.offer(t, lost)
		pass(time.Second)
		asked := w.calls["accounts"]
		h.service.Gone(observe.ThreadGone{Thread: gone})
		h.service.Changed(observe.ThreadChanged{Thread: lost, State: w.change(lost, func(th *thread.Thread) { th.ExecCount++ })})
		pass(time.Second)
		ended := map[thread.Key]Outcome{}
		for range 2 {
			d := h.ends(t)
			ended[d.Thread] = d.Outcome
		}
		if ended[gone] != Gone || ended[lost] != Superseded || w.calls["accounts"] != asked {
			t.Errorf("they ended as %v, and nodes were asked %d times", ended, w.calls["accounts"]-asked)
		}
	})
}

// Executions of one thread are made one after the other, and a later one takes the place of one that waits.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.enter(t, nil, nil)
		defer h.stop()
		key := w.put(t, 1, now+100)
		first := h.offer(t, key)
		pass(time.Second)
		w.change(key, func(th *thread.Thread) { th.ExecCount, th.Schedule.Next = 1, now })
		second := h.offer(t, key)
		pass(time.Second)
		if d := h.ends(t); d.Task != first || d.Outcome != Superseded {
			t.Errorf("first ended %+v", d)
		}
		if d := h.ends(t); d.Task != second || d.Outcome != Executed {
			t.Errorf("then ended %+v", d)
		}
		if err := h.service.Offer(t.Context(), w.ready(w.put(t, 1, now))); err != nil { // a node is behind
			t.Fatal(err)
		}
		pass(time.Minute)
		if len(h.settled) > 0 && h.ends(t).Outcome == Executed && w.done != 2 {
			t.Errorf("it was executed %d times", w.done)
		}
	})
}

// A transaction that no node saw is sent again with the same bytes until it cannot land any
// more; only then it is signed again.
func TestExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.lose = func(solana.Signature) bool { return true }
		h := w.enter(t, nil, nil)
		defer h.stop()
		key := w.put(t, 1, now-10)
		h.offer(t, key)
		for range 50 { // 100 blocks
			h.tick(1)
			pass(time.Second)
		}
		if len(w.bytes) != 1 || w.sent < 20 {
			t.Errorf("%d transactions were signed, sent %d times", len(w.bytes), w.sent)
		}
		for range 40 {
			h.tick(1)
			pass(time.Second)
		}
		if len(w.bytes) != 2 || len(h.settled) != 0 {
			t.Errorf("%d transactions were signed", len(w.bytes))
		}
		w.set(func() { w.lose = nil })
		pass(10 * time.Second)
		if d := h.ends(t); d.Outcome != Executed || d.Tries != 0 || w.done != 1 {
			t.Errorf("executed %d times: %+v", w.done, d)
		}
		if st := h.stats(t); st.Expired != 1 || st.Sent != 2 {
			t.Errorf("%+v", st)
		}
	})
}

// A stop waits for what is on its way; what is left then is asked for by the next process, which sends the same bytes at once.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		backend := kept{mem.New()}
		w.lose = func(solana.Signature) bool { return true }
		h := w.enter(t, backend, func(c *Config) { c.Drain = 5 * time.Second })
		key := w.put(t, 1, now-10)
		h.offer(t, key)
		pass(time.Second)
		began := time.Now()
		h.stop()
		if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("the stop took %v", took)
		}
		if len(h.settled) != 0 {
			t.Errorf("it ended as %+v", <-h.settled)
		}
		w.set(func() { w.lose = nil })
		next := w.enter(t, backend, nil)
		defer next.stop()
		pass(time.Second)
		if d := next.ends(t); d.Outcome != Executed || !d.Recovered || len(w.bytes) != 1 || w.done != 1 {
			t.Errorf("%d signed, executed %d times: %+v", len(w.bytes), w.done, d)
		}
		p, err := next.service.Profit(t.Context(), thread.Key{}, 1)
		if err != nil || p.Total.Executions != 1 || p.Total.Net() != 900 {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

// A time that a node makes up holds until the next tick: what waits for the chain's clock is looked at again and waits on.
func TestClockThatCannotBe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.enter(t, nil, func(c *Config) { c.Again = 10 * time.Hour })
		defer h.stop()
		h.tick(0)
		h.offer(t, w.put(t, 1, now+1000))
		pass(time.Second)
		h.service.Tick(observe.ClockUpdate{Slot: w.clock.Slot + 1, Epoch: 1 << 60, UnixTimestamp: now + 1e9})
		pass(time.Second)
		h.tick(1)
		pass(time.Hour)
		if st := h.stats(t); st.Waiting["clock"] != 1 || w.calls["accounts"] > 8 {
			t.Errorf("%+v after %v", st.Waiting, w.calls)
		}
		h.tick(1000)
		pass(time.Second)
		if d := h.ends(t); d.Outcome != Executed {
			t.Errorf("%+v", d)
		}
	})
}

// What waits for the chain when a process ends waits for the chain in the next one, and no longer.
func TestWaitsOverRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		backend := kept{mem.New()}
		again := func(c *Config) { c.Again = 10 * time.Hour }
		h := w.enter(t, backend, again)
		h.tick(0)
		early, paused := w.put(t, 1, now+100), w.put(t, 2, now)
		w.change(paused, func(th *thread.Thread) { th.Paused = true })
		h.offer(t, early)
		h.offer(t, paused)
		pass(time.Minute)
		h.stop()
		next := w.enter(t, backend, again)
		defer next.stop()
		pass(time.Minute)
		if st := next.stats(t); st.Waiting["clock"] != 1 || st.Waiting["change"] != 1 {
			t.Fatalf("they wait for %v", st.Waiting)
		}
		asked := w.calls["accounts"]
		next.tick(99)
		pass(time.Second)
		if w.calls["accounts"] != asked {
			t.Error("a second early it was looked at")
		}
		next.tick(1)
		pass(time.Second)
		if d := next.ends(t); d.Outcome != Executed || d.Thread != early {
			t.Errorf("%+v", d)
		}
		next.service.Changed(observe.ThreadChanged{Thread: paused, State: w.change(paused, func(th *thread.Thread) { th.Paused = false })})
		pass(time.Second)
		if d := next.ends(t); d.Outcome != Executed || d.Thread != paused {
			t.Errorf("%+v", d)
		}
	})
}

// owner lets others have the first minute.
type owner struct{ seen map[thread.Key]uint64 }

func (o *owner) May(_ thread.Key, _ *thread.Thread, overdue time.Duration) (bool, time.Duration) {
	return overdue >= time.Minute, time.Minute - overdue
}

func (o *owner) Seen(key, _ thread.Key, count uint64) { o.seen[key] = count }

func (o *owner) Forget(key thread.Key) { delete(o.seen, key) }

// A thread of another executor is left alone for the configured time.
func TestOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		o := &owner{seen: map[thread.Key]uint64{}}
		h := w.enter(t, nil, func(c *Config) { c.Owner = o })
		defer h.stop()
		h.tick(0)
		key := w.put(t, 1, now)
		h.offer(t, key)
		pass(30 * time.Second)
		if st := h.stats(t); st.Waiting["owner"] != 1 || len(w.calls) != 0 {
			t.Errorf("%+v after %v", st.Waiting, w.calls)
		}
		h.tick(60)
		pass(time.Minute)
		if d := h.ends(t); d.Outcome != Executed || o.seen[key] != 1 {
			t.Errorf("%+v, seen %v", d, o.seen)
		}
	})
}

// An executor that cannot pay sends nothing for anybody until it can.
func TestTrouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.lamports = 5
		var told []Trouble
		h := w.enter(t, nil, func(c *Config) { c.Hooks.Trouble = func(tr Trouble) { told = append(told, tr) } })
		defer h.stop()
		for n := range 20 {
			h.offer(t, w.put(t, n, now-10))
		}
		pass(time.Minute)
		if st := h.stats(t); !st.Trouble.IsTrouble() || st.Trouble.Balance != 5 || st.Sent != 0 || st.Ready != 20 {
			t.Errorf("%+v", st)
		}
		asked := w.calls["accounts"]
		pass(time.Hour)
		if w.calls["accounts"] != asked {
			t.Error("it goes on building")
		}
		w.set(func() { w.lamports = 1e9 })
		pass(time.Minute)
		for range 20 {
			if d := h.ends(t); d.Outcome != Executed || d.Tries != 0 {
				t.Errorf("%+v", d)
			}
		}
		if len(told) != 2 || !told[0].IsTrouble() || told[1].IsTrouble() {
			t.Errorf("told was %+v", told)
		}
	})
}

// Whatever goes wrong, and however often the process ends, each execution is made once, and the account is right to the lamport.
func TestRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { storm(t, seed) })
		})
	}
}

func storm(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t)
	had := w.lamports
	calm := false
	chance := func(part float64) bool { return !calm && r.Float64() < part } // called with the world's lock held
	w.lose = func(solana.Signature) bool { return chance(0.3) }
	w.fails = nil
	w.read = func() error {
		if chance(0.05) {
			return &rpc.UnreachableError{Endpoint: "node", Method: "getMultipleAccounts", Status: 503}
		}
		return nil
	}
	w.simulate = func(thread.Key) (*rpc.TxError, []string, error) {
		if chance(0.1) {
			return &rpc.TxError{Kind: "AccountInUse"}, nil, nil
		}
		return nil, nil, nil
	}
	backend := kept{mem.New()}
	start := func() *hall {
		return w.enter(t, backend, func(c *Config) { c.Drain = time.Duration(r.IntN(2000)) * time.Millisecond })
	}
	h := start()
	defer func() { h.stop() }()
	const threads = 8
	keys := make([]thread.Key, threads)
	for i := range keys {
		keys[i] = w.put(t, i, now+int64(i))
	}
	settled := 0
	for second := range 400 {
		h.tick(1)
		if second > 330 {
			w.set(func() { calm = true })
		}
		for _, key := range keys {
			e := w.ready(key)
			if e.State.Schedule.Next <= h.service.clockForTest() && (second > 330 || second%3 == 0) {
				if err := h.service.Offer(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
		}
		pass(time.Second)
		if second%57 == 56 && second < 330 {
			h.stop()
			settled += len(h.settled)
			h = start()
		}
	}
	pass(time.Minute)
	settled += len(h.settled)
	st := h.stats(t)
	if st.Ledger.Scheduled+st.Ledger.Processing != 0 || st.Ledger.Dead != 0 {
		t.Errorf("left over: %+v", st)
	}
	p, err := h.service.Profit(t.Context(), thread.Key{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	count := uint64(0)
	for _, key := range keys {
		count += w.threads[key].ExecCount
	}
	if count < threads || p.Total.Executions != count || w.done != int(count) || settled < w.done {
		t.Errorf("%d executions on the chain, %d in the account, %d told", count, p.Total.Executions, settled)
	}
	if got := int64(w.lamports) - int64(had); got != p.Total.Net() {
		t.Errorf("the executor has %d lamports more, %d are in the account", got, p.Total.Net())
	}
}

// watcher is an observer with a test's reports.
type watcher struct {
	events chan observe.Event
	again  chan thread.Key
}

func (w *watcher) Events() <-chan observe.Event { return w.events }

func (w *watcher) Again(key thread.Key) { w.again <- key }

// An observer's events are taken in their order; what the ledger has no room for waits, and what was superseded is asked for again.
func TestObserver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		book, err := ledger.Open(mem.New(), ledger.Config{Capacity: 3})
		if err != nil {
			t.Fatal(err)
		}
		o := &watcher{events: make(chan observe.Event, 100), again: make(chan thread.Key, 100)}
		h := w.enterWith(t, book, func(c *Config) { c.Workers = 1 }, o)
		defer h.stop()
		const threads = 20
		for n := range threads {
			o.events <- w.ready(w.put(t, n, now-10))
		}
		waits := w.put(t, threads, now+50)
		o.events <- w.ready(waits)
		o.events <- observe.ClockUpdate{Slot: 3000, UnixTimestamp: now + 1}
		pass(time.Minute)
		for range threads {
			if d := h.ends(t); d.Outcome != Executed {
				t.Errorf("%+v", d)
			}
		}
		if st := h.stats(t); st.Clock.Slot != 3000 || st.Waiting["clock"] != 1 {
			t.Errorf("%+v", st)
		}
		o.events <- observe.ThreadChanged{Thread: waits, State: w.change(waits, func(th *thread.Thread) { th.ExecCount = 7 })}
		pass(time.Second)
		if d := h.ends(t); d.Outcome != Superseded || <-o.again != waits {
			t.Errorf("%+v", d)
		}
		gone := w.put(t, threads+1, now+500)
		o.events <- w.ready(gone)
		o.events <- observe.ThreadGone{Thread: gone}
		pass(time.Minute)
		if d := h.ends(t); d.Outcome != Gone || d.Thread != gone || len(o.again) != 0 {
			t.Errorf("%+v", d)
		}
		close(o.events) // an observer that has ended is no reason to end
		pass(time.Second)
		h.offer(t, w.put(t, threads+2, now))
		pass(time.Second)
		if d := h.ends(t); d.Outcome != Executed {
			t.Errorf("%+v", d)
		}
	})
}

// What is missing is reported before anything is executed.
func TestConfig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	book, err := ledger.Open(mem.New(), ledger.Config{})
	if err != nil {
		t.Fatal(err)
	}
	whole := Config{Profile: w.profile, Signer: w.signer, Chain: w, Submitter: w, Ledger: book}
	if _, err := New(whole); err != nil {
		t.Fatal(err)
	}
	if _, err := NewWithObserver(whole, nil); !job.Is(err, job.Invalid) {
		t.Errorf("without an observer: %v", err)
	}
	for name, change := range map[string]func(*Config){
		"profile":   func(c *Config) { c.Profile = thread.Profile{} },
		"signer":    func(c *Config) { c.Signer = nil },
		"chain":     func(c *Config) { c.Chain = nil },
		"ledger":    func(c *Config) { c.Ledger = nil },
		"workers":   func(c *Config) { c.Workers = 1001 },
		"in flight": func(c *Config) { c.InFlight = -1 },
	} {
		c := whole
		change(&c)
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who is beaten between the reading of a thread and its simulation sees it soon, without a tick, and it costs no try; so does a node
// whose simulation is behind.
func TestBeaten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		beaten, behind := w.put(t, 1, now-10), w.put(t, 2, now-10)
		refusals := map[thread.Key]int{beaten: 1, behind: 3}
		w.simulate = func(key thread.Key) (*rpc.TxError, []string, error) { // called with the world's lock held
			if refusals[key] == 0 {
				return nil, nil, nil
			}
			refusals[key]--
			if key == beaten {
				w.threads[key] = w.after(w.threads[key])
			}
			return &rpc.TxError{Kind: rpc.InstructionError, Instruction: 2, InstructionKind: rpc.Custom, Code: w.profile.NotReady},
				[]string{
					fmt.Sprintf("Program %s invoke [1]", w.profile.Program),
					fmt.Sprintf("Program %s failed: custom program error: %#x", w.profile.Program, w.profile.NotReady),
				}, nil
		}
		h := w.enter(t, nil, nil)
		defer h.stop()
		h.offer(t, beaten)
		h.offer(t, behind)
		pass(3 * time.Second)
		for range 2 {
			d := h.ends(t)
			if want := map[thread.Key]Outcome{beaten: Superseded, behind: Executed}[d.Thread]; d.Outcome != want || d.Tries != 0 {
				t.Errorf("it ended as %+v, want %s", d, want)
			}
		}
	})
}
