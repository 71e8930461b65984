package alerting

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
)

// AlarmFilter says which alarms are listed, the newest first. What is zero leaves
// nothing out.
type AlarmFilter struct {
	// Sight is no filter: the zero one finds nothing.
	Sight     access.Sight
	Before    int64 // ids below it
	Namespace string
	State     words.State
	Rule      string // key
	Kind      words.Kind
	Severity  words.Severity
	JobID     int64
	Group     string    // key
	Since     time.Time // those whose last event is not before it
	Until     time.Time // those that began before it
	Limit     int
}

// NotificationFilter says which messages are listed, the newest first. What is zero
// leaves nothing out.
type NotificationFilter struct {
	// Sight is no filter: the zero one finds nothing.
	Sight     access.Sight
	Before    int64 // ids below it
	Namespace string
	Status    words.Delivery
	Rule      string    // key
	Channel   string    // key
	Since     time.Time // those made not before it
	Until     time.Time // those made before it
	Limit     int
}

// Records is what was written of alarms, for people.
type Records interface {
	// Alarm returns an alarm, or NotFound.
	Alarm(ctx context.Context, id int64) (words.Alarm, error)
	// Alarms returns the alarms of the filter, the newest first, at most 1,000.
	Alarms(ctx context.Context, f AlarmFilter) ([]words.Alarm, error)
	// AlarmEntries returns up to limit events of an alarm with ids above after, the
	// oldest first.
	AlarmEntries(ctx context.Context, id, after int64, limit int) ([]words.Entry, error)
}

// Noter is what people say about alarms and messages.
type Noter interface {
	// NoteAlarm writes that somebody has taken note of an alarm: it escalates no
	// more. Kinds: NotFound.
	NoteAlarm(ctx context.Context, id int64, by string, at time.Time) error
	// RetryNotification makes a message that was given up pending again. Kinds:
	// NotFound, Conflict when it was not given up.
	RetryNotification(ctx context.Context, id int64, at time.Time) (words.Notification, error)
}
