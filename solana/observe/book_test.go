package observe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// desk is a book with its time, for tests.
type desk struct {
	*book
	t   *testing.T
	now time.Time
}

// newDesk is a book whose chain is at slot 1000 and 100 s.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{newBook(thread.Newest(), 100, 10), t, start()}
	d.tick(1000, 100)
	d.all()
	return d
}

func key(n byte) thread.Key { return thread.Key{n, 1} }

// th is a thread with one fiber.
func th(trigger thread.Trigger, schedule thread.Schedule, changes ...func(*thread.Thread)) thread.Thread {
	t := thread.Thread{Version: 1, Trigger: trigger, Schedule: schedule, Fibers: []uint8{0}}
	for _, change := range changes {
		change(&t)
	}
	return t
}

// every is a thread that waits for a time.
func every(next int64, count uint64) thread.Thread {
	return th(thread.Trigger{Kind: thread.OnInterval, Every: 60}, thread.Schedule{Kind: thread.Timed, Next: next}, func(t *thread.Thread) { t.ExecCount = count })
}

func account(t thread.Thread) *rpc.Account {
	return &rpc.Account{Lamports: 1, Owner: thread.Newest().Program, Data: svmtest.EncodeThread(&t)}
}

func (d *desk) tick(slot uint64, unix int64) {
	d.applyTick(ClockUpdate{Slot: slot, Epoch: slot / 500, UnixTimestamp: unix}, d.now)
}

func (d *desk) put(n byte, t thread.Thread, slot uint64) { d.account(key(n), account(t), slot) }

// all takes all events, in words: the tick, +a for a state, !a for a thread that is ready, -a for one that is gone.
func (d *desk) all() (words []string) {
	d.t.Helper()
	for range 10_000 {
		event, t := d.nextEvent(d.now)
		if event == nil {
			return words
		}
		d.noteReceived(event, t)
		switch e := event.(type) {
		case ClockUpdate:
			words = append(words, fmt.Sprintf("tick %d", e.Slot))
		case ThreadChanged:
			words = append(words, fmt.Sprintf("+%c%d", e.Thread[0], e.State.ExecCount))
		case ThreadReady:
			words = append(words, fmt.Sprintf("!%c%d@%d", e.Thread[0], e.State.ExecCount, e.TriggerTime))
		case ThreadGone:
			words = append(words, fmt.Sprintf("-%c", e.Thread[0]))
		}
	}
	d.t.Fatal("there is no end of events")
	return nil
}

// want takes all events and compares them.
func (d *desk) want(what string, words ...string) {
	d.t.Helper()
	if got := d.all(); !slices.Equal(got, words) {
		d.t.Errorf("%s: %q, want %q", what, got, words)
	}
}

