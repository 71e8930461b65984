package alerting

import (
	"context"
	"time"

	words "github.com/orthd/orth/alarm"
)

// Events provides events.
type Events interface {
	// Events returns up to limit events with ids above after, in order of id. An event that
	// becomes visible later has a higher id than all that were visible before.
	Events(ctx context.Context, after int64, limit int) ([]words.Event, error)
}

// Leases provides the right to do what one server at a time does.
type Leases interface {
	// TakeLease takes or renews a lease until an instant, and returns its fence. held is
	// false when another holder has it. A new holder gets a new fence.
	TakeLease(ctx context.Context, name, holder string, now, until time.Time) (fence int64, held bool, err error)
}

// DecisionStore holds the rows of the deciding loop.
type DecisionStore interface {
	// AlarmCursor returns the engine's position.
	AlarmCursor(ctx context.Context) (Cursor, error)
	// ReadAlarms returns the rows that q selects, in no order.
	ReadAlarms(ctx context.Context, a Query) (Rows, error)
	// CommitAlarms writes the changes of a pass, all or nothing. Kinds: Conflict when
	// another server holds the lease, or the cursor has moved since it was read.
	CommitAlarms(ctx context.Context, c Changes) error
}

// Outbox holds the rows of the sending loop.
type Outbox interface {
	// DueMessages returns up to limit messages that may be claimed by now, the earliest
	// first. It returns only the oldest of each line, and none of the busy channels.
	DueMessages(ctx context.Context, now time.Time, busy []int64, limit int) ([]Outgoing, error)
	// ClaimMessage hides a message until an instant. It reports false when another server
	// claimed it since it was read. Otherwise it increments Fence.
	ClaimMessage(ctx context.Context, m *Outgoing, until time.Time) (bool, error)
	// RecordMessage writes the result of a try. It also adds the fallback message instead,
	// unless that is nil or its key exists. It does nothing when another server has claimed
	// the message.
	RecordMessage(ctx context.Context, m, instead *Outgoing) error
}

// Archive removes old rows.
type Archive interface {
	// PruneAlarms removes up to limit alarms, entries and messages each that ended before
	// an instant, and states not changed since. It returns the total number.
	PruneAlarms(ctx context.Context, before time.Time, limit int) (int, error)
}

// Store is the storage of the engine.
type Store interface {
	Events
	Leases
	DecisionStore
	Outbox
	Archive
}

// Cursor is the engine's position.
type Cursor struct {
	EventID     int64 // the last event that was evaluated
	LastID      int64 // the last id of an alarm, a group or a message
	Definitions int64 // the version at the last review of all alarms
	Tag         string
}

// Query selects the rows that a pass needs. Empty fields select nothing.
type Query struct {
	Subjects []int64  // their firing alarms and states
	Keys     []string // alarm groups with these keys
	Channels []int64  // their load since Since
	Since    time.Time
	// Due selects alarms, states and groups that are due by then, up to Limit of each, the
	// earliest first.
	Due   time.Time
	Limit int
	// Unnoted asks which of these groups have firing alarms that are not acknowledged.
	Unnoted []string
}

// Rows is the result of a Query.
type Rows struct {
	Alarms  []Alarm
	States  []State
	Bunches []AlarmGroup
	Loads   map[int64]Load // by channel
	Unnoted map[string]bool
	// Next is the earliest due time of any row; zero for never. It is set when the query
	// had Due.
	Next time.Time
}

// Load is the load of a channel.
type Load struct {
	Pending int // unfinished messages
	Ended   int // messages finished since the instant of the query
}

// Changes is the result of a pass.
type Changes struct {
	Lease   string // name of the lease
	Fence   int64  // of the lease
	From    Cursor // as read
	To      Cursor
	Alarms  []*Alarm // new when their id is above From.LastID
	Entries []words.Entry
	States  []*State      // removed when Empty
	Bunches []*AlarmGroup // removed when Gone
	// Messages are new.
	Messages []*Outgoing
	// LookAgain makes all firing alarms due, before Alarms are written.
	LookAgain bool
	At        time.Time
}

// Alarm is an alarm with the fields of the engine.
type Alarm struct {
	words.Alarm
	Labels map[string]string // of its job, at the last event
	To     []string          // the job's own addresses; empty for alarms of rules
	Key    string            // of its groups
	Told   bool              // its groups count it
	Held   int               // events that a silence suppressed
	LookAt time.Time         // next review; set while it fires
}

// Subject is the subject of the alarm: a job's id, or a group's id negated.
func (a *Alarm) Subject() int64 { return subjectOf(a.Kind, a.JobID, a.GroupID) }

func subjectOf(kind words.Kind, jobID, groupID int64) int64 {
	if kind.OfGroup() {
		return -groupID
	}
	return jobID
}

// Outgoing is a message with everything needed to send it.
type Outgoing struct {
	words.Notification
	Key     string // unique
	Line    string // messages of a line are sent in order
	Dedup   string // as words.Message.Dedup, without the tag
	Message words.Message
	Fence   int64
	LookAt  time.Time // when it may be claimed; zero when it is finished
}
