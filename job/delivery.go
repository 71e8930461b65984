package job

import (
	"slices"
	"time"
)

// Limits of a Delivery.
const (
	MaxExpireAfter = 365 * 24 * time.Hour
	MaxDeadline    = 365 * 24 * time.Hour
	MaxKeepFor     = 100 * 365 * 24 * time.Hour
	MaxKeepRuns    = 1_000_000
)

// Delivery defines how the runs of a Job wait for executors, and how long they are kept.
// The zero Delivery has the defaults.
type Delivery struct {
	// Priority orders waiting runs. Defaults to normal.
	Priority Priority `json:"priority,omitempty"`
	// ExpireAfter expires a run that has waited this long for its first attempt since it
	// was due. Zero is never; at most [MaxExpireAfter].
	ExpireAfter time.Duration `json:"expire_after,omitempty"`
	// Deadline ends a run as lost that has not ended this long after its first attempt,
	// whatever its executor reports. Zero is never; at most [MaxDeadline].
	Deadline time.Duration `json:"deadline,omitempty"`
	// Selector are labels that an executor must have, in the form of CheckLabels.
	Selector map[string]string `json:"selector,omitempty"`
	// KeepFor is how long a run is kept after its end, KeepRuns how many ended runs are
	// kept. Zero is the server's default.
	KeepFor  time.Duration `json:"keep_for,omitempty"`
	KeepRuns int           `json:"keep_runs,omitempty"`
}

// IsZero reports whether d has no field set.
func (d Delivery) IsZero() bool {
	return d.Priority == "" && d.ExpireAfter == 0 && d.Deadline == 0 && len(d.Selector) == 0 && d.KeepFor == 0 &&
		d.KeepRuns == 0
}

// Priority orders runs that wait for the same executors. The values are stored
// and served as they are.
type Priority string

// The priorities. Runs of a higher one go first, however long others wait.
const (
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = "normal"
	PriorityLow    Priority = "low"
)

// Rank returns 0 for high, 1 for normal or none, 2 for low.
func (p Priority) Rank() int {
	switch p {
	case PriorityHigh:
		return 0
	case PriorityLow:
		return 2
	case PriorityNormal:
	}
	return 1
}

// ExpiredReason describes that the run expires at its ExpireAt, now or before, how long it
// has waited, and its last reason for waiting. after is the limit of its job, and zero when
// the job has no limit by now.
func ExpiredReason(r *Run, after time.Duration, now time.Time) string {
	waited := now.Sub(r.ExpireAt) + after
	if after <= 0 {
		waited = now.Sub(r.CreatedAt)
	}
	text := "expired: waited " + waited.Round(time.Millisecond).String() + " and no executor took it"
	if r.Reason != "" {
		text += "; the last reason: " + r.Reason
	}
	return text
}

// Matches reports whether features have each label of the selector, as
// "key=value".
func Matches(selector map[string]string, features []string) bool {
	for key, value := range selector {
		if !slices.Contains(features, key+"="+value) {
			return false
		}
	}
	return true
}