// Each kind of trigger becomes ready at its time, once, and never before.
func TestBookKinds(t *testing.T) {
	t.Parallel()
	timed := thread.Schedule{Kind: thread.Timed, Next: 110}
	for name, c := range map[string]struct {
		state  thread.Thread
		before func(*desk)
		at     func(*desk)
		ready  string
	}{
		"immediate":         {th(thread.Trigger{Kind: thread.Immediate}, timed), nil, func(*desk) {}, "!a0@100"},
		"timestamp":         {th(thread.Trigger{Kind: thread.OnTimestamp, At: 105}, timed), func(d *desk) { d.tick(1001, 104) }, func(d *desk) { d.tick(1002, 105) }, "!a0@105"},
		"interval":          {th(thread.Trigger{Kind: thread.OnInterval, Every: 9}, timed), func(d *desk) { d.tick(1001, 109) }, func(d *desk) { d.tick(1002, 112) }, "!a0@110"},
		"cron":              {th(thread.Trigger{Kind: thread.OnCron, Cron: "* * * * * *"}, timed), func(d *desk) { d.tick(1001, 109) }, func(d *desk) { d.tick(1002, 110) }, "!a0@110"},
		"slot":              {th(thread.Trigger{Kind: thread.OnSlot, Number: 1010}, thread.Schedule{Kind: thread.Block}), func(d *desk) { d.tick(1009, 101) }, func(d *desk) { d.tick(1011, 102) }, "!a0@102"},
		"epoch":             {th(thread.Trigger{Kind: thread.OnEpoch, Number: 3}, thread.Schedule{Kind: thread.Block}), func(d *desk) { d.tick(1499, 101) }, func(d *desk) { d.tick(1500, 102) }, "!a0@102"},
		"before its tick":   {th(thread.Trigger{Kind: thread.OnTimestamp, At: 102}, timed), func(d *desk) { d.now = d.now.Add(1999 * time.Millisecond) }, func(d *desk) { d.now = d.now.Add(time.Millisecond) }, "!a0@102"},
		"a chain goes on":   {th(thread.Trigger{Kind: thread.OnInterval, Every: 9}, timed, func(t *thread.Thread) { t.Fibers, t.Signal.Kind = []uint8{0, 1}, thread.Chain }), nil, func(*desk) {}, "!a0@100"},
		"one that is ended": {th(thread.Trigger{Kind: thread.OnInterval, Every: 9}, timed, func(t *thread.Thread) { t.Signal.Kind = thread.Close }), nil, func(*desk) {}, "!a0@100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.put('a', c.state, 10)
			if c.before != nil {
				c.before(d)
				got := d.all()
				if slices.ContainsFunc(got, func(w string) bool { return w[0] == '!' }) {
					t.Fatalf("too early: %q", got)
				}
			}
			c.at(d)
			got := d.all()
			got = slices.DeleteFunc(got, func(w string) bool { return w[0] == 't' || w[0] == '+' })
			if !slices.Equal(got, []string{c.ready}) {
				t.Fatalf("%q, want %q", got, c.ready)
			}
			d.now = d.now.Add(time.Minute)
			d.tick(9000, 9000)
			d.want("a long time later", "tick 9000")
		})
	}
}

func TestBookNews(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put('a', every(100, 0), 10)
	d.want("a thread that is due", "+a0", "!a0@100")
	d.put('a', every(100, 0), 20)
	d.want("the same at a later slot")
	d.put('a', every(160, 1), 21)
	d.want("executed", "+a1")
	d.put('a', every(100, 0), 20)
	d.want("what was before")
	d.put('a', every(100, 0), 21)
	d.want("fewer executions in the same slot")
	paused := every(160, 1)
	paused.Paused = true
	d.put('a', paused, 22)
	d.tick(1100, 170)
	d.want("paused", "tick 1100", "+a1")
	d.put('a', every(160, 1), 23)
	d.want("goes on", "+a1", "!a1@160")
	renamed := every(160, 1)
	renamed.Name = "other"
	d.put('a', renamed, 24)
	d.want("another name makes it not ready again", "+a1")
	renamed.Schedule.Next = 171
	d.put('a', renamed, 25)
	d.tick(1101, 171)
	d.want("another time does", "tick 1101", "+a1", "!a1@171")
	d.account(key('a'), &rpc.Account{}, 24)
	d.want("gone before it was there")
	d.account(key('a'), &rpc.Account{Owner: thread.Newest().Program}, 26)
	d.want("gone", "-a")
	d.put('a', every(160, 1), 26)
	d.want("what was before its end")
	d.put('a', every(100, 0), 27)
	d.want("made anew", "+a0", "!a0@100")
	d.account(key('a'), &rpc.Account{Lamports: 5, Owner: key('x')}, 28)
	d.want("another's account", "-a")
	if d.counts.old != 4 {
		t.Errorf("%d states were old, want 4", d.counts.old)
	}
}

// An event without a receiver is emitted in its last state, and threads that are due come
// before the rest.
func TestBookWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.tick(1001, 101)
	d.tick(1002, 101)
	d.put('a', every(500, 0), 10)
	d.put('a', every(500, 1), 11)
	d.put('b', every(100, 4), 10)
	d.put('c', every(100, 0), 10)
	d.account(key('c'), nil, 11)
	d.want("the newest alone", "tick 1002", "+b4", "!b4@100", "+a1", "-c")

	d.put('d', every(100, 0), 10)
	offered, t1 := d.nextEvent(d.now) // its state
	d.noteRefused(offered, t1)
	offered, t1 = d.nextEvent(d.now)
	d.noteReceived(offered, t1)
	ready, t1 := d.nextEvent(d.now)
	if _, is := ready.(ThreadReady); !is {
		t.Fatalf("%T is told before that the thread is ready", ready)
	}
	d.put('d', every(130, 1), 12) // executed in between
	d.noteRefused(ready, t1)
	d.want("not ready any more", "+d1")

	d.put('e', every(100, 0), 10)
	d.all()
	d.put('e', every(100, 1), 11)
	offered, t1 = d.nextEvent(d.now)
	d.noteReceived(offered, t1)
	ready, t1 = d.nextEvent(d.now)
	named := every(100, 1)
	named.Name = "other"
	d.put('e', named, 12)
	d.noteRefused(ready, t1)
	d.want("still ready", "+e1", "!e1@100")
}

