package service

import (
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/thread"
)

// Outcome is how an execution ended.
type Outcome string

// The outcomes.
const (
	Executed   Outcome = "executed"   // it landed, and succeeded
	Superseded Outcome = "superseded" // another executor has executed it, or it was changed
	Gone       Outcome = "gone"       // the thread is closed
	Buried     Outcome = "dead"       // it was given up: a dead letter
)

// Settlement describes an execution that ended.
type Settlement struct {
	Task      ledger.ID
	Thread    thread.Key
	ExecCount uint64
	Trigger   thread.TriggerKind
	Outcome   Outcome
	// Class and Reason are of the last failure: of what was executed they are empty.
	Class  failure.Class
	Reason string
	// Signature and Slot are of the transaction that landed last, zero where none has.
	Signature solana.Signature
	Slot      uint64
	Stages    Stages
	Tries     int // that failed
	Fibers    int // that were executed
	Units     uint32
	Price     uint64 // micro lamports per unit
	// Fee, Before and After are what it has cost and what the executor had, in lamports, as the simulation showed it; Expected is
	// what it brings.
	Fee      uint64
	Before   uint64
	After    uint64
	Expected int64
	// Path is which ways took the transaction: rpc, tpu, both or none. Requests is how often nodes were asked for it, without what is
	// asked for all at once.
	Path     string
	Requests int
	// Logs are the programs' last lines in the simulation, 20 of 300 characters at most.
	Logs []string
	// Recovered: it was on its way when an earlier process ended, and earlier stages are
	// not known.
	Recovered bool
}

// Stages are the instants of an execution, zero where there was none. Due is by the chain, in whole seconds; the others are local.
type Stages struct {
	Due       time.Time
	Queued    time.Time // it was in the ledger
	Begun     time.Time // a worker took it, the last time
	Built     time.Time // simulated and signed
	Recorded  time.Time // the bytes were in the ledger
	Sent      time.Time
	Confirmed time.Time // that most of the stake has seen it, was seen
}

// Stage is where an execution is.
type Stage string

// The stages, in order. Of what is tried again those from Begun on come again.
const (
	Queued    Stage = "queued"
	Waiting   Stage = "waiting" // for a clock, for a change, or for another executor
	Begun     Stage = "begun"
	Built     Stage = "built"
	Sent      Stage = "sent"
	Confirmed Stage = "confirmed"
	Ended     Stage = "ended"
)

// Progress is a step of an execution.
type Progress struct {
	Task  ledger.ID
	Stage Stage
	At    time.Time
	// Words describe what is waited for, what failed, or how it ended.
	Words string
}

// Trouble is that nothing is sent for anybody, or was: the executor cannot pay.
type Trouble struct {
	// Since is when it began; zero: all is well.
	Since  time.Time
	Reason string
	// Balance is what the executor had when it was last looked at, and Needed what it needs, in lamports.
	Balance uint64
	Needed  uint64
}

// IsTrouble reports whether there is any.
func (t Trouble) IsTrouble() bool { return !t.Since.IsZero() }

// Quantiles are of the last 1,024 executions; Count is of all.
type Quantiles struct {
	Count              int
	P50, P90, P99, Max time.Duration
	Sum                time.Duration // of all that were ever counted
}

// Stats are how a service stands and what it has done since it was made.
type Stats struct {
	Ledger ledger.Stats
	// Waiting is what waits by reason: clock, change, retry, owner. Ready waits for a worker, or while there is trouble.
	Waiting  map[string]int
	Ready    int
	Working  int           // workers that are building or sending
	InFlight int           // transactions on their way
	Oldest   time.Duration // for how long the oldest transaction is on its way
	Trouble  Trouble

	Offered  uint64                   // events that became tasks
	Outcomes map[Outcome]uint64       // executions that ended
	Failures map[failure.Class]uint64 // tries that failed
	Retries  uint64                   // tries that were used up
	Sent     uint64                   // transactions, without those sent again
	Resent   uint64
	Expired  uint64 // transactions that never landed
	Fibers   uint64 // that were executed: a transaction may hold several

	// ToSettle is from a task's creation to its settlement, ToWire from the moment it was due and known to the first byte sent,
	// ToConfirm from there to the confirmation.
	ToSettle  Quantiles
	ToWire    Quantiles
	ToConfirm Quantiles
	// Clock is the newest tick.
	Clock thread.Clock
}

// Sample is one figure for metrics.
type Sample struct {
	Name   string // without a prefix, as metrics are named: executions_total
	Help   string
	Kind   string // counter or gauge
	Labels map[string]string
	Value  float64
}
