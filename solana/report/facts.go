package report

import "encoding/json"

// Kind is that of the facts.
const Kind = "solana"

// Facts are an executor's report about itself, as a document of at most 64 KiB: threads
// beyond the limit are left out. Instants are milliseconds since 1970, durations
// milliseconds, amounts lamports, keys base58.
type Facts struct {
	Version  int    `json:"version"`            // of this document: 1
	Program  string `json:"program"`            // whose threads are executed
	Profile  string `json:"profile"`            // the version of the program: newest or seed
	Mode     string `json:"mode"`               // how transactions are sent: rpc, tpu, both or tpu_with_fallback
	Executor string `json:"executor"`           // who pays, and is paid
	Forgo    bool   `json:"forgo,omitempty"`    // it does without its commission
	Balance  uint64 `json:"balance"`            // what the executor had when it was last asked for
	Floor    uint64 `json:"floor"`              // below which no execution may leave it
	Started  int64  `json:"started,omitempty"`  // of the process
	Observed bool   `json:"observed,omitempty"` // it finds threads itself; without that Threads are not known
	// Trouble is there while nothing is sent for anybody.
	Trouble *Trouble `json:"trouble,omitempty"`
	Clock   Clock    `json:"clock"`
	Nodes   []Node   `json:"nodes"`
	Queue   Queue    `json:"queue"`
	Totals  Totals   `json:"totals"`
	// ToWire is from the moment an execution was due and known to its first byte sent, ToConfirm from there to its confirmation,
	// ToSettle from its beginning to its end.
	ToWire    Latency `json:"to_wire"`
	ToConfirm Latency `json:"to_confirm"`
	ToSettle  Latency `json:"to_settle"`
	Profit    Account `json:"profit"`
	// Threads are the most pressing: those in trouble, then those that are due soonest. All
	// is the number of followed threads.
	Threads []Thread `json:"threads"`
	All     int      `json:"threads_total"`
	// Dead are dead letters, the newest first, 100 at most. Queue.Dead is their number.
	Dead    []Dead  `json:"dead"`
	Reports Reports `json:"reports"`
}

// Trouble is why nothing is sent.
type Trouble struct {
	Since  int64  `json:"since"`
	Reason string `json:"reason"`
	Needed uint64 `json:"needed"`
}

// Clock is the chain's, as it was last heard of.
type Clock struct {
	Slot  uint64 `json:"slot"`
	Epoch uint64 `json:"epoch"`
	Unix  int64  `json:"unix"` // seconds
	Lag   int64  `json:"lag"`  // by how much it is behind the local clock
}

// Node is one that is asked.
type Node struct {
	Host     string  `json:"host"`
	Role     string  `json:"role"`    // reading, submitting or both
	State    string  `json:"state"`   // closed: well; open: left alone; half_open: tried again
	Latency  float64 `json:"latency"` // smoothed; 0: not asked yet
	Failures int     `json:"failures,omitempty"`
	Reason   string  `json:"reason,omitempty"` // how it failed last
}

// Queue counts tasks.
type Queue struct {
	Scheduled  int            `json:"scheduled"`
	Processing int            `json:"processing"`
	Dead       int            `json:"dead"`
	Ready      int            `json:"ready"`     // for a worker
	Working    int            `json:"working"`   // workers that build or send
	InFlight   int            `json:"in_flight"` // transactions on their way
	Waiting    map[string]int `json:"waiting,omitempty"`
}

// Totals count what was done since the process started.
type Totals struct {
	Offered    uint64            `json:"offered"`
	Executed   uint64            `json:"executed"`
	Superseded uint64            `json:"superseded"`
	Gone       uint64            `json:"gone"`
	Dead       uint64            `json:"dead"`
	Retries    uint64            `json:"retries"`
	Sent       uint64            `json:"sent"`
	Resent     uint64            `json:"resent"`
	Expired    uint64            `json:"expired"`
	Failures   map[string]uint64 `json:"failures,omitempty"` // tries, by class
}

// Latency is of the last 1,024 executions.
type Latency struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// Account is what executions have brought, ever.
type Account struct {
	Executions uint64 `json:"executions"`
	Failures   uint64 `json:"failures"`
	Earned     uint64 `json:"earned"`
	Spent      uint64 `json:"spent"`
}

// Thread is one that is followed.
type Thread struct {
	Key     string `json:"key"`
	ID      string `json:"id,omitempty"`   // as text, or hexadecimal digits behind 0x
	Name    string `json:"name,omitempty"` // the owner's
	Owner   string `json:"owner"`
	Trigger string `json:"trigger"`         // its kind: interval, cron, …
	Value   string `json:"value,omitempty"` // seconds, an expression, unix seconds, a slot, an epoch or an account, by the kind
	// Unit is what Due counts in: seconds (unix), slots, epochs, now or change; empty: nothing makes it due.
	Unit   string `json:"unit,omitempty"`
	Due    int64  `json:"due,omitempty"`
	Ready  bool   `json:"ready,omitempty"`
	Count  uint64 `json:"count"` // executions
	Fiber  int    `json:"fiber"` // the next one's index; -1: none
	Paused bool   `json:"paused,omitempty"`
	By     string `json:"by,omitempty"` // who executed it last
	// Outcome and Reason are of its last execution here, At when that ended; empty while there was none.
	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
	At      int64  `json:"at,omitempty"`
	Earned  uint64 `json:"earned,omitempty"`
	Spent   uint64 `json:"spent,omitempty"`
}

// Dead is a dead letter.
type Dead struct {
	ID     string `json:"id"`
	Thread string `json:"thread"`
	Exec   uint64 `json:"exec"`
	Tries  int    `json:"tries"`
	Class  string `json:"class"`
	Reason string `json:"reason"`
	Since  int64  `json:"since"`
}

// Reports describe how executions reach the server as runs.
type Reports struct {
	Namespace string `json:"namespace,omitempty"`
	Execute   string `json:"execute,omitempty"` // the keys of jobs; empty: there are no runs
	Redrive   string `json:"redrive,omitempty"`
	Waiting   int    `json:"waiting"`
	Dropped   uint64 `json:"dropped"`
	Sent      uint64 `json:"sent"`
}

// Bounds of the document.
const (
	mostThreads = 300
	mostDead    = 100
	mostReason  = 200 // characters
)

// encode writes the facts within so many bytes: first threads are left out, the least pressing first, then dead letters.
func (f Facts) encode(limit int) ([]byte, error) {
	threads, dead := f.Threads, f.Dead
	f.Threads, f.Dead = []Thread{}, []Dead{}
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	room := limit - len(text)
	deadRoom := room / 3 // threads are more useful
	if f.Dead, err = fitting(dead, &deadRoom); err != nil {
		return nil, err
	}
	room -= room/3 - deadRoom
	if f.Threads, err = fitting(threads, &room); err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// fitting returns the first of the items whose texts find room, and takes that.
func fitting[T any](items []T, room *int) ([]T, error) {
	for i := range items {
		text, err := json.Marshal(items[i])
		if err != nil {
			return nil, err
		}
		if *room -= len(text) + 1; *room < 0 {
			*room += len(text) + 1
			return items[:i:i], nil
		}
	}
	if items == nil {
		items = []T{}
	}
	return items, nil
}
