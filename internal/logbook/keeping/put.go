package keeping

import (
	"strings"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// Put takes lines that the executor at an address brings, from the caller that
// speaks for it. wanted is false when no more of the attempt is to come: it is not
// copied, or is not the caller's, or runs elsewhere, or has all its lines.
func (k *Keeper) Put(caller job.Caller, address string, attempt int64, page job.LogPage) (wanted bool) {
	page.Text = k.clean(page.Text)
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.held[attempt]
	if h == nil {
		return k.early.put(attempt, brought{caller, address, page}, now)
	}
	return k.put(h, caller, address, page, now)
}

// clean returns text as it is held and stored. It is called without mu: it takes its
// time.
func (k *Keeper) clean(text string) string {
	if text == "" {
		return ""
	}
	return masked(wholeLines(text), k.config.Mask)
}

// put takes the lines of a clean page that are new. mu is held.
func (k *Keeper) put(h *held, caller job.Caller, address string, page job.LogPage, now time.Time) bool {
	if h.attempt.Address != address || !caller.Owns(h.group) || caller.Admitted(h.group) != nil || h.complete {
		return false
	}
	h.heard = now
	first := max(page.From, 1)
	last := first + strings.Count(page.Text, "\n") - 1
	if page.End {
		h.pushedAll, h.pushedTo = true, last
	}
	switch {
	case page.Text == "" || last < h.next():
	case first > h.next() && h.keep:
		h.gap = true
		k.schedule(h, now.Add(gapWait)) // what is missing is asked for
	case k.full():
		h.gap = true
		k.schedule(h, now.Add(fullWait))
	default:
		if first > h.next() {
			k.bytes -= int64(h.text.Len())
			h.forgetText(first)
		}
		k.take(h, behind(page.Text, h.next()-first), now)
	}
	if h.ended && !h.complete && h.pushedAll && h.next() > h.pushedTo {
		k.finish(h, logbook.Whole, "")
	}
	return !h.complete && !page.End
}

// take appends clean new lines. mu is held.
func (k *Keeper) take(h *held, text string, now time.Time) {
	if text == "" {
		return
	}
	grown, full := h.append(text, now)
	k.bytes += int64(grown)
	if h.keep {
		k.dirty[h] = true
	}
	if full {
		k.finish(h, logbook.Cut, "the log has more lines than are kept")
	}
}

// full reports whether no more text is taken into memory. mu is held.
func (k *Keeper) full() bool { return k.bytes >= k.config.Memory }
