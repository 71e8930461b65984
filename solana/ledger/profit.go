package ledger

import (
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

// Profit is what executions have brought, as lists tell it.
type Profit struct {
	Total Account
	// Threads have accounts of their own, in the order in which they were first executed.
	Threads []Account
	// Rest is what threads have brought for which no account was free; it is in Total too.
	Rest Account
	// More says that further threads follow the last of Threads.
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