// An emitted thread is emitted again when its receiver asks for it, once it has been read,
// and only if it is still due.
func TestBookAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put('a', every(100, 0), 10)
	d.put('b', every(500, 0), 10)
	d.all()
	d.repeat(key('a'))
	d.repeat(key('b')) // was not emitted
	d.repeat(key('x')) // is not there
	d.want("before it was read")
	if len(d.wanted) != 1 {
		t.Fatalf("%d are to be read, want one", len(d.wanted))
	}
	d.account(key('a'), account(every(100, 0)), 11)
	d.noteRead(key('a'))
	d.want("still due", "!a0@100")
	d.repeat(key('a'))
	d.account(key('a'), account(every(160, 1)), 12)
	d.noteRead(key('a'))
	d.want("executed", "+a1")

	// Who takes it may ask for it before the book hears that it was taken.
	d.put('c', every(100, 0), 10)
	event, t1 := d.nextEvent(d.now)
	d.noteReceived(event, t1)
	event, t1 = d.nextEvent(d.now)
	d.repeat(key('c'))
	d.noteReceived(event, t1)
	d.noteRead(key('c'))
	d.want("asked for at once", "!c0@100")
}

// An emitted thread without a later update is read again, once.
func TestBookStalled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put('a', every(100, 0), 10)
	d.all()
	d.stalled(d.now.Add(refreshAfter-1), false)
	if len(d.wanted) != 0 {
		t.Error("it is read again at once")
	}
	d.stalled(d.now.Add(refreshAfter), false)
	if len(d.wanted) != 1 {
		t.Error("it is not read again")
	}
	clear(d.wanted)
	d.stalled(d.now.Add(10*refreshAfter), false)
	if len(d.wanted) != 0 {
		t.Error("it is read again without end")
	}
	for range 3 {
		clear(d.wanted)
		d.stalled(d.now.Add(10*refreshAfter), true)
		if len(d.wanted) != 1 {
			t.Error("it is not read again while nothing else tells of it")
		}
	}
	d.account(key('a'), nil, 11)
	d.want("it is closed", "-a")
}

// A list of all threads reports those that are new, and has those read that are missing; it
// does not end them.
func TestBookLists(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put('a', every(500, 0), 10)
	d.put('b', every(500, 0), 10)
	d.put('c', every(500, 0), 30)
	d.put('z', every(500, 0), 10)
	d.account(key('z'), nil, 12)
	d.all()
	d.applyList([]rpc.Keyed{{Key: key('a'), Account: *account(every(500, 2))}, {Key: key('d'), Account: *account(every(500, 7))}}, 20)
	d.want("what the list knows", "+a2", "+d7")
	if _, wanted := d.wanted[key('b')]; len(d.wanted) != 1 || !wanted {
		t.Errorf("%d are to be read, want b, which is missing; c is newer than the list", len(d.wanted))
	}
	d.put('e', every(500, 0), 19)
	d.want("a thread from before the list, which it has not")
	if len(d.gone) != 0 {
		t.Errorf("%d closed threads are remembered that the list tells of", len(d.gone))
	}
	d.applyList(nil, 15)
	d.put('f', every(500, 0), 19)
	d.want("an older list changes nothing")
}

