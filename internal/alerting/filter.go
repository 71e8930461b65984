package alerting

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
)

// AlarmFilter selects alarms to list, the newest first. Zero fields do not filter.
type AlarmFilter struct {
	// Sight limits the list to readable objects. Its zero value finds nothing.
	Sight     access.Sight
	Before    int64 // ids below it
	Namespace string
	State     words.State
	Rule      string // key
	Kind      words.Kind
	Severity  words.Severity
	JobID     int64
	Group     string    // key
	Since     time.Time // last event at or after it
	Until     time.Time // first event before it
	Limit     int
}

// NotificationFilter selects messages to list, the newest first. Zero fields do not filter.
type NotificationFilter struct {
	// Sight limits the list to readable objects. Its zero value finds nothing.
	Sight     access.Sight
	Before    int64 // ids below it
	Namespace string
	Status    words.Delivery
	Rule      string    // key
	Channel   string    // key
	Since     time.Time // created at or after it
	Until     time.Time // created before it
	Limit     int
}

// Records reads alarms for the API.
type Records interface {
	// Alarm returns an alarm, or NotFound.
	Alarm(ctx context.Context, id int64) (words.Alarm, error)
	// Alarms returns the alarms of the filter, the newest first, at most 1,000.
	Alarms(ctx context.Context, f AlarmFilter) ([]words.Alarm, error)
	// AlarmEntries returns up to limit events of an alarm with ids above after, the
	// oldest first.
	AlarmEntries(ctx context.Context, id, after int64, limit int) ([]words.Entry, error)
}

// Actions are what users do with alarms and messages.
type Actions interface {
	// NoteAlarm records who acknowledged an alarm. It escalates no further. Kinds:
	// NotFound.
	NoteAlarm(ctx context.Context, id int64, by string, at time.Time) error
	// RetryNotification makes a message that was given up pending again. Kinds: NotFound,
	// Conflict when it was not given up.
	RetryNotification(ctx context.Context, id int64, at time.Time) (words.Notification, error)
}
