// Package alarmconfig keeps the users' definitions of alerts: rules, channels and silences.
//
// It knows when such a definition makes sense, which may be deleted while others name it,
// that only senders get the secrets of channels out again, and which events are worth being
// recorded. It must never know SQL, HTTP, how a channel carries a message, or which alerts
// are open at the moment. Definitions come in from the doors. The engine gets all of them
// as of one moment, from memory: the rows are the truth, and are read every two seconds.
package alarmconfig

import (
	"context"
	"time"

	"github.com/orthd/orth/alarm"
)

// Store keeps definitions.
type Store interface {
	Rules
	Channels
	Silences
}

// Rules keeps rules. Its namespace and key identify a rule.
type Rules interface {
	// SaveAlarmRule writes a new rule when its Version is 0, else one over the
	// version it was read at, and returns it as it stands. Kinds: Conflict when the
	// key is taken or it has another version, NotFound when there is none to write
	// over, Invalid when a channel that it names does not exist, Full.
	SaveAlarmRule(ctx context.Context, r alarm.Rule) (alarm.Rule, error)
	// DeleteAlarmRule removes a rule, or returns NotFound.
	DeleteAlarmRule(ctx context.Context, namespace, key string) error
	// AlarmRules returns the rules of a namespace, of all when it is empty, in order
	// of key.
	AlarmRules(ctx context.Context, namespace string) ([]alarm.Rule, error)
}

// Channels keeps channels. Its namespace and key identify a channel.
type Channels interface {
	// SaveAlarmChannel writes a new channel when its Version is 0, else one over the
	// version it was read at, and returns it as it stands. Kinds: Conflict when the
	// key is taken, it has another version, or another is the default already,
	// NotFound when there is none to write over, Full.
	SaveAlarmChannel(ctx context.Context, c Channel) (Channel, error)
	// DeleteAlarmChannel removes a channel, or returns NotFound, and Conflict, with
	// some of the rules, when one names it.
	DeleteAlarmChannel(ctx context.Context, namespace, key string) error
	// AlarmChannels returns the channels of a namespace, of all when it is empty, in
	// order of key.
	AlarmChannels(ctx context.Context, namespace string) ([]Channel, error)
}

// Silences keeps silences.
type Silences interface {
	// SaveAlarmSilence writes a silence, a new one when its ID is 0, and returns it as
	// it stands. New ones push out those that ended before forget. Kinds: NotFound,
	// Full.
	SaveAlarmSilence(ctx context.Context, s alarm.Silence, forget time.Time) (alarm.Silence, error)
	// DeleteAlarmSilence removes a silence, or returns NotFound.
	DeleteAlarmSilence(ctx context.Context, id int64) error
	// AlarmSilences returns the silences of a namespace, of all when it is empty, in
	// order of id.
	AlarmSilences(ctx context.Context, namespace string) ([]alarm.Silence, error)
}

// Reader is what a server asks again and again.
type Reader interface {
	// AlarmBook returns everything, and nil when its version is still known.
	AlarmBook(ctx context.Context, known int64) (*Stored, error)
	// NoteAlarmChannel writes how a channel did at an instant: an empty failure is a
	// success. It is no change of the channel. One that is gone is no error.
	NoteAlarmChannel(ctx context.Context, id int64, at time.Time, failure string) error
}

// Stored is all definitions as they are kept.
type Stored struct {
	Version  int64 // at most as new as the rest
	Rules    []alarm.Rule
	Channels []Channel
	Silences []alarm.Silence
}

// Channel is a channel as it is kept: without its Secrets.
type Channel struct {
	alarm.Channel
	Sealed string // the secrets, closed; empty for none
}
