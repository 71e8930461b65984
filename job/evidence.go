package job

import "time"

// Limits of the evidence of an attempt.
const (
	MaxEvidence        = 10   // of one attempt; what comes later is dropped
	MaxEvidenceMessage = 1000 // characters
)

// Evidence is an outcome that does not count: it came for an attempt whose end was
// recorded already, and says something else, or from somebody whose attempt it is
// not. It changes nothing but what people see.
type Evidence struct {
	AttemptID int64     `json:"attempt_id"`
	At        time.Time `json:"at"` // when it came
	State     State     `json:"state"`
	Message   string    `json:"message,omitempty"` // cut to [MaxEvidenceMessage]
	// Note says in words how it stands to what is recorded.
	Note string `json:"note"`
}