// Bounds are kept, and what is beyond them is counted.
func TestBookBounds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for n := range byte(120) {
		d.put(n, every(500, 0), 10)
	}
	d.account(key(200), &rpc.Account{Lamports: 1, Owner: thread.Newest().Program, Data: append(svmtest.EncodeThread(new(every(1, 0)))[:20], 0xff)}, 10)
	if len(d.threads) != 100 || d.counts.refused != 21 {
		t.Errorf("%d threads are followed and %d refused", len(d.threads), d.counts.refused)
	}
	d.all()
	for n := range byte(100) {
		d.account(key(n), nil, 11)
	}
	for n := range byte(100) {
		d.put(n, every(500, 0), 12)
		d.account(key(n), nil, 13)
	}
	if d.leaving != 100 || d.counts.dropped != 100 {
		t.Errorf("%d events of closed threads wait, %d were dropped", d.leaving, d.counts.dropped)
	}
	if got := len(d.all()); got != 100 || d.leaving != 0 {
		t.Errorf("%d events came, %d wait", got, d.leaving)
	}
	d.put(1, every(500, 0), 14)
	bad := account(every(500, 0))
	bad.Data = bad.Data[:100]
	d.account(key(1), bad, 15)
	d.account(key(2), bad, 15)
	if d.counts.undecodable != 2 || d.threads[key(1)].slot != 14 {
		t.Errorf("%d could not be read, the thread is of slot %d", d.counts.undecodable, d.threads[key(1)].slot)
	}
}

// A restarted chain is accepted when no other ticks arrive, and all is read again.
func TestBookAnew(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put('a', every(105, 3), 900)
	d.applyList([]rpc.Keyed{{Key: key('a'), Account: *account(every(105, 3))}}, 950)
	d.all()
	d.now = d.now.Add(chainAnew)
	d.tick(5, 7)
	if !d.restarted {
		t.Fatal("nothing is read again")
	}
	d.applyList([]rpc.Keyed{{Key: key('b'), Account: *account(every(7, 0))}}, 6)
	d.account(key('a'), nil, 6)
	d.want("the new chain", "tick 5", "+b0", "!b0@7", "-a")
}

func TestFifo(t *testing.T) {
	t.Parallel()
	var q fifo
	next, last := 0, 0
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for range random.IntN(100) {
			q.push(&tracked{at: int64(last)})
			last++
		}
		for range random.IntN(105) {
			if q.first() == nil {
				break
			}
			if got := q.first().at; got != int64(next) {
				t.Fatalf("%d comes, want %d", got, next)
			}
			q.pop()
			next++
		}
		if q.len() != last-next {
			t.Fatalf("it has %d, want %d", q.len(), last-next)
		}
	}
	for q.first() != nil {
		q.pop()
	}
	if cap(q.items) > 1024 {
		t.Errorf("an empty queue keeps room for %d", cap(q.items))
	}
}

// A slot that a node makes up, before the clock is known or later, does not make all that comes after it old.
func TestBookSlotsThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"before the clock is known": true, "later": false} {
		d := &desk{newBook(thread.Newest(), 100, 10), t, start()}
		if !early {
			d.tick(1000, 100)
		}
		watching := th(thread.Trigger{Kind: thread.OnAccount, Address: key('x'), Size: 4}, thread.Schedule{Kind: thread.OnChange})
		d.applyList([]rpc.Keyed{{Key: key('a'), Account: *account(every(500, 1))}}, math.MaxUint64)
		d.put('a', every(500, 1), math.MaxUint64-1)
		d.put('w', watching, math.MaxUint64)
		part, _ := spanOf(&watching)
		d.watched(part, []byte("odd"), true, math.MaxUint64)
		if early {
			d.tick(1000, 100)
		}
		d.all()
		d.tick(1100, 140)
		d.put('a', every(140, 2), 1100)
		d.put('b', every(500, 0), 1100)
		d.applyList([]rpc.Keyed{{Key: key('a'), Account: *account(every(140, 2))}, {Key: key('b'), Account: *account(every(500, 0))}, {Key: key('w'), Account: *account(watching)}}, 1100)
		watching.Schedule.Hash = watching.Trigger.Watched([]byte("new!"))
		d.put('w', watching, 1100)
		d.watched(part, []byte("new!"), true, 1101)
		if words := d.all(); !slices.Contains(words, "!a2@140") || !slices.Contains(words, "+b0") || slices.ContainsFunc(words, func(s string) bool { return s[:2] == "!w" }) {
			t.Errorf("%s: %v", name, words)
		}
		d.watched(part, []byte("more"), true, 1102)
		if words := d.all(); len(words) != 1 || words[0][:2] != "!w" {
			t.Errorf("%s: the account has changed, and %v was told", name, words)
		}
	}
}
