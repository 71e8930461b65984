package thread

import (
	"math"
	"math/bits"
)

// Pay is what an execution moves, in lamports, by the rules of the program. The fee of the transaction is not in it: the
// executor pays that to the chain.
type Pay struct {
	Reimbursed uint64 // to the executor, for what the fiber took from it or for the transaction
	Executor   uint64 // commission
	Team       uint64
}

// transactionFee is what the newest program gives back for a signature, in lamports.
const transactionFee = 5000

// basis is how many basis points are the whole.
const basis = 10_000

// Effective is the fee of an execution that was ready for so many seconds: whole until Grace, less and less until Decay
// later, nothing from then on.
func (c *Config) Effective(since int64) uint64 {
	switch {
	case since <= c.Grace:
		return c.Fee
	case c.Decay <= 0 || since-c.Grace > c.Decay:
		return 0
	default:
		left := 1 - float64(since-c.Grace)/float64(c.Decay) // the program reckons so, and cuts off
		return uint64(float64(c.Fee) * left)
	}
}

// Pay returns what an execution pays that was ready for since seconds and has changed the executor's lamports by delta
// before it was paid. An executor that forgoes its commission gets what it has spent, and the team its part.
func (c *Config) Pay(p Profile, since, delta int64, forgo bool) Pay {
	fee := c.Effective(since)
	pay := Pay{Executor: share(fee, c.ExecutorShare), Team: share(fee, c.TeamShare)}
	if !p.seed {
		switch {
		case delta > 0: // the fiber has paid it already
			pay.Executor = 0
		case delta < 0:
			pay.Reimbursed = uint64(-(delta + 1)) + 1 // -delta, of the lowest number too
		default:
			pay.Reimbursed = transactionFee
		}
	}
	if forgo {
		pay.Executor = 0
	}
	return pay
}

// PriorityFee is what a transaction pays for its place, in lamports: price in micro lamports per unit of limit, rounded up.
func PriorityFee(limit uint32, price uint64) uint64 {
	high, low := bits.Mul64(uint64(limit), price)
	low, carry := bits.Add64(low, 999_999, 0)
	if high += carry; high >= 1_000_000 {
		return math.MaxUint64
	}
	lamports, _ := bits.Div64(high, low, 1_000_000)
	return lamports
}

// share is a part of a fee in basis points, rounded down.
func share(fee, points uint64) uint64 {
	high, low := bits.Mul64(fee, points)
	if high >= basis {
		return math.MaxUint64
	}
	lamports, _ := bits.Div64(high, low, basis)
	return lamports
}
