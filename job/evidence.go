package job

import "time"

// Limits of the evidence of an attempt.
const (
	MaxEvidence        = 10   // of one attempt; what comes later is dropped
	MaxEvidenceMessage = 1000 // characters
)

// Evidence is an outcome that does not count: it arrived after the end of its attempt was
// recorded and contradicts it, or its sender does not own the attempt. It changes only what
// people see.
type Evidence struct {
	AttemptID int64     `json:"attempt_id"`
	At        time.Time `json:"at"` // when it came
	State     State     `json:"state"`
	Message   string    `json:"message,omitempty"` // cut to [MaxEvidenceMessage]
	// Note describes how it relates to the recorded end.
	Note string `json:"note"`
}
