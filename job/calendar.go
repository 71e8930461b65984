package job

import (
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

// Limits of calendars, for all namespaces together.
const (
	MaxCalendars     = 1000
	MaxCalendarBytes = 256 << 10 // of its rules, as JSON
)

// Calendar defines the days on which jobs that refer to it may fire.
type Calendar struct {
	ID int64 `json:"id"`
	// Namespace and Key together are unique; jobs of the namespace refer to it by the Key.
	Namespace string         `json:"namespace"`
	Key       string         `json:"key"`
	Title     string         `json:"title,omitempty"`
	Rules     calendar.Rules `json:"rules"`
	// Version grows by one at each change; writes compare it.
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}
