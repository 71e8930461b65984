//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// interrupted is the outcome of a task that was cut off.
const interrupted = "failed: executor stopped during the run"

// verdict is what the judge allows beyond what always holds.
type verdict struct {
	// outcomes are the beginnings of further outcomes that a task may have.
	outcomes []string
	// dead says that tasks may have been given up, and kept for an operator.
	dead bool
	// redriven are attempts that an operator has driven again.
	redriven []int64
}

// judge compares what was sent, what ran and what was reported. It is called
// when every accepted task has its outcome and the executor has stopped.
func (r *rig) judge(v verdict) {
	r.t.Helper()
	began, ended, order := r.ran()
	known := make(map[int64]bool)
	cut := make(map[int64]int)
	width := make(map[int64]int)
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, q := range r.sent {
		known[id] = true
		if slices.Contains(v.redriven, id) {
			continue
		}
		outcomes := r.admin.of(id)
		switch {
		case q.fate == refused && (began[id] > 0 || len(outcomes) > 0):
			r.t.Errorf("attempt %d of job %d was refused (%s), ran %d times and has the outcomes %q",
				id, q.task.JobID, q.text, began[id], outcomes)
		case q.fate == accepted:
			r.judgeOne(q, outcomes, began[id], ended[id], v)
		}
		if slices.Contains(outcomes, interrupted) {
			cut[q.task.JobID]++
			width[q.task.JobID] = max(q.task.Concurrency, 1)
		}
	}
	for id, n := range cut {
		if n > r.kills*width[id] {
			r.t.Errorf("job %d: %d tasks were interrupted by %d kills, at most %d ran at a time", id, n, r.kills, width[id])
		}
	}
	for _, id := range r.admin.attempts() {
		if !known[id] {
			r.t.Errorf("attempt %d has an outcome and was never sent", id)
		}
	}
	r.judgeOrder(order)
	r.judgeFolder(v)
	r.t.Logf("%d kills, %d tasks sent, %d began", r.kills, len(r.sent), len(began))
}

// judgeOne is about an accepted task.
func (r *rig) judgeOne(q *request, outcomes []string, began, ended int, v verdict) {
	r.t.Helper()
	name := fmt.Sprintf("attempt %d of job %d (%s, on crash %q)", q.task.AttemptID, q.task.JobID, q.task.Overlap, q.task.OnCrash)
	rerun := q.task.OnCrash == job.CrashRerun
	if len(outcomes) != 1 {
		r.t.Errorf("%s was accepted and has %d outcomes: %q", name, len(outcomes), outcomes)
		return
	}
	if began > 1 && !rerun {
		r.t.Errorf("%s ran %d times", name, began)
	}
	if began > 1+r.kills {
		r.t.Errorf("%s ran %d times with %d kills", name, began, r.kills)
	}
	switch outcome := outcomes[0]; {
	case strings.HasPrefix(outcome, "succeeded: "):
		if ended == 0 {
			r.t.Errorf("%s is reported as succeeded and has not run to its end", name)
		}
	case outcome == interrupted && !rerun && r.kills > 0:
	case q.task.Overlap == job.OverlapCover && strings.Contains(outcome, "Cover Early"):
	case slices.ContainsFunc(v.outcomes, func(allowed string) bool { return strings.HasPrefix(outcome, allowed) }):
	default:
		r.t.Errorf("%s has the outcome %q", name, outcome)
	}
}

// ran reads the journal: how often each attempt began and ended, and the lines
// in their order.
func (r *rig) ran() (began, ended map[int64]int, order []line) {
	began, ended = make(map[int64]int), make(map[int64]int)
	for _, text := range lines(mustRead(r.t, r.journal)) {
		var l line
		if _, err := fmt.Sscan(text, &l.what, &l.attempt); err != nil {
			r.t.Errorf("the journal has the line %q", text)
			continue
		}
		if l.what == "S" {
			began[l.attempt]++
		} else {
			ended[l.attempt]++
		}
		order = append(order, l)
	}
	return began, ended, order
}

// line is one line of the journal.
type line struct {
	what    string // S or E
	attempt int64
}

// judgeOrder checks that the tasks of a serial job begin in the order in which
// they were accepted, and that none begins before the one before has ended.
// Tasks that may run again, or whose first answer was lost, have no place in that
// order. mu is held.
func (r *rig) judgeOrder(order []line) {
	r.t.Helper()
	last, open := make(map[int64]int64), make(map[int64]int64)
	for _, l := range order {
		q := r.sent[l.attempt]
		if q == nil {
			r.t.Errorf("attempt %d ran and was never sent", l.attempt)
			continue
		}
		if q.task.Overlap != job.OverlapSerial || q.task.OnCrash == job.CrashRerun {
			continue
		}
		id := q.task.JobID
		if l.what == "E" {
			delete(open, id)
			continue
		}
		if before, busy := open[id]; busy && slices.Equal(r.admin.of(before), []string{"succeeded: "}) {
			r.t.Errorf("attempt %d of job %d began while attempt %d ran", l.attempt, id, before)
		}
		open[id] = l.attempt
		if !q.sure {
			continue
		}
		if l.attempt < last[id] {
			r.t.Errorf("attempt %d of job %d began after attempt %d, which was sent later", l.attempt, id, last[id])
		}
		last[id] = l.attempt
	}
}

// judgeFolder checks that a stopped executor has nothing left to do, and that
// its files are whole.
func (r *rig) judgeFolder(v verdict) {
	r.t.Helper()
	for _, queue := range []string{"tasks", "outbox"} {
		var items []struct{ Place, Note string }
		decode(r.t, r.queue("list", "--queue", queue, "--limit", "1000", "-o", "json"), &items)
		for _, it := range items {
			if it.Place != "dead" || !v.dead {
				r.t.Errorf("the queue %s still has an item in %s (%s)", queue, it.Place, it.Note)
			}
		}
	}
	for _, pattern := range []string{"*damaged*", "*corrupt*", "*aside*"} {
		if found, err := filepath.Glob(filepath.Join(r.data, pattern)); err != nil || len(found) > 0 {
			r.t.Errorf("the folder has damaged files: %v %v", found, err)
		}
	}
}
