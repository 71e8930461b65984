package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/thread"
)

// Account is what executions have brought, in lamports, by what was expected of each when it was signed. What others send the
// executor, and what it spends elsewhere, is not in it.
type Account struct {
	Thread     thread.Key // zero: of several
	Executions uint64     // that landed and succeeded, each fiber of a batch for itself
	Failures   uint64     // transactions that landed and failed: they cost their fee
	Spent      uint64     // fees, and what fibers took for good
	Earned     uint64     // reimbursements and commissions
}

// Net is what is left, below zero when it cost more than it brought.
func (a Account) Net() int64 { return int64(a.Earned) - int64(a.Spent) }

// Profit is what executions have brought, in the form of lists.
type Profit struct {
	Total Account
	// Threads have accounts of their own, in the order in which they were first executed.
	Threads []Account
	// Rest is what threads have brought for which no account was free; it is in Total too.
	Rest Account
	// More: further threads follow the last of Threads.
	More bool
}

// Cost is what a transaction that landed has brought.
type Cost struct {
	Executions uint64
	Failures   uint64
	Spent      uint64 // lamports
	Earned     uint64 // lamports
}

// CostOf is the cost of a transaction that landed, and succeeded or did not.
func CostOf(f *Flight, succeeded bool) Cost {
	if !succeeded {
		return Cost{Failures: 1, Spent: f.Fee}
	}
	c := Cost{Executions: uint64(max(f.Fibers, 1)), Spent: f.Fee}
	if gross := f.Net() + int64(f.Fee); gross >= 0 {
		c.Earned = uint64(gross)
	} else {
		c.Spent += uint64(-gross)
	}
	return c
}

// An account is stored as a byte that names the layout, the thread, and four numbers.
const (
	accountVersion = 1
	accountSize    = 1 + 32 + 4*8
)

func (a Account) encode() []byte {
	b := append(make([]byte, 0, accountSize), accountVersion)
	b = append(b, a.Thread[:]...)
	for _, n := range []uint64{a.Executions, a.Failures, a.Spent, a.Earned} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return b
}

func decodeAccount(b []byte) (Account, error) {
	if len(b) != accountSize || b[0] != accountVersion {
		return Account{}, errUnknown
	}
	a := Account{Thread: thread.Key(b[1:33])}
	for i, n := range []*uint64{&a.Executions, &a.Failures, &a.Spent, &a.Earned} {
		*n = binary.BigEndian.Uint64(b[33+8*i:])
	}
	return a, nil
}

// plus returns the account with a cost added; numbers end at the largest.
func (a Account) plus(c Cost) Account {
	sum := func(x, y uint64) uint64 {
		if x > math.MaxUint64-y {
			return math.MaxUint64
		}
		return x + y
	}
	a.Executions, a.Failures = sum(a.Executions, c.Executions), sum(a.Failures, c.Failures)
	a.Spent, a.Earned = sum(a.Spent, c.Spent), sum(a.Earned, c.Earned)
	return a
}

func accountKey(key thread.Key) int64 {
	sum := sha256.Sum256(key[:])
	return int64(binary.BigEndian.Uint64(sum[:8]) & math.MaxInt64)
}

// addCost adds a cost to a thread's account and to the total, in the transaction of its cause.
// Only sent transactions cost: a move that is repeated because its outcome is unknown
// counts once. A thread without an account of its own adds to the rest.
func (l *Ledger) addCost(tx *queue.Tx, key thread.Key, flew bool, c Cost) error {
	if !flew || c == (Cost{}) {
		return nil
	}
	if err := addMeta(tx, totalMeta, c); err != nil {
		return err
	}
	it, _, found, err := l.accounts.Find(tx, accountKey(key))
	switch {
	case err != nil:
		return err
	case !found:
		first := Account{Thread: key}.plus(c)
		err := l.accounts.PushStarted(tx, queue.Item{Key: accountKey(key), Body: first.encode()})
		if job.Is(err, job.Full) {
			return addMeta(tx, restMeta, c)
		}
		return err
	}
	a, err := decodeAccount(it.Body)
	if err != nil || a.Thread != key {
		return addMeta(tx, restMeta, c)
	}
	return l.accounts.Amend(tx, it.Key, a.plus(c).encode())
}

func addMeta(tx *queue.Tx, name string, c Cost) error {
	a, err := readMeta(tx, name)
	if err != nil {
		return err
	}
	return tx.SetMeta(name, a.plus(c).encode())
}

func readMeta(tx *queue.Tx, name string) (Account, error) {
	data, found := tx.Meta(name)
	if !found {
		return Account{}, nil
	}
	a, err := decodeAccount(data)
	if err != nil {
		return Account{}, job.Errorf(job.Conflict, "the profit and loss of the file: %w", err)
	}
	return a, nil
}

// Profit returns what all have brought, and up to limit threads' own accounts behind that of a thread, 1,000 at most; the zero key:
// from the first. A thread without an account is job.NotFound.
func (l *Ledger) Profit(ctx context.Context, after thread.Key, limit int) (p Profit, err error) {
	limit = min(max(limit, 0), mostOffered)
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		p = Profit{}
		var err error
		if p.Total, err = readMeta(tx, totalMeta); err != nil {
			return err
		}
		if p.Rest, err = readMeta(tx, restMeta); err != nil {
			return err
		}
		seq := uint64(0)
		if !after.IsZero() {
			it, _, found, err := l.accounts.Find(tx, accountKey(after))
			if err != nil {
				return err
			}
			if a, bad := decodeAccount(it.Body); !found || bad != nil || a.Thread != after {
				return job.Errorf(job.NotFound, "thread %s has no account of its own", after)
			}
			seq = it.Seq
		}
		items, err := l.accounts.List(tx, queue.Processing, seq, limit+1)
		if err != nil {
			return err
		}
		for _, it := range items {
			a, err := decodeAccount(it.Body)
			switch {
			case err != nil:
				continue
			case len(p.Threads) == limit:
				p.More = true
			default:
				p.Threads = append(p.Threads, a)
			}
		}
		return nil
	})
	return p, err
}

// ProfitOf returns what one thread has brought, which is nothing when it has no account of its own.
func (l *Ledger) ProfitOf(ctx context.Context, key thread.Key) (a Account, err error) {
	a.Thread = key
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		it, _, found, err := l.accounts.Find(tx, accountKey(key))
		if err != nil || !found {
			return err
		}
		if own, err := decodeAccount(it.Body); err == nil && own.Thread == key {
			a = own
		}
		return nil
	})
	return a, err
}
