package control

import (
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/solana/ledger"
)

// Limits of one request.
const (
	MaxPage  = 500  // tasks, threads or accounts of a page
	MaxTasks = 1000 // that are named
)

// Task is an execution that is wanted, as operators see it.
type Task struct {
	ID       string `json:"id"`
	Place    string `json:"place"` // scheduled, processing or dead
	Thread   string `json:"thread"`
	ThreadID string `json:"thread_id,omitempty"` // as its authority named it, if that is a text
	Trigger  string `json:"trigger,omitempty"`   // in words
	// Exec is which execution of the thread it is, from 1 on; 0: the program does not count them.
	Exec uint64 `json:"exec,omitempty"`
	// DueAt is since when the chain wants it, NextAt before which nothing is tried: of a dead letter when it was given up.
	DueAt     api.Time `json:"due_at,omitzero"`
	CreatedAt api.Time `json:"created_at,omitzero"`
	NextAt    api.Time `json:"next_at,omitzero"`
	Tries     int      `json:"tries"`
	Failure   *Failure `json:"failure,omitempty"`
	Flight    *Flight  `json:"flight,omitempty"`
	// Unknown: a newer version of the program wrote it.
	Unknown bool   `json:"unknown,omitempty"`
	Seq     uint64 `json:"seq,string"`
}

// Failure is how the last try failed.
type Failure struct {
	Class  string   `json:"class"`
	Reason string   `json:"reason"`
	At     api.Time `json:"at,omitzero"`
	Logs   []string `json:"logs,omitempty"`
}

// Flight is a transaction that may be on the wire. Amounts are lamports, the price micro lamports per unit.
type Flight struct {
	Signature string   `json:"signature"`
	LastValid uint64   `json:"last_valid_block_height"`
	SentAt    api.Time `json:"sent_at,omitzero"`
	Fibers    int      `json:"fibers"`
	Units     uint32   `json:"units"`
	Price     uint64   `json:"price"`
	Fee       uint64   `json:"fee"`
	Before    uint64   `json:"before"`
	After     uint64   `json:"after"`
}

// Page is tasks in the order of their arrival.
type Page struct {
	Tasks []Task `json:"tasks"`
	// Next is the after of the next page; 0: this is the last.
	Next uint64 `json:"next,omitempty,string"`
}

// Selection names dead letters: some, or all.
type Selection struct {
	IDs []string `json:"ids,omitempty"` // at most MaxTasks; all or none of them are changed
	All bool     `json:"all,omitempty"`
}

// Changed is how many dead letters were changed.
type Changed struct {
	Tasks int `json:"tasks"`
}

// Retry is how what failed is tried again.
type Retry struct {
	MaxRetries int          `json:"max_retries"`
	Initial    api.Duration `json:"initial"`
	Max        api.Duration `json:"max"`
	Multiplier float64      `json:"multiplier"`
	Jitter     float64      `json:"jitter"`
}

// RetryOf is a retry as it is shown.
func RetryOf(r ledger.Retry) Retry {
	return Retry{MaxRetries: r.MaxRetries, Initial: api.Duration(r.Initial), Max: api.Duration(r.Max), Multiplier: r.Multiplier, Jitter: r.Jitter}
}

// Ledger is the retry as the ledger has it.
func (r Retry) Ledger() ledger.Retry {
	return ledger.Retry{MaxRetries: r.MaxRetries, Initial: time.Duration(r.Initial), Max: time.Duration(r.Max), Multiplier: r.Multiplier, Jitter: r.Jitter}
}

// Thread is a thread of the chain.
type Thread struct {
	Key       string `json:"key"`
	Authority string `json:"authority"`
	ID        string `json:"id,omitempty"`
	Trigger   string `json:"trigger"` // in words
	// Next describes when it is due; NextAt is set where that is a time.
	Next         string   `json:"next"`
	NextAt       api.Time `json:"next_at,omitzero"`
	Fiber        *uint8   `json:"fiber,omitempty"` // the index of the one that is next; none is left out
	Fibers       int      `json:"fibers"`
	Exec         uint64   `json:"exec"` // how often it was executed
	LastExecutor string   `json:"last_executor,omitempty"`
	Paused       bool     `json:"paused"`
	// Net is what it has brought this executor, in lamports; left out where that is not known.
	Net  *int64 `json:"net,omitempty"`
	Slot uint64 `json:"slot"` // at which it was so
}

