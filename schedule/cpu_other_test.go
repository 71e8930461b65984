//go:build !linux

package schedule

import "time"

// cost returns how long f takes.
func cost(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
