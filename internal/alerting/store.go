package alerting

import (
	"context"
	"time"

	words "github.com/orthd/orth/alarm"
)

// Events is where events come from.
type Events interface {
	// Events returns up to limit events with ids above after, in order of id. One
	// that becomes visible later has an id above all that were visible before.
	Events(ctx context.Context, after int64, limit int) ([]words.Event, error)
}

// Leases is the right to do what one server at a time does.
type Leases interface {
	// TakeLease takes or renews the lease of a name until an instant, and returns its
	// fence; held is false when somebody else has it. Another holder gets another
	// fence.
	TakeLease(ctx context.Context, name, holder string, now, until time.Time) (fence int64, held bool, err error)
}

// Desk is what the deciding half reads and writes.
type Desk interface {
	// AlarmCursor returns where the engine stands.
	AlarmCursor(ctx context.Context) (Cursor, error)
	// ReadAlarms returns the rows that a pass asks for, in no order.
	ReadAlarms(ctx context.Context, a Ask) (Rows, error)
	// CommitAlarms writes what a pass has decided, all or nothing. Kinds: Conflict
	// when the lease is somebody else's, or the cursor is not where it was read.
	CommitAlarms(ctx context.Context, c Changes) error
}

// Outbox is what the sending half reads and writes.
type Outbox interface {
	// DueMessages returns up to limit messages that somebody may take by now, the
	// earliest first: of each line the oldest, and none of the busy channels.
	DueMessages(ctx context.Context, now time.Time, busy []int64, limit int) ([]Outgoing, error)
	// ClaimMessage hides a message until an instant, and reports whether this caller
	// has it: nobody took it since it was read. Its Fence is one more then.
	ClaimMessage(ctx context.Context, m *Outgoing, until time.Time) (bool, error)
	// RecordMessage writes what came of a try, and with it a message that tells of
	// its end, if there is one and none with its key yet. It does nothing when
	// somebody else has claimed it.
	RecordMessage(ctx context.Context, m, instead *Outgoing) error
}

// Archive forgets.
type Archive interface {
	// PruneAlarms removes up to limit alarms, entries and messages each that ended
	// before an instant, and what rules remember since before then, and returns how
	// many in all.
	PruneAlarms(ctx context.Context, before time.Time, limit int) (int, error)
}

// Store is all of them.
type Store interface {
	Events
	Leases
	Desk
	Outbox
	Archive
}

// Cursor is where the engine stands.
type Cursor struct {
	EventID     int64 // the last event that was dealt with
	LastID      int64 // the last id given to an alarm, a bunch or a message
	Definitions int64 // the version that all alarms were last looked at with
	Tag         string
}

// Ask says what a pass needs. What is empty asks for nothing.
type Ask struct {
	Subjects []int64  // firing alarms and states of these
	Keys     []string // bunches with these
	Channels []int64  // how busy these are, since Since
	Since    time.Time
	// Due asks for alarms, states and bunches whose time has come by then, up to
	// Limit of each, the earliest first.
	Due   time.Time
	Limit int
	// Unnoted asks which of these bunches have firing alarms that nobody has taken
	// note of.
	Unnoted []string
}

// Rows is what was asked for.
type Rows struct {
	Alarms  []Alarm
	States  []State
	Bunches []Bunch
	Loads   map[int64]Load // by channel
	Unnoted map[string]bool
	// Next is the earliest time at which something of all that there is becomes due;
	// zero for never. It is set when Due was asked for.
	Next time.Time
}

// Load is how busy a channel is.
type Load struct {
	Pending int // messages that are not over
	Ended   int // those that are, since the instant asked for
}

// Changes is what a pass has decided.
type Changes struct {
	Lease   string // by which it was decided
	Fence   int64  // of the lease
	From    Cursor // where it was read
	To      Cursor
	Alarms  []*Alarm // new when their id is above From.LastID
	Entries []words.Entry
	States  []*State // removed when Empty
	Bunches []*Bunch // removed when Gone
	// Messages are new.
	Messages []*Outgoing
	// LookAgain lets all alarms that fire be due, before the Alarms here are written.
	LookAgain bool
	At        time.Time
}

// Alarm is an alarm as the engine works on it.
type Alarm struct {
	words.Alarm
	Labels map[string]string // of its job, at the last event
	To     []string          // the addresses that the job named; empty for alarms of rules
	Key    string            // of its bunches
	Told   bool              // it counts in its bunches
	Held   int               // events that a silence held back
	LookAt time.Time         // set while it fires
}

// Subject is what the alarm is about: a job, or a group as a negative number.
func (a *Alarm) Subject() int64 { return subjectOf(a.Kind, a.JobID, a.GroupID) }

func subjectOf(kind words.Kind, jobID, groupID int64) int64 {
	if kind.OfGroup() {
		return -groupID
	}
	return jobID
}

// Outgoing is a message with all that is needed to send it.
type Outgoing struct {
	words.Notification
	Key     string // unique
	Line    string // messages of a line are sent in order
	Dedup   string // as words.Message.Dedup, without the tag
	Message words.Message
	Fence   int64
	LookAt  time.Time // when somebody may take it; zero when it is over
}
