//go:build !linux

package main

import (
	"os"
	"time"
)

// metronome is a timer for instants at a fixed distance.
type metronome struct {
	next time.Time
	gap  time.Duration
}

// newMetronome returns a timer whose first instant is `from`.
func newMetronome(from time.Time, gap time.Duration) (*metronome, error) {
	return &metronome{from, gap}, nil
}

// wait returns how many instants have passed since the last call, at least one.
func (m *metronome) wait() (int, error) {
	time.Sleep(time.Until(m.next))
	m.next = m.next.Add(m.gap)
	return 1, nil
}

// syncData makes what was written durable.
func syncData(f *os.File) error { return f.Sync() }