// Threads is a page of threads, by key.
type Threads struct {
	Threads []Thread `json:"threads"`
	Next    string   `json:"next,omitempty"` // the after of the next page
}

// Account is what executions have brought, in lamports.
type Account struct {
	Thread     string `json:"thread,omitempty"`
	Executions uint64 `json:"executions"`
	Failures   uint64 `json:"failures"`
	Spent      uint64 `json:"spent"`
	Earned     uint64 `json:"earned"`
	Net        int64  `json:"net"`
}

// Profit is what executions have brought.
type Profit struct {
	Total   Account   `json:"total"`
	Threads []Account `json:"threads"`
	Rest    Account   `json:"rest"`
	Next    string    `json:"next,omitempty"`
}

// Node is how a node of the chain is.
type Node struct {
	Name    string       `json:"name"` // its host
	Role    string       `json:"role"`
	State   string       `json:"state"` // closed: it is asked; open: it is left alone for a while
	Latency api.Duration `json:"latency,omitempty"`
}

// Counts is what the ledger holds.
type Counts struct {
	Scheduled  int `json:"scheduled"`
	Processing int `json:"processing"`
	Dead       int `json:"dead"`
	Finished   int `json:"finished"` // executions that are known to be done
	Evicted    int `json:"evicted"`  // dead letters that made room for others, ever
	Damaged    int `json:"damaged"`  // records that were set aside, ever
	Unknown    int `json:"unknown"`  // records of a newer version, which are kept
	Accounts   int `json:"accounts"` // threads with an account of their own
}

// Trouble is that nothing is executed for anybody. Amounts are lamports.
type Trouble struct {
	Since   api.Time `json:"since"`
	Reason  string   `json:"reason"`
	Balance uint64   `json:"balance"`
	Needed  uint64   `json:"needed"`
}

// Times are how long something took, of the last 1,024 executions.
type Times struct {
	Count int          `json:"count"`
	P50   api.Duration `json:"p50"`
	P90   api.Duration `json:"p90"`
	P99   api.Duration `json:"p99"`
	Max   api.Duration `json:"max"`
}

// Work is what a running node does, and has done since it began.
type Work struct {
	Waiting   map[string]int    `json:"waiting"` // by what is waited for
	Ready     int               `json:"ready"`
	Working   int               `json:"working"`
	InFlight  int               `json:"in_flight"`
	Trouble   *Trouble          `json:"trouble,omitempty"`
	Offered   uint64            `json:"offered"`
	Outcomes  map[string]uint64 `json:"outcomes"`
	Failures  map[string]uint64 `json:"failures"` // by class
	Retries   uint64            `json:"retries"`
	Sent      uint64            `json:"sent"`
	Resent    uint64            `json:"resent"`
	Expired   uint64            `json:"expired"`
	ToSettle  Times             `json:"to_settle"`
	ToWire    Times             `json:"to_wire"`
	ToConfirm Times             `json:"to_confirm"`
	Slot      uint64            `json:"slot"`
	Epoch     uint64            `json:"epoch"`
	ChainTime api.Time          `json:"chain_time,omitzero"`
}

// About is which node it is.
type About struct {
	Executor string   `json:"executor,omitempty"` // its address
	Profile  string   `json:"profile,omitempty"`
	Submit   string   `json:"submit,omitempty"`
	Version  string   `json:"version"`
	Started  api.Time `json:"started_at,omitzero"`
	Running  bool     `json:"running"`
}

// Stats is how a node stands. What only a running one knows is left out of a stopped one's.
type Stats struct {
	About  About            `json:"about"`
	Ledger Counts           `json:"ledger"`
	Profit Account          `json:"profit"`
	Files  map[string]int64 `json:"files"` // bytes
	Work   *Work            `json:"work,omitempty"`
	Nodes  []Node           `json:"nodes,omitempty"`
}
