package keeping

import (
	"sync"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// lingerFor is how long a log that is not kept stays in memory after the last one
// who looked at it has left.
const lingerFor = 30 * time.Second

// Live returns what is in memory of a log; false when nothing is.
func (k *Keeper) Live(attempt int64) (logbook.Live, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.held[attempt]
	if h == nil {
		return logbook.Live{}, false
	}
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	return logbook.Live{First: h.first, Text: h.text.String(), Over: h.complete, Changed: h.changed}, true
}

// Watch has the log of an attempt copied fast until release is called, into memory
// alone when it is not kept. Of an attempt that is over nothing is begun.
func (k *Keeper) Watch(a job.Attempt, group int64) (release func()) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.held[a.ID]
	if h == nil {
		if a.State.Final() || a.Address == "" || len(k.held) >= k.config.Attempts {
			return func() {}
		}
		h = &held{attempt: a, group: group, place: -1, first: 1, began: now, state: logbook.Open, wait: quickLook}
		h.attempt.Message, h.attempt.Evidence = "", nil
		k.held[a.ID] = h
		k.catchUp(h, now)
	}
	h.watchers++
	at := now
	if k.config.Pushes(h.attempt.Address) && h.keep {
		at = latest(h.heard, h.began).Add(pushSilence)
	}
	k.schedule(h, at)
	var once sync.Once
	return func() { once.Do(func() { k.release(h) }) }
}

// release notes that one of those who look has left.
func (k *Keeper) release(h *held) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h.watchers--
	h.watchedAt = time.Now()
	if h.watchers == 0 && h.complete && !h.keep && !h.gone {
		k.forget(h)
	}
}

// unwatched forgets logs that are neither kept nor watched.
func (k *Keeper) unwatched(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.held {
		if !h.keep && h.watchers == 0 && !h.asking && now.Sub(h.watchedAt) >= lingerFor {
			k.forget(h)
		}
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
