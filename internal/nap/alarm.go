package nap

import "time"

// Alarm wakes one goroutine at instants. Another goroutine may set it.
type Alarm interface {
	// Set makes the next Wait, or the current one, end at the instant; at once when that
	// has passed. It replaces an earlier Set.
	Set(at time.Time)
	// Wait returns at the instant that was set, and now and then for no reason: the caller
	// checks the time. It is for one goroutine at a time.
	Wait()
	// Close frees it. No goroutine may wait for it any more.
	Close()
}

// NewAlarm returns an Alarm by the kernel's clock where there is one, and by package time
// elsewhere.
func NewAlarm() Alarm {
	if a := newAlarm(); a != nil {
		return a
	}
	return Plain()
}

// Plain returns an Alarm by package time, also in bubbles of testing/synctest.
func Plain() Alarm {
	timer := time.NewTimer(0)
	timer.Stop()
	return plain{timer}
}

type plain struct{ timer *time.Timer }

func (p plain) Set(at time.Time) { p.timer.Reset(max(time.Until(at), 0)) }
func (p plain) Wait()            { <-p.timer.C }
func (p plain) Close()           { p.timer.Stop() }
