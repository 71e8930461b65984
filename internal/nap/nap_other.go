//go:build !linux

package nap

import "time"

func newAlarm() Alarm { return nil }

// For sleeps for at most a few milliseconds, to the precision of package time:
// a millisecond or two, and on Windows up to fifteen.
func For(d time.Duration) { <-time.After(d) }
