package ledger

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/thread"
)

// One task walks through every place, and everything that is known of it comes back.
func TestPlaces(t *testing.T) {
	t.Parallel()
	backend := kept{mem.New()}
	l, stop := run(t, backend, Config{})
	ctx := t.Context()
	o := offer(t, l, wanted(1, 41))
	if o.Answer != Added || o.ID != IDOf(key(1), 41, false, 0) {
		t.Fatalf("offered: %+v", o)
	}
	if again := offer(t, l, wanted(1, 41)); again.Answer != Known || again.Place != Scheduled || again.ID != o.ID {
		t.Errorf("offered twice: %+v", again)
	}
	f := flight(7)
	must(t, l.Start(ctx, o.ID, f))
	if err := l.Start(ctx, o.ID, f); !job.Is(err, job.NotFound) {
		t.Errorf("started twice: %v", err)
	}
	stop() // a crash would leave it so
	l, stop = run(t, backend, Config{})
	defer stop()
	got, err := l.Task(ctx, o.ID)
	must(t, err)
	want := wanted(1, 41)
	want.ID, want.Seq, want.Place, want.CreatedAt, want.DueAt, want.Flight = o.ID, 1, Processing, day, day, &f
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	later := day.Add(time.Minute)
	failed := Failure{Class: failure.Unclear, Reason: "custom program error", At: day, Logs: []string{"Program log: no"}}
	got, err = l.Postpone(ctx, o.ID, Postponement{Due: later, Failed: failed, Tries: 1, Units: 30_000, Cost: CostOf(&f, false)})
	must(t, err)
	want.Place, want.DueAt, want.Tries, want.Failed, want.Units, want.Flight = Scheduled, later, 1, failed, 30_000, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("postponed: (-want +got)\n%s", diff)
	}
	got, err = l.Bury(ctx, later, o.ID, Failure{Class: failure.Program, Reason: strings.Repeat("x", 2000)}, Cost{}, nil)
	must(t, err)
	if got.Place != Dead || !strings.HasSuffix(got.Failed.Reason, job.CutMark) || !got.DueAt.Equal(later) {
		t.Errorf("buried: %+v", got)
	}
	if known := offer(t, l, wanted(1, 41)); known.Answer != Known || known.Place != Dead {
		t.Errorf("a dead letter was offered: %+v", known)
	}
	must(t, l.Redrive(ctx, later, o.ID))
	if got, err = l.Task(ctx, o.ID); err != nil || got.Place != Scheduled || got.Tries != 0 || got.Units != 0 {
		t.Errorf("redriven: %+v, %v", got, err)
	}
	must(t, l.Start(ctx, o.ID, f))
	must(t, l.Settle(ctx, later, o.ID, true, CostOf(&f, true), nil))
	if err := l.Settle(ctx, later, o.ID, true, CostOf(&f, true), nil); !job.Is(err, job.NotFound) {
		t.Errorf("settled twice: %v", err)
	}
	if done := offer(t, l, wanted(1, 41)); done.Answer != Known || done.Place != 0 {
		t.Errorf("what was executed was offered: %+v", done)
	}
	p, err := l.Profit(ctx, thread.Key{}, 10)
	must(t, err)
	account := Account{Executions: 1, Failures: 1, Spent: 10_000, Earned: 5900}
	own := account
	own.Thread = key(1)
	if diff := cmp.Diff(Profit{Total: account, Threads: []Account{own}}, p); diff != "" {
		t.Errorf("profit: (-want +got)\n%s", diff)
	}
}

// A later execution takes the place of an earlier one that has not begun; an earlier one comes too late.
func TestSupersede(t *testing.T) {
	t.Parallel()
	l := open(t, Config{})
	ctx := t.Context()
	first := offer(t, l, wanted(1, 5))
	other := offer(t, l, wanted(2, 5))
	next := offer(t, l, wanted(1, 6))
	if next.Answer != Added || len(next.Superseded) != 1 || next.Superseded[0].ID != first.ID {
		t.Fatalf("the later one: %+v", next)
	}
	if late := offer(t, l, wanted(1, 5)); late.Answer != Late {
		t.Errorf("the earlier one: %+v", late)
	}
	must(t, l.Start(ctx, next.ID, flight(1)))
	if last := offer(t, l, wanted(1, 7)); last.Answer != Added || len(last.Superseded) != 0 {
		t.Errorf("behind one that is on its way: %+v", last)
	}
	if _, err := l.Task(ctx, other.ID); err != nil {
		t.Errorf("of another thread: %v", err)
	}
	// What was superseded is not remembered: a fork may bring it back.
	must(t, l.Settle(ctx, day, next.ID, false, Cost{}, nil))
	must(t, l.Settle(ctx, day, IDOf(key(1), 7, false, 0), false, Cost{}, nil))
	if again := offer(t, l, wanted(1, 5)); again.Answer != Added {
		t.Errorf("after a fork: %+v", again)
	}
	byTime := Task{Thread: key(3), State: &thread.Thread{}, ByTime: true, TriggerTime: 100}
	offer(t, l, byTime)
	byTime.TriggerTime = 200
	if o := offer(t, l, byTime); o.Answer != Added || len(o.Superseded) != 1 {
		t.Errorf("by time: %+v", o)
	}
}

