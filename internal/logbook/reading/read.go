package reading

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// Memory is the half that writes, as the one that reads sees it.
type Memory interface {
	// Live returns what is held of a log and not stored; false when nothing is.
	Live(attempt int64) (logbook.Live, bool)
	// Watch has the log copied fast until release is called.
	Watch(a job.Attempt, group int64) (release func())
	// Text returns the lines of a stored chunk.
	Text(ctx context.Context, c logbook.Chunk) (string, error)
}

// ReaderConfig sets what a reader works with.
type ReaderConfig struct {
	Index  logbook.Index
	Memory Memory
	// Origin is asked for lines that are neither stored nor in memory.
	Origin logbook.Origin
	// Mask hides secrets in whole lines that come straight from an executor.
	// Defaults to none: lines are as they are.
	Mask func(string) string
	// Zone is the one of times in lines that name none. Defaults to [time.Local].
	Zone *time.Location
}

// Reader reads logs wherever their lines are: stored, in memory, or only where they
// were written. Any number of callers may read at the same time, also one log while
// it grows: executors are asked once for all of them.
type Reader struct{ config ReaderConfig }

// NewReader returns a reader. It has no loop of its own.
func NewReader(c ReaderConfig) *Reader {
	if c.Mask == nil {
		c.Mask = func(text string) string { return text }
	}
	if c.Zone == nil {
		c.Zone = time.Local
	}
	return &Reader{config: c}
}

// view is what is known of a log at a moment.
type view struct {
	attempt job.Attempt
	live    logbook.Live
	held    bool // there is a live
	log     logbook.Log
	known   bool // there is a row
	// kept: the executor is not to be asked.
	kept bool
}

// look returns what is known of the attempt's log. Memory comes first: lines that
// are stored in between are seen twice, not never.
func (r *Reader) look(ctx context.Context, a job.Attempt) (view, error) {
	v := view{attempt: a}
	v.live, v.held = r.config.Memory.Live(a.ID)
	logs, err := r.config.Index.Logs(ctx, []int64{a.ID})
	if err != nil {
		return v, fmt.Errorf("find the log of attempt %d: %w", a.ID, err)
	}
	if len(logs) > 0 {
		v.log, v.known = logs[0], true
	}
	if v.log.Text != "" { // what is in memory is some of it
		v.live, v.held = logbook.Live{}, false
	}
	return v, nil
}

// settled reports whether no line will follow those that are known.
func (v *view) settled() bool {
	return v.held && v.live.Over || v.known && v.log.State != logbook.Open
}

// last is the number of the last line that is known; 0 when there is none.
func (v *view) last() int {
	last := v.log.Lines
	if v.held && v.live.Text != "" {
		last = max(last, v.live.Last())
	}
	return last
}

// askable reports whether the executor may know lines behind those that are known.
// While it is followed, its lines come by themselves.
func (v *view) askable() bool {
	return !v.kept && !v.settled() && (!v.held || v.attempt.State.Final())
}
