package alarm

import (
	"time"

	"github.com/orthd/orth/job"
)

// State is the state of an alarm. The values are part of the database and the API.
type State string

// The states of an alarm.
const (
	Firing   State = "firing"
	Resolved State = "resolved"
)

// Alarm is a firing of one rule for one subject, from the first event until it is resolved.
// Some kinds have no recovery event of their own, such as a failed run or a missed firing.
// Their alarms are resolved by the job's next successful run, or after a day without
// events.
type Alarm struct {
	ID        int64
	Namespace string
	RuleID    int64
	RuleKey   string // empty for the mails that a job requests itself
	Kind      Kind
	Severity  Severity
	GroupID   int64
	Group     string
	JobID     int64 // zero for alarms of a group
	JobKey    string
	State     State
	Reason    string // of the last event
	FirstAt   time.Time
	LastAt    time.Time // of the last event
	EndedAt   time.Time
	Count     int       // events
	LastRunID int64     // zero for none
	NotedAt   time.Time // when a user acknowledged it; zero for never
	NotedBy   string
	// SilencedBy is the silence that suppresses its messages now; zero for none.
	SilencedBy int64
}

// Entry is one event of an alarm. Every event has an entry.
type Entry struct {
	AlarmID int64
	EventID int64
	At      time.Time
	RunID   int64
	JobKey  string
	State   job.State
	Reason  string // at most 1,000 characters
}

// Delivery is the delivery state of a message. The values are part of the database and the
// API.
type Delivery string

// The states of a message.
const (
	Pending  Delivery = "pending"  // it waits for its send time or its next try
	Sent     Delivery = "sent"     // the channel accepted it
	GivenUp  Delivery = "failed"   // it could not be delivered
	Silenced Delivery = "silenced" // a silence held it back
	Dropped  Delivery = "dropped"  // it had become pointless: its rule or channel was deleted
)

// Notification is a message that is pending or was sent.
type Notification struct {
	ID        int64
	Namespace string
	RuleID    int64
	RuleKey   string
	ChannelID int64
	Channel   string // key
	To        string // an address that replaces the channel's own; empty for none
	GroupKey  string // the group key that its alarms share
	Status    Delivery
	State     State // the state that it reports
	Alarms    int   // the number of alarms in it
	Events    int
	Tries     int
	Title     string
	Error     string // why the last try failed
	DueAt     time.Time
	CreatedAt time.Time
	EndedAt   time.Time
}

// Message is the content of a notification.
type Message struct {
	// ID is the same in every try to deliver the message, so that a receiver can drop
	// duplicates.
	ID string
	// Dedup is the same in every message about one incident, including the recovery
	// message.
	Dedup    string
	Test     bool // sent by the test button
	State    State
	Severity Severity
	Language string // en or zh
	// To are addresses that replace the channel's own; empty to use those.
	To []string

	Title string // one line, rendered from the template
	Text  string // plain text, rendered from the template

	Namespace string
	Rule      string // title or key
	Group     string // key; empty when the message covers several groups
	At        time.Time
	// Link is the console page of the newest item. AlarmLink is the page of the alarm, or
	// the alarm list when the message covers several alarms. Both are empty when the server
	// does not know its public address.
	Link, AlarmLink string

	Alarms int
	Events int
	// Items are the newest events, at most 20. Reasons are the distinct reasons, the most
	// frequent first, at most 50. More is the number of omitted reasons.
	Items   []Item
	Reasons []Reason
	More    int
	// Log holds the last lines of the newest run's log, at most 20.
	Log []string
}

// Item is an event in a message.
type Item struct {
	At        time.Time
	Kind      Kind
	Namespace string
	Job       string // title or key
	JobKey    string // empty for an event of a group
	Group     string
	AlarmID   int64 // zero in a test message
	RunID     int64
	State     job.State
	Tries     int
	Reason    string
	// Link is the console page of the run, otherwise of the job or the group. It is empty
	// when the server does not know its public address.
	Link string
}

// Reason is a text that several events share.
type Reason struct {
	Text  string
	Count int
	Run   int64 // the newest one
}
