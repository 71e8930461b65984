package xxladmin

import (
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// codeNone is a code before there is one.
const codeNone = 0

// The codes of the column of alarms.
const (
	alarmLocked = -1 // a server is at it
	alarmUnseen = 0  // no server has looked at it
	alarmNone   = 1  // there is nothing to send
	alarmSent   = 2  // sent, or there was no recipient
	alarmUnsent = 3  // it could not be sent
)

// Lifecycle is how the old admins write down where an attempt stands: to them each
// try is a row of its own.
type Lifecycle struct {
	// Trigger is 0 before an executor has answered, 200 when it took the attempt,
	// 500 when it did not.
	Trigger int
	// Handle is 0 before the end, 200 for a success, 502 when the time was up and
	// 500 for any other end; it stays 0 for what no executor took.
	Handle int
	// Alarm is 0 for what is no failure, or has not been looked at, -1 while a message is
	// on its way, 1 when there is nothing to send, 2 when it was sent or has no recipient,
	// 3 when it could not be sent.
	Alarm int
}

// Telling is the state of the messages about the end of a run.
type Telling struct {
	// Looked: it was decided whether the end is worth an alert.
	Looked bool
	// Again: another try followed, so there is nothing to send yet.
	Again bool
	// Messages are those about it, none when it has no recipient.
	Messages []alarm.Delivery
}

// LifecycleOf returns the codes of an attempt.
func LifecycleOf(a job.Attempt, t Telling) Lifecycle {
	var l Lifecycle
	taken := !a.AcceptedAt.IsZero()
	switch a.State {
	case job.Succeeded:
		l.Trigger, l.Handle = codeSuccess, codeSuccess
	case job.TimedOut:
		l.Trigger, l.Handle = codeSuccess, codeTimeout
	case job.Failed, job.Lost, job.Cancelled, job.Skipped:
		if !taken {
			l.Trigger = codeFailure
			break
		}
		l.Trigger, l.Handle = codeSuccess, codeFailure
	case job.Running, job.Stopping:
		l.Trigger = codeSuccess
	default:
		if taken {
			l.Trigger = codeSuccess
		}
	}
	if l.Failed() {
		l.Alarm = t.alarmCode()
	}
	return l
}

// Failed reports whether the old admins count it as a failure.
func (l Lifecycle) Failed() bool {
	running := (l.Trigger == codeNone || l.Trigger == codeSuccess) && l.Handle == codeNone
	return !running && l.Handle != codeSuccess
}

// alarmCode is the code of the column of alarms for a failure.
func (t Telling) alarmCode() int {
	switch {
	case t.Again:
		return alarmNone
	case !t.Looked:
		return alarmUnseen
	case len(t.Messages) == 0:
		return alarmSent
	case slices.Contains(t.Messages, alarm.GivenUp):
		return alarmUnsent
	case slices.Contains(t.Messages, alarm.Pending):
		return alarmLocked
	default:
		return alarmSent
	}
}

// ParseCleaning returns what the old admins remove by a type of cleaning at an
// instant, and false for a type that they do not have.
func ParseCleaning(kind int, now time.Time) (job.Cleaning, bool) {
	switch kind {
	case 1:
		return job.Cleaning{Before: now.AddDate(0, -1, 0)}, true
	case 2:
		return job.Cleaning{Before: now.AddDate(0, -3, 0)}, true
	case 3:
		return job.Cleaning{Before: now.AddDate(0, -6, 0)}, true
	case 4:
		return job.Cleaning{Before: now.AddDate(-1, 0, 0)}, true
	case 5:
		return job.Cleaning{Keep: 1_000}, true
	case 6:
		return job.Cleaning{Keep: 10_000}, true
	case 7:
		return job.Cleaning{Keep: 30_000}, true
	case 8:
		return job.Cleaning{Keep: 100_000}, true
	case 9:
		return job.Cleaning{}, true
	default:
		return job.Cleaning{}, false
	}
}
