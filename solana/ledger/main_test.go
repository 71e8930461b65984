package ledger

import (
	"io"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// key is a thread of a number.
func key(n byte) thread.Key { return thread.Key{31: n, 0: 1} }

// wanted is the execution of a thread that follows count others.
func wanted(n byte, count uint64) Task {
	state := &thread.Thread{ID: []byte{n}, ExecCount: count, Fibers: []uint8{0}, Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}}
	return Task{Thread: key(n), State: state, ExecCount: count, TriggerTime: 1000, Due: thread.Due{Unit: thread.Seconds, At: 1000}}
}

// flight is a transaction that brings 900 lamports for a fee of 5000.
func flight(n byte) Flight {
	return Flight{
		Transaction: rpc.Transaction{Wire: []byte{n, 1, 2}, Signature: solana.Signature{n}, Blockhash: solana.Hash{n}, LastValid: 150},
		SentAt:      day, Fibers: 1, Units: 20_000, Price: 3, Fee: 5000, Before: 1_000_000, After: 1_000_900,
	}
}

// run starts a ledger on a folder. stop ends it.
func run(tb testing.TB, b queue.Disk, c Config) (l *Ledger, stop func()) {
	tb.Helper()
	l, err := Open(b, c)
	if err != nil {
		tb.Fatal(err)
	}
	return l, lifecycletest.Start(tb, l.Run)
}

// kept is a folder that several ledgers open, one after the other.
type kept struct{ *mem.Disk }

func (kept) Lock() (io.Closer, error) { return io.NopCloser(nil), nil }

func open(tb testing.TB, c Config) *Ledger {
	tb.Helper()
	l, stop := run(tb, mem.New(), c)
	tb.Cleanup(func() {
		stop()
		if err := l.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return l
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// offer offers one task and returns what became of it.
func offer(tb testing.TB, l *Ledger, t Task) Offered {
	tb.Helper()
	all, err := l.Offer(tb.Context(), day, t)
	must(tb, err)
	return all[0]
}
