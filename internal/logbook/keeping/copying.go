package keeping

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	// firstLook is how long after it was begun a log is asked for. Each log that is open by
	// then puts that off by openDelay, up to slowLook: many attempts are open where they come
	// faster than their ends are recorded, and most logs come with the end.
	firstLook = 500 * time.Millisecond
	openDelay = time.Millisecond
	// quickLook is the time between two requests while the log is being read, or while much
	// comes; steadyLook while something comes, and slowLook while nothing does.
	quickLook  = 200 * time.Millisecond
	steadyLook = time.Second
	slowLook   = 5 * time.Second
	// muchText is a page after which the next one is asked for quickly.
	muchText = 64 << 10
	// pushGrace is how long the end of a pushed log may take, and pushSilence how long its
	// executor may push nothing while the log is being read.
	pushGrace   = 2 * time.Second
	pushSilence = 10 * time.Second
	// pushTrust is how long it may while there is no reader.
	pushTrust = time.Minute
	// endGrace is how long after the end of an attempt its log is fetched when there is no
	// reader. Executors write the end after they have reported it, and the server has other
	// work first.
	endGrace = 250 * time.Millisecond
	// No executor makes pages so small that fewer lines and less text than these were
	// not all that there is.
	smallLines, smallText = 20, 4 << 10
	// gapWait is how long lines are waited for that are missing before those that
	// were brought, and fullWait how long nothing is asked while memory is full.
	gapWait  = 300 * time.Millisecond
	fullWait = 500 * time.Millisecond
	// maxPages bounds what is asked of one log before others have their turn.
	maxPages = 16
	// askFor bounds a question.
	askFor = 10 * time.Second
)

// copying asks executors for lines until ctx ends.
func (k *Keeper) copying(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		now := time.Now()
		ready, wait := k.ready(now)
		for _, h := range ready {
			asking.Go(func() {
				k.ask(ctx, h)
				k.turn(h)
			})
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-timer.C:
		}
	}
}

// ready takes the logs off the agenda whose time to be asked for has come, as many as may be, and
// returns how long there is nothing to do.
func (k *Keeper) ready(now time.Time) (ready []*held, wait time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.due) > 0 && k.asks < k.config.Asks {
		h := k.due[0]
		if h.due.After(now) {
			return ready, h.due.Sub(now)
		}
		if k.full() {
			return ready, fullWait
		}
		heap.Pop(&k.due)
		address := h.attempt.Address
		if until, is := k.absent(address, now); is && !h.ended {
			k.schedule(h, until)
			continue
		} else if is {
			k.postpone(h, now, "its executor cannot be reached")
			continue
		}
		if !h.ended && !h.gap && now.Sub(h.heard) < pushSilence {
			k.schedule(h, now.Add(k.pace(h))) // it has brought something since
			continue
		}
		if k.asked[address] >= k.config.AsksEach {
			h.queued = true
			k.queue[address] = append(k.queue[address], h)
			continue
		}
		k.asked[address]++
		k.asks++
		h.asking, h.gap, h.due = true, false, time.Time{}
		ready = append(ready, h)
	}
	return ready, time.Hour
}

// pace is how long after a question the next one comes. What an executor brings
// needs none, unless it brings nothing. mu is held.
func (k *Keeper) pace(h *held) time.Duration {
	switch {
	case !h.keep || !k.config.Pushes(h.attempt.Address): // a log that is not kept is not brought
		return h.wait
	case h.watchers > 0:
		return pushSilence
	}
	return pushTrust
}

// firstWait is how long after it was begun a log is asked for. mu is held.
func (k *Keeper) firstWait() time.Duration {
	return min(firstLook+time.Duration(len(k.held))*openDelay, slowLook)
}

// turn notes that a question is over; another log of the executor has its turn.
func (k *Keeper) turn(h *held) {
	k.mu.Lock()
	defer k.mu.Unlock()
	address := h.attempt.Address
	k.asks--
	if k.asked[address]--; k.asked[address] <= 0 {
		delete(k.asked, address)
	}
	h.asking = false
	if !h.gone && !h.complete && !h.due.IsZero() {
		k.schedule(h, h.due)
	}
	for waiting := k.queue[address]; len(waiting) > 0; {
		next := waiting[0]
		waiting[0] = nil
		waiting = waiting[1:]
		if k.queue[address] = waiting; len(waiting) == 0 {
			delete(k.queue, address)
		}
		if next.queued = false; !next.gone && !next.complete {
			k.schedule(next, time.Now())
			break
		}
	}
	poke(k.wake)
}

// ask asks for the lines of a log that are not there, and of one whose attempt is
// over until there are no more.
func (k *Keeper) ask(ctx context.Context, h *held) {
	for range maxPages {
		k.mu.Lock()
		from, over := h.next(), h.gone || h.complete
		h.asked, h.askedOver = time.Now(), h.ended
		a := h.attempt // a log that was only watched may be kept by now
		if k.full() {
			k.schedule(h, time.Now().Add(fullWait))
			over = true
		}
		k.mu.Unlock()
		if over {
			return
		}
		limited, cancel := context.WithTimeout(ctx, askFor)
		page, err := k.config.Origin.ReadLog(limited, a.Address, a.ID, a.TriggeredAt, from)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if page.To >= from {
			page.Text = k.clean(page.Text)
		}
		if !k.answered(h, from, page, err) {
			return
		}
	}
	k.mu.Lock()
	k.schedule(h, time.Now())
	k.mu.Unlock()
}

// answered handles an executor's answer, and reports whether to ask on at once.
func (k *Keeper) answered(h *held, from int, page job.LogPage, err error) (on bool) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if h.gone || h.complete {
		return false
	}
	if err != nil {
		k.failed(h, err, now)
		return false
	}
	h.refusals = 0
	delete(k.away, h.attempt.Address)
	if h.next() < from { // it was stored otherwise by another server
		k.schedule(h, now)
		return false
	}
	came := page.To >= from && page.Text != ""
	if came {
		k.take(h, behind(page.Text, h.next()-from), now) // some may have been pushed since
		if h.complete {
			return false
		}
	}
	switch {
	case h.ended && !h.askedOver: // there may be more since
		return true
	case h.ended && page.End:
		k.gone(h, came)
	case h.ended && came && !h.last(&page):
		return true
	case h.ended:
		k.finish(h, logbook.Whole, "")
	default:
		k.later(h, came, len(page.Text), now)
	}
	return false
}

// last reports whether a page is the last one of a log whose attempt is over. mu is
// held.
func (h *held) last(page *job.LogPage) bool {
	return h.asked.Sub(h.endedAt) >= endGrace && page.To-page.From+1 < smallLines && len(page.Text) < smallText
}

// gone finishes a log that the executor has no more of. mu is held.
func (k *Keeper) gone(h *held, came bool) {
	switch {
	case came: // a make that says so with the last page
		k.finish(h, logbook.Whole, "")
	case h.next() == 1:
		k.finish(h, logbook.None, "its executor has no log of this attempt")
	default:
		k.finish(h, logbook.Torn, fmt.Sprintf("its executor does not have the log any more: what follows line %d may be missing", h.next()-1))
	}
}

// later decides when a log is asked for again whose attempt is not over. mu is held.
func (k *Keeper) later(h *held, came bool, size int, now time.Time) {
	switch {
	case h.watchers > 0 || size >= muchText:
		h.wait = quickLook
	case came:
		h.wait = max(h.wait/2, steadyLook)
	default:
		h.wait = min(max(h.wait, quickLook)*2, slowLook)
	}
	k.schedule(h, now.Add(k.pace(h)))
}
