package outbox

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// record is an outcome as it is stored. Names never change; a new field must
// do without in old files.
type record struct {
	TriggeredAt int64       `json:"triggered_at"` // milliseconds; zero time as its own value
	State       job.State   `json:"state"`
	Message     string      `json:"message,omitempty"`
	EndedAt     int64       `json:"ended_at"`
	Class       retry.Class `json:"class,omitempty"`
	RetryAfter  int64       `json:"retry_after,omitempty"` // milliseconds
	Log         string      `json:"log,omitempty"`
}

// itemOf makes the item of an outcome. The attempt's id is the key.
func itemOf(out job.Outcome) (queue.Item, error) {
	if !out.State.Final() {
		return queue.Item{}, job.FieldErrorf("state", "%q of attempt %d is not an outcome", out.State, out.AttemptID)
	}
	if out.AttemptID <= 0 {
		return queue.Item{}, job.FieldErrorf("attempt_id", "%d is not an attempt", out.AttemptID)
	}
	body, err := json.Marshal(record{
		TriggeredAt: out.TriggeredAt.UnixMilli(),
		State:       out.State,
		Message:     job.Clean(out.Message, MaxMessage),
		EndedAt:     out.EndedAt.UnixMilli(),
		Class:       out.Class,
		RetryAfter:  out.RetryAfter.Milliseconds(),
		Log:         out.Log,
	})
	if err != nil {
		return queue.Item{}, fmt.Errorf("encode the outcome of attempt %d: %w", out.AttemptID, err)
	}
	return queue.Item{Key: out.AttemptID, AddedAt: out.EndedAt, Body: body}, nil
}

// outcomeOf reads an item that itemOf made.
func outcomeOf(it queue.Item) (job.Outcome, error) {
	var r record
	if err := json.Unmarshal(it.Body, &r); err != nil {
		return job.Outcome{}, job.Errorf(job.Invalid, "read the stored outcome of attempt %d: %w", it.Key, err)
	}
	return job.Outcome{
		AttemptID:   it.Key,
		TriggeredAt: time.UnixMilli(r.TriggeredAt).UTC(),
		State:       r.State,
		Message:     r.Message,
		EndedAt:     time.UnixMilli(r.EndedAt).UTC(),
		Class:       r.Class,
		RetryAfter:  time.Duration(r.RetryAfter) * time.Millisecond,
		Log:         r.Log,
	}, nil
}
