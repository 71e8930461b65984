package observe

import (
	"testing"

	"github.com/orthd/orth/solana/thread"
)

// on is a thread that watches four bytes of an account, and has seen them at its last execution.
func on(account thread.Key, seen string, count uint64) thread.Thread {
	trigger := thread.Trigger{Kind: thread.OnAccount, Address: account, Offset: 2, Size: 4}
	return th(trigger, thread.Schedule{Kind: thread.OnChange, Hash: (&thread.Trigger{Size: 4}).Watched([]byte(seen))}, func(t *thread.Thread) { t.ExecCount = count })
}

func part(account thread.Key) accountRange { return accountRange{account, 2, 4} }

func TestBookWatches(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	account := key('w')
	d.put('a', on(account, "old!", 0), 10)
	d.put('b', on(account, "old!", 5), 10)
	if len(d.watches.all) != 1 || len(d.watches.wanted) != 1 || d.watches.version != 1 {
		t.Fatalf("two threads with one account watch %d, and have %d read", len(d.watches.all), len(d.watches.wanted))
	}
	d.want("of the account nothing is known", "+a0", "+b5")
	d.watched(part(account), []byte("old!"), true, 11)
	d.want("nothing has changed")
	d.watched(part(account), []byte("new!"), true, 13)
	got := d.all()
	if len(got) != 2 || got[0] == got[1] || got[0][0] != '!' || got[1][0] != '!' {
		t.Fatalf("it has changed for both: %q", got)
	}
	d.watched(part(account), []byte("new!"), true, 14)
	d.watched(part(account), []byte("old!"), true, 12) // late
	d.want("told already, or late")
	d.put('a', on(account, "new!", 1), 15)
	d.want("executed", "+a1")

	// The account's next change arrives before the execution that has seen it, or behind
	// it: neither makes it ready.
	d.watched(part(account), []byte("next"), true, 16)
	d.want("changed again", "!a1@100")
	d.put('a', on(account, "last", 2), 20)
	d.want("executed with what is not known yet", "+a2")
	clear(d.watches.wanted)
	d.put('a', on(account, "last", 2), 21)
	d.watched(part(account), []byte("next"), true, 16)
	d.want("an account that is older than the thread says nothing")
	if _, wanted := d.watches.wanted[part(account)]; !wanted {
		t.Error("it is not read again")
	}
	d.watched(part(account), []byte("last"), true, 21)
	d.want("read, it is what the thread has seen")

	d.watched(part(account), nil, false, 22)
	d.want("an account that is gone makes nothing due")
	d.watched(part(account), []byte{}, true, 23)
	d.want("an empty one is a change", "!a2@100")

	d.put('b', every(500, 6), 24)
	d.put('a', on(key('v'), "last", 3), 24)
	d.all()
	if _, still := d.watches.all[part(account)]; still || len(d.watches.all) != 1 {
		t.Errorf("%d parts are watched, want that of the new trigger", len(d.watches.all))
	}
	d.account(key('a'), nil, 25)
	if len(d.watches.all)+len(d.watches.wanted) != 0 {
		t.Error("what nobody wants is watched")
	}
}

func TestWatchesBounds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for n := range byte(12) {
		d.put(n, on(key(100+n), "old!", 0), 10)
	}
	large := on(key(100), "old!", 0)
	large.Trigger.Size = largestSpan + 1
	d.put(50, large, 10)
	if len(d.watches.all) != 10 || d.watches.refused != 3 {
		t.Errorf("%d parts are watched and %d refused", len(d.watches.all), d.watches.refused)
	}
	for n := range byte(12) {
		d.account(key(n), nil, 11)
	}
	d.account(key(50), nil, 11)
	if len(d.watches.all) != 0 {
		t.Errorf("%d parts are still watched", len(d.watches.all))
	}
	d.watched(part(key(100)), []byte("news"), true, 12) // of a subscription that ends
	if len(d.watches.all) != 0 {
		t.Error("a part is watched that nobody wants")
	}
}

// What is read at once is of one part of accounts.
func TestSpans(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for n := range byte(4) {
		d.put(n, on(key(100+n), "old!", 0), 10)
		other := on(key(100+n), "old!", 0)
		other.Trigger.Offset = 9
		d.put(20+n, other, 10)
	}
	seen := make(map[accountRange]bool)
	for range 2 {
		shape, keys := d.spans()
		if len(keys) != 4 {
			t.Fatalf("%d accounts are read at once, want 4", len(keys))
		}
		for _, k := range keys {
			seen[accountRange{k, shape.offset, shape.size}] = true
		}
		d.book.restoreUnread(nil, shape, keys[:1])
		delete(d.watches.wanted, accountRange{keys[0], shape.offset, shape.size})
	}
	if _, keys := d.spans(); len(keys) != 0 || len(seen) != 8 {
		t.Errorf("%d parts were read, %d are left", len(seen), len(keys))
	}
	d.book.restoreUnread([]thread.Key{key(0), key(99)}, part(key(100)), []thread.Key{key(100), key(200)})
	if len(d.wanted) != 1 || len(d.watches.wanted) != 1 {
		t.Errorf("%d threads and %d parts are put back, want those that are known", len(d.wanted), len(d.watches.wanted))
	}
}
