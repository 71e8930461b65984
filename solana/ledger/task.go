package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// ID is a task's name: 63 bits of a hash of the thread and what distinguishes its
// executions.
type ID int64

// String is the ID in decimal digits.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// ParseID reads what String writes. Anything else is job.Invalid.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, job.FieldErrorf("id", "%q is no task: it is a number of digits, as lists show it", text)
	}
	return ID(n), nil
}

// Place is where a task is.
type Place uint8

// The places of what is not done.
const (
	Scheduled  Place = 1 // wanted: waiting, or being built
	Processing Place = 2 // its transaction may be on the wire
	Dead       Place = 3 // given up, until an operator redrives or purges it
)

// Places returns all, in the order of a task's life.
func Places() []Place { return []Place{Scheduled, Processing, Dead} }

// String is the place in a word.
func (p Place) String() string {
	switch p {
	case Scheduled:
		return "scheduled"
	case Processing:
		return "processing"
	case Dead:
		return "dead"
	default:
		return "place " + strconv.Itoa(int(p))
	}
}

// ParsePlace reads what String writes. Anything else is job.Invalid.
func ParsePlace(text string) (Place, error) {
	for _, p := range Places() {
		if p.String() == text {
			return p, nil
		}
	}
	return 0, job.FieldErrorf("place", "%q is no place of tasks: it is scheduled, processing or dead", text)
}

// Task is an execution that is wanted.
type Task struct {
	ID ID
	// Seq is the order of arrival. To page, pass the last one's.
	Seq   uint64
	Place Place

	Thread thread.Key
	// State is the thread as it was when the task was offered.
	State *thread.Thread
	// ExecCount is how often the thread had been executed: this is the execution that
	// follows. With ByTime the program counts nothing (the seed era), and TriggerTime
	// distinguishes the executions.
	ExecCount uint64
	ByTime    bool
	// TriggerTime is since when it is due by the chain, in unix seconds.
	TriggerTime int64
	Due         thread.Due

	CreatedAt time.Time
	// DueAt is the local time before which nothing is tried; of a dead letter when it was given up.
	DueAt time.Time
	Tries int // that were used up
	// Failed is how the last try failed; zero: none did.
	Failed Failure
	// Units is the limit of compute units to begin with; 0: the simulation's.
	Units uint32
	// Flight is the transaction that may be on the wire; nil but in Processing.
	Flight *Flight
	// Unknown: a newer version wrote the record. It is kept as it is, and only ID, Seq and
	// Place are known.
	Unknown bool
}

// Failure is how a try failed.
type Failure struct {
	Class  failure.Class `json:"class,omitempty"`
	Reason string        `json:"reason,omitempty"` // 1,000 characters at most
	At     time.Time     `json:"at,omitzero"`
	Logs   []string      `json:"logs,omitempty"` // of the programs, the last lines: 20 of 300 characters at most
}

// Flight is a signed transaction, which may be on the wire from the moment it is written here.
type Flight struct {
	Transaction rpc.Transaction
	SentAt      time.Time
	// Fibers is how many executions it holds, Units and Price what it offers.
	Fibers int
	Units  uint32
	Price  uint64 // micro lamports per unit
	// Fee, Before and After are what it is expected to cost and to leave the executor, in lamports.
	Fee    uint64
	Before uint64
	After  uint64
}

// Signature is the transaction's name on the chain.
func (f *Flight) Signature() solana.Signature { return f.Transaction.Signature }

// Net is what the executor is expected to have more, or less, in lamports.
func (f *Flight) Net() int64 { return int64(f.After) - int64(f.Before) }

// IDOf returns the task of an execution of a thread: of the one that follows execCount others or, where the program counts
// nothing, of the one that is due at triggerTime.
func IDOf(key thread.Key, execCount uint64, byTime bool, triggerTime int64) ID {
	b := append(make([]byte, 0, len(key)+9), key[:]...)
	if byTime {
		b = binary.LittleEndian.AppendUint64(append(b, 't'), uint64(triggerTime))
	} else {
		b = binary.LittleEndian.AppendUint64(append(b, 'n'), execCount)
	}
	sum := sha256.Sum256(b)
	return ID(binary.BigEndian.Uint64(sum[:8]) & math.MaxInt64)
}

// Order distinguishes a later execution of the same thread from an earlier one: it is
// larger.
func (t *Task) Order() int64 {
	if t.ByTime {
		return t.TriggerTime
	}
	return int64(min(t.ExecCount, math.MaxInt64))
}

// Name is the task for people: its thread and which execution it is.
func (t *Task) Name() string {
	if t.ByTime {
		return fmt.Sprintf("%s@%d", t.Thread, t.TriggerTime)
	}
	return fmt.Sprintf("%s#%d", t.Thread, t.ExecCount)
}