// A commit whose answer is lost is made again, and counts once.
func TestRepeat(t *testing.T) {
	t.Parallel()
	l := open(t, Config{})
	ctx := t.Context()
	o := offer(t, l, wanted(1, 1))
	f := flight(1)
	must(t, l.Start(ctx, o.ID, f))
	for range 2 {
		got, err := l.Postpone(ctx, o.ID, Postponement{Due: day, Tries: 1, Cost: CostOf(&f, false)})
		must(t, err)
		if got.Tries != 1 {
			t.Errorf("%d tries", got.Tries)
		}
	}
	if a, err := l.ProfitOf(ctx, key(1)); err != nil || a.Failures != 1 || a.Spent != 5000 || a.Net() != -5000 {
		t.Errorf("%+v, %v", a, err)
	}
}

// Where there is no account for a thread it counts in the rest, and always in the total.
func TestAccounts(t *testing.T) {
	t.Parallel()
	l := open(t, Config{Accounts: 2})
	ctx := t.Context()
	for n := range byte(4) {
		for count := range uint64(2) {
			o := offer(t, l, wanted(n, count))
			f := flight(n)
			if n == 3 { // it cost more than it brought
				f.After = f.Before - 7000
			}
			must(t, l.Start(ctx, o.ID, f))
			must(t, l.Settle(ctx, day, o.ID, true, CostOf(&f, true), nil))
		}
	}
	var all []Account
	var p Profit
	for after := (thread.Key{}); ; after = p.Threads[len(p.Threads)-1].Thread {
		var err error
		p, err = l.Profit(ctx, after, 1)
		must(t, err)
		all = append(all, p.Threads...)
		if !p.More {
			break
		}
	}
	if len(all) != 2 || all[0].Thread != key(0) || all[1].Net() != 1800 {
		t.Errorf("accounts: %+v", all)
	}
	sum := p.Rest
	for _, a := range all {
		sum = sum.plus(Cost{Executions: a.Executions, Failures: a.Failures, Spent: a.Spent, Earned: a.Earned})
	}
	if sum != p.Total || p.Total.Executions != 8 || p.Total.Net() != 6*900-2*7000 {
		t.Errorf("total %+v, the parts make %+v", p.Total, sum)
	}
	if _, err := l.Profit(ctx, key(3), 1); !job.Is(err, job.NotFound) {
		t.Errorf("behind a thread without an account: %v", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	l := open(t, Config{Capacity: 3, KeepDead: 1, DeadFor: time.Hour})
	ctx := t.Context()
	if _, err := l.Offer(ctx, day, wanted(1, 1), wanted(2, 1), wanted(3, 1), wanted(4, 1)); !job.Is(err, job.Full) {
		t.Fatalf("more than there is room for: %v", err)
	}
	st, err := l.Stats(ctx)
	must(t, err)
	if st.Scheduled != 0 {
		t.Errorf("of a batch that does not fit %d were taken", st.Scheduled)
	}
	if _, err := l.Offer(ctx, day, make([]Task, mostOffered+1)...); !job.Is(err, job.Invalid) {
		t.Errorf("a batch that is too large: %v", err)
	}
	huge := wanted(1, 1)
	huge.State.Closing = make([]byte, maxBody)
	if _, err := l.Offer(ctx, day, huge); !job.Is(err, job.Invalid) {
		t.Errorf("a thread that is too large: %v", err)
	}
	var ids []ID
	for n := range byte(2) {
		o := offer(t, l, wanted(n, 1))
		ids = append(ids, o.ID)
		_, err := l.Bury(ctx, day, o.ID, Failure{Reason: "no"}, Cost{}, nil)
		must(t, err)
	}
	if st, err = l.Stats(ctx); err != nil || st.Dead != 1 || st.Evicted != 1 {
		t.Errorf("dead letters: %+v, %v", st, err)
	}
	if err := l.Redrive(ctx, day, ids...); !job.Is(err, job.NotFound) {
		t.Errorf("one of them is gone: %v", err)
	}
	if n, err := l.Expire(ctx, day.Add(59*time.Minute), 10); n != 0 || err != nil {
		t.Errorf("expired early: %d, %v", n, err)
	}
	if n, err := l.Expire(ctx, day.Add(time.Hour), 10); n != 1 || err != nil {
		t.Errorf("expired: %d, %v", n, err)
	}
	if err := l.Purge(ctx, ids[1]); !job.Is(err, job.NotFound) {
		t.Errorf("purged what is gone: %v", err)
	}
}

// How things are tried again outlives the process.
func TestSetRetry(t *testing.T) {
	t.Parallel()
	backend := kept{mem.New()}
	l, stop := run(t, backend, Config{})
	want := Retry{MaxRetries: 2, Initial: time.Millisecond, Max: time.Second, Multiplier: 3, Jitter: 0}
	must(t, l.SetRetry(t.Context(), want))
	if err := l.SetRetry(t.Context(), Retry{}); !job.Is(err, job.Invalid) {
		t.Errorf("nonsense: %v", err)
	}
	stop()
	l, stop = run(t, backend, Config{})
	defer stop()
	if got := l.Retry(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A record of a newer version is reported, kept as it is, and in no other's way.
func TestUnknown(t *testing.T) {
	t.Parallel()
	backend := kept{mem.New()}
	l, stop := run(t, backend, Config{DeadFor: time.Hour})
	o := offer(t, l, wanted(1, 1))
	dead := offer(t, l, wanted(2, 1))
	_, err := l.Bury(t.Context(), day, dead.ID, Failure{}, Cost{}, nil)
	must(t, err)
	strange := []byte{99, 1, 2, 3}
	must(t, l.store.Update(t.Context(), func(tx *queue.Tx) error {
		if err := l.tasks.Amend(tx, int64(dead.ID), strange); err != nil {
			return err
		}
		return l.tasks.Amend(tx, int64(o.ID), strange)
	}))
	stop()
	l, stop = run(t, backend, Config{DeadFor: time.Hour})
	defer stop()
	if st, err := l.Stats(t.Context()); err != nil || st.Unknown != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	if got := offer(t, l, wanted(1, 1)); got.Answer != Known {
		t.Errorf("offered: %+v", got)
	}
	if got := offer(t, l, wanted(1, 2)); got.Answer != Added || len(got.Superseded) != 0 {
		t.Errorf("a later one: %+v", got)
	}
	if err := l.Start(t.Context(), o.ID, flight(1)); !job.Is(err, job.Conflict) {
		t.Errorf("started: %v", err)
	}
	if err := l.Redrive(t.Context(), day, dead.ID); !job.Is(err, job.Conflict) {
		t.Errorf("redriven: %v", err)
	}
	if n, err := l.Expire(t.Context(), day.Add(10*time.Hour), 10); n != 0 || err != nil {
		t.Errorf("expired: %d, %v", n, err)
	}
	must(t, l.store.View(t.Context(), func(tx *queue.Tx) error {
		it, _, _, err := l.tasks.Find(tx, int64(o.ID))
		if !bytes.Equal(it.Body, strange) {
			t.Errorf("its bytes are %v", it.Body)
		}
		return err
	}))
	list, err := l.Tasks(t.Context(), Scheduled, 0, 10)
	if err != nil || len(list) != 2 || !list[0].Unknown || list[0].ID != o.ID {
		t.Errorf("%+v, %v", list, err)
	}
}

// Tasks of other threads that share an ID are kept apart.
func TestAlike(t *testing.T) {
	t.Parallel()
	l := open(t, Config{})
	first := offer(t, l, wanted(1, 1))
	r, err := newRecord(&Task{Thread: key(9), State: &thread.Thread{}, ExecCount: 3})
	must(t, err)
	body, err := r.encode()
	must(t, err)
	must(t, l.store.Update(t.Context(), func(tx *queue.Tx) error { return l.tasks.Amend(tx, int64(first.ID), body) }))
	second := offer(t, l, wanted(1, 1))
	if second.Answer != Added || second.ID == first.ID {
		t.Fatalf("%+v", second)
	}
	if third := offer(t, l, wanted(1, 1)); third.Answer != Known || third.ID != second.ID {
		t.Errorf("%+v", third)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, p := range Places() {
		if got, err := ParsePlace(p.String()); err != nil || got != p {
			t.Errorf("%v: %v, %v", p, got, err)
		}
	}
	if _, err := ParsePlace("heaven"); !job.Is(err, job.Invalid) {
		t.Errorf("heaven: %v", err)
	}
	id := IDOf(key(1), 7, false, 0)
	if got, err := ParseID(id.String()); err != nil || got != id || id < 0 {
		t.Errorf("%v: %v, %v", id, got, err)
	}
	for _, text := range []string{"", "-1", "x", "9223372036854775808"} {
		if _, err := ParseID(text); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if IDOf(key(1), 7, false, 0) == IDOf(key(1), 0, true, 7) {
		t.Error("a count and a time have the same name")
	}
}
