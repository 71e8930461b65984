package keeping

import (
	"strings"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// held is a log that is copied, as it is in memory. Keeper.mu guards it.
type held struct {
	attempt job.Attempt
	group   int64
	policy  job.LogPolicy
	// keep: its text is stored. Otherwise a reader watches it, and only its newest lines
	// are here.
	keep  bool
	limit int64 // bytes of text that are kept
	began time.Time

	stored      int   // lines that are stored
	storedBytes int64 // their text
	// text is what is not stored: whole lines, each ending in \n. It only grows
	// at its end, or is replaced, so that a view of it stays true.
	text   strings.Builder
	first  int       // number of the first line of text
	lines  int       // how many it has
	since  time.Time // when the first of them came
	latest time.Time // when the last one came

	ended   bool // the attempt is over
	endedAt time.Time
	// pushedAll: the executor has pushed its last line, pushedTo.
	pushedAll bool
	pushedTo  int
	// complete: no line follows; state and note are the reason.
	complete bool
	state    logbook.State
	note     string
	// postponed is when the log is due again, for any keeper that finds it: this keeper
	// releases it.
	postponed time.Time

	checked   time.Time // when its row was last looked at for an end
	watchers  int
	watchedAt time.Time // when it was last let go by one
	heard     time.Time // when the executor last brought something, or had nothing
	wait      time.Duration
	gap       bool      // lines are missing before some that were brought
	asked     time.Time // when it was last asked for
	askedOver bool      // the attempt was over then
	refusals  int       // answers in a row that were no answer

	due     time.Time // in the agenda, while place is not negative
	place   int
	queued  bool // it waits for another question to its executor
	asking  bool
	packing bool
	gone    bool
	changed chan struct{} // closed at a change; nil while no reader waits
}

// next is the number of the line that is not there yet.
func (h *held) next() int { return h.first + h.lines }

// changes wakes the readers that wait.
func (h *held) changes() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// window is how much text is held of a log that is not kept: when it has more than
// the first number of bytes, the second is left.
const (
	windowMost  = 1 << 20
	windowAfter = 256 << 10
)

// append adds lines behind those that are there; text is cleaned and masked. It returns by
// how much the memory grew. When the log reaches its limit, a line reports that, and full
// is true.
func (h *held) append(text string, now time.Time) (grown int, full bool) {
	before := h.text.Len()
	if h.keep {
		room := h.limit - h.storedBytes - int64(before)
		if int64(len(text)) > room {
			text, full = cutLines(text, room), true
			text += cutLine(h.storedBytes + int64(before) + int64(len(text)))
		}
	}
	if h.lines == 0 {
		h.since = now
	}
	h.latest = now
	h.text.WriteString(text)
	h.lines += strings.Count(text, "\n")
	if !h.keep && h.text.Len() > windowMost {
		rest := h.text.String()
		rest = rest[len(rest)-windowAfter:]
		rest = rest[strings.IndexByte(rest, '\n')+1:]
		last := h.next()
		h.text = strings.Builder{}
		h.text.WriteString(rest)
		h.lines = strings.Count(rest, "\n")
		h.first = last - h.lines
	}
	h.changes()
	return h.text.Len() - before, full
}

// forgetText lets go of all text; the next line is the one with the number.
func (h *held) forgetText(next int) {
	h.text = strings.Builder{}
	h.first, h.lines = next, 0
}

// settle lets go of the first lines, which are stored now. It returns by how much the
// memory shrank.
func (h *held) settle(lines, bytes int) int {
	rest := h.text.String()[bytes:]
	h.text = strings.Builder{}
	h.text.WriteString(rest)
	h.first += lines
	h.lines -= lines
	h.since = h.latest
	h.stored = h.first - 1
	h.storedBytes += int64(bytes)
	return bytes
}

// log is the row of the log with so many lines.
func (h *held) log(lines int, bytes int64) logbook.Log {
	a := &h.attempt
	l := logbook.Log{
		Attempt: a.ID, Run: a.RunID, Job: a.JobID, Group: h.group, Address: a.Address, TriggeredAt: a.TriggeredAt,
		State: h.state, Lines: lines, Bytes: bytes, Note: h.note,
	}
	if h.ended {
		l.EndedAt = h.endedAt
	}
	return l
}
