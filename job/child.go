package job

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ChildOn is the condition on the end of a run under which a child job is started. The
// values are stored and served as they are.
type ChildOn string

// The conditions of a child. Only the end of the whole run counts, after its
// last attempt; a run that was cancelled or skipped starts no child.
const (
	ChildOnSuccess ChildOn = "success"
	// ChildOnFailure is after a run that failed, timed out or was lost.
	ChildOnFailure ChildOn = "failure"
	ChildOnAlways  ChildOn = "always"
)

// ChildOns returns every condition, success first.
func ChildOns() []ChildOn { return []ChildOn{ChildOnSuccess, ChildOnFailure, ChildOnAlways} }

// Meets reports whether a run that ended in the state starts the child. Empty
// means ChildOnSuccess.
func (on ChildOn) Meets(end State) bool {
	switch end {
	case Succeeded:
		return on != ChildOnFailure
	case Failed, TimedOut, Lost:
		return on == ChildOnFailure || on == ChildOnAlways
	default:
		return false
	}
}

// Child is a job that the end of another one's run starts.
type Child struct {
	JobID int64 `json:"job"`
	// Key is the job's, filled on reads for people; empty when it was deleted.
	Key string `json:"-"`
	// On defaults to ChildOnSuccess.
	On ChildOn `json:"on,omitempty"`
	// Param is a template of the run's parameter, see [Expand], at most
	// [MaxChildParam] bytes; empty means the child's own.
	Param string `json:"param,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. A bare number is a child that a
// success starts.
func (c *Child) UnmarshalJSON(text []byte) error {
	var id int64
	if !bytes.HasPrefix(text, []byte("{")) {
		if err := json.Unmarshal(text, &id); err != nil {
			return fmt.Errorf("a child is neither an object nor the id of a job: %w", err)
		}
		*c = Child{JobID: id}
		return nil
	}
	type plain Child // without this method
	return json.Unmarshal(text, (*plain)(c))
}

// The names that a template may hold, as {{name}}.
const (
	WordResult    = "result"     // the run's final message
	WordParam     = "param"      // the run's own parameter
	WordRunID     = "run_id"     // the run's id
	WordPlannedAt = "planned_at" // the slot that it served, empty for none
	WordState     = "state"      // the run's final state
)
