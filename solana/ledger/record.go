package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// A task's body is a byte that names the layout and, in the first, JSON. A reader leaves those alone that it does not know.
const recordVersion = 1

// Limits of what a task holds. A larger body is refused, longer texts are cut.
const (
	maxBody   = 32 << 10 // bytes
	maxReason = 1000     // characters
	maxLogs   = 20
	maxLog    = 300 // characters
)

// errUnknown is that a newer version wrote a record.
var errUnknown = errors.New("the record was written by a newer version")

// taskRecord is a task's body.
type taskRecord struct {
	Thread  thread.Key      `json:"thread"`
	State   json.RawMessage `json:"state"`
	Count   uint64          `json:"count"`
	ByTime  bool            `json:"by_time,omitempty"`
	Trigger int64           `json:"trigger"`
	Unit    thread.Unit     `json:"unit"`
	At      int64           `json:"at"`
	Tries   int             `json:"tries"`
	Failed  Failure         `json:"failed,omitzero"`
	Units   uint32          `json:"units,omitempty"`
	Flight  *flightRecord   `json:"flight,omitempty"`
}

type flightRecord struct {
	Wire      []byte           `json:"wire"`
	Signature solana.Signature `json:"signature"`
	Blockhash solana.Hash      `json:"blockhash"`
	LastValid uint64           `json:"last_valid"`
	SentAt    int64            `json:"sent_at"` // unix ms
	Fibers    int              `json:"fibers"`
	Units     uint32           `json:"units"`
	Price     uint64           `json:"price"`
	Fee       uint64           `json:"fee"`
	Before    uint64           `json:"before"`
	After     uint64           `json:"after"`
}

func (r *taskRecord) encode() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode a task: %w", err)
	}
	if len(text) >= maxBody {
		return nil, job.FieldErrorf("task", "has %d bytes, at most %d are allowed", len(text), maxBody)
	}
	return append([]byte{recordVersion}, text...), nil
}

func decodeRecord(body []byte) (*taskRecord, error) {
	if len(body) == 0 || body[0] != recordVersion {
		return nil, errUnknown
	}
	r := new(taskRecord)
	if err := json.Unmarshal(body[1:], r); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	}
	return r, nil
}

// order distinguishes a later execution of a thread from an earlier one.
func (r *taskRecord) order() int64 {
	t := Task{ExecCount: r.Count, ByTime: r.ByTime, TriggerTime: r.Trigger}
	return t.Order()
}

// isExecutionOf reports whether the record is of the same execution as a task.
func (r *taskRecord) isExecutionOf(t *Task) bool {
	return r.Thread == t.Thread && r.ByTime == t.ByTime && r.order() == t.Order()
}

func newRecord(t *Task) (*taskRecord, error) {
	state, err := json.Marshal(t.State) //nolint:musttag // its fields have their own names, see TestGolden
	if err != nil {
		return nil, fmt.Errorf("encode a thread: %w", err)
	}
	return &taskRecord{Thread: t.Thread, State: state, Count: t.ExecCount, ByTime: t.ByTime, Trigger: t.TriggerTime, Unit: t.Due.Unit, At: t.Due.At}, nil
}

func newFlight(f *Flight) *flightRecord {
	return &flightRecord{
		Wire: f.Transaction.Wire, Signature: f.Transaction.Signature, Blockhash: f.Transaction.Blockhash, LastValid: f.Transaction.LastValid,
		SentAt: job.Millis(f.SentAt), Fibers: f.Fibers, Units: f.Units, Price: f.Price, Fee: f.Fee, Before: f.Before, After: f.After,
	}
}

func (r *flightRecord) flight() *Flight {
	if r == nil {
		return nil
	}
	return &Flight{
		Transaction: rpc.Transaction{Wire: r.Wire, Signature: r.Signature, Blockhash: r.Blockhash, LastValid: r.LastValid},
		SentAt:      time.UnixMilli(r.SentAt).UTC(), Fibers: r.Fibers, Units: r.Units, Price: r.Price, Fee: r.Fee, Before: r.Before, After: r.After,
	}
}

// taskOf is an item of the queue as a task.
func taskOf(it queue.Item, p queue.Place) Task {
	t := Task{ID: ID(it.Key), Seq: it.Seq, Place: Place(p), CreatedAt: it.AddedAt, DueAt: it.Due}
	r, err := decodeRecord(it.Body)
	if err == nil {
		t.State = new(thread.Thread)
		err = json.Unmarshal(r.State, t.State) //nolint:musttag // likewise
	}
	if err != nil {
		t.State, t.Unknown = nil, true
		return t
	}
	t.Thread, t.ExecCount, t.ByTime, t.TriggerTime = r.Thread, r.Count, r.ByTime, r.Trigger
	t.Due = thread.Due{Unit: r.Unit, At: r.At}
	t.Tries, t.Failed, t.Units, t.Flight = r.Tries, r.Failed, r.Units, r.Flight.flight()
	return t
}

// bounded is a failure within its limits.
func (f Failure) bounded() Failure {
	f.Reason = job.Clean(f.Reason, maxReason)
	f.Logs = Tail(f.Logs)
	f.At = f.At.Truncate(time.Millisecond).UTC()
	return f
}

// Tail is the end of programs' logs as a Failure may hold it: the last 20 lines, 300 characters of each.
func Tail(logs []string) []string {
	logs = logs[max(0, len(logs)-maxLogs):]
	tail := make([]string, 0, len(logs))
	for _, line := range logs {
		tail = append(tail, job.Clean(line, maxLog))
	}
	return tail
}
