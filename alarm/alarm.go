package alarm

import (
	"time"

	"github.com/orthd/orth/job"
)

// State is where an alarm stands. The values are stored and served as they are.
type State string

// The states of an alarm.
const (
	Firing   State = "firing"
	Resolved State = "resolved"
)

// Alarm is what one rule says about one subject, from the first event until it is
// over. One of a kind that has no end of its own (a run failed, a firing was
// missed) is over with the next good run of the job, or after a day without news.
type Alarm struct {
	ID        int64
	Namespace string
	RuleID    int64
	RuleKey   string // "" for the mails that a job asks for itself
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
	NotedAt   time.Time // when somebody took note; zero for nobody
	NotedBy   string
	// SilencedBy is the silence that holds its messages back now; zero for none.
	SilencedBy int64
}

// Entry is one event of an alarm: none is left out.
type Entry struct {
	AlarmID int64
	EventID int64
	At      time.Time
	RunID   int64
	JobKey  string
	State   job.State
	Reason  string // at most 1,000 characters
}

// Delivery is where a message stands. The values are stored and served as they are.
type Delivery string

// The states of a message.
const (
	Pending  Delivery = "pending"  // it waits for its time, or for the next try
	Sent     Delivery = "sent"     // the channel took it
	GivenUp  Delivery = "failed"   // it could not be delivered
	Silenced Delivery = "silenced" // a silence held it back
	Dropped  Delivery = "dropped"  // there was nothing left to tell: its rule or channel is gone
)

// Notification is a message on its way, or one that was.
type Notification struct {
	ID        int64
	Namespace string
	RuleID    int64
	RuleKey   string
	ChannelID int64
	Channel   string // key
	To        string // an address in place of the channel's own; empty for none
	GroupKey  string // what its alarms share
	Status    Delivery
	State     State // what it tells
	Alarms    int   // how many it is about
	Events    int
	Tries     int
	Title     string
	Error     string // why the last try failed
	DueAt     time.Time
	CreatedAt time.Time
	EndedAt   time.Time
}

// Message is what is told to people.
type Message struct {
	// ID is the same in every try to deliver it: who gets it twice can tell.
	ID string
	// Dedup is the same in every message about the same thing, the one that says
	// that it is over too.
	Dedup    string
	Test     bool // of the test button
	State    State
	Severity Severity
	Language string // en or zh
	// To are addresses in place of the channel's own; empty for those.
	To []string

	Title string // one line, made by the template
	Text  string // plain text, made by the template

	Namespace string
	Rule      string // title or key
	Group     string // key; empty when several are concerned
	At        time.Time
	// Link is the console's page of what the newest item is about, AlarmLink that of the
	// alarm, or the list of alarms when the message is about several. Both are empty when
	// the server does not know the address at which people reach it.
	Link, AlarmLink string

	Alarms int
	Events int
	// Items are the newest events, at most 20; Reasons all different reasons, the
	// most frequent first, at most 50; More how many there are beside.
	Items   []Item
	Reasons []Reason
	More    int
	// Log is the last lines of the log of the newest run, at most 20.
	Log []string
}

// Item is an event as a message shows it.
type Item struct {
	At        time.Time
	Kind      Kind
	Namespace string
	Job       string // title or key
	JobKey    string // empty for an event of a group
	Group     string
	AlarmID   int64 // zero in a message of the test button
	RunID     int64
	State     job.State
	Tries     int
	Reason    string
	// Link is the console's page of the run, or else of the job or the group; empty when
	// the server does not know the address at which people reach it.
	Link string
}

// Reason is what several events have in common.
type Reason struct {
	Text  string
	Count int
	Run   int64 // the newest one
}
