//go:build !linux

package dispatcher

import "time"

// nap sleeps for at most a few milliseconds, to the precision of package time:
// a millisecond or two, and on Windows up to fifteen.
func nap(d time.Duration) { <-time.After(d) }
