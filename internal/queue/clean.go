package queue

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/orthd/orth/internal/queue/journal"
)

// Cleaning. The oldest segment, and only that, is cleaned: what is needed of it is
// written again, as of now, behind everything else; then its file is removed. That
// is safe because a later record about an item always stands behind an earlier one:
// whatever goes when the oldest segment goes is older than all that stays, so no
// end of an item is ever removed before the record that it ends. A record that
// refers to an item whose whole record is gone finds nothing, and the whole record
// as it was written again follows further on.
const (
	// slack is how many segments there may be beyond twice what is needed.
	slack = 3
	// rememberedBytes is what a remembered key takes in the journal, about.
	rememberedBytes = 12
	// cleanBytes is how much a frame writes again at least, when there is
	// something to clean; twice what its functions write is more at times.
	cleanBytes = 64 << 10
	// ageBytes is how many bytes that are needed make Age a minute longer: a long
	// backlog is not written again and again.
	ageBytes = 8 << 20
	// cleanPage is how many keys are written in one operation.
	cleanPage = 1024
)

// openHoldings has a holding for each segment, and notes where loose operations were written
// again. s.gate is held.
func (s *Store) openHoldings() {
	for _, segment := range s.journal.Segments()[len(s.holdings):] {
		s.holdings = append(s.holdings, &holding{segment: segment})
	}
	if segment, at, moved := s.journal.Moved(); moved {
		s.settle(segment, at, &s.loose)
		s.loose.reset()
	}
}

// wantsCleaning reports whether the oldest segment is to be cleaned: the files are
// too large, or bodies that are not needed have been there for too long.
func (s *Store) wantsCleaning() bool {
	if len(s.holdings) < 2 {
		return false
	}
	return s.holdings[0].segment.Number() <= s.cleanTo || s.journal.Bytes() > 2*s.needed()+slack*s.config.Segment
}

// needed is how many bytes of the files are needed, about. s.gate and s.names are
// held.
func (s *Store) needed() int64 {
	n := s.live
	for _, st := range s.queues {
		n += int64(st.remembered.len()) * rememberedBytes
	}
	return n
}

// clean adds what is needed of the oldest segment to the frame, up to a bound, and reports
// whether the frame must be durable for that. s.gate is held.
func (s *Store) clean() bool {
	s.names.Lock()
	defer s.names.Unlock()
	s.cleaned, s.cleaning = nil, false
	if !s.wantsCleaning() {
		return false
	}
	before, suspects := s.frame.batch.Len(), len(s.suspects)
	s.rewrite(s.holdings[0], before+max(cleanBytes, 2*before))
	s.cleaning = s.frame.batch.Len() > before || len(s.suspects) > suspects
	return true
}

// rewrite writes again what is needed of a segment, until the frame has so many
// bytes.
func (s *Store) rewrite(h *holding, until int) {
	for r := h.rows; r != nil; r = r.next {
		if s.frame.batch.Len() > until {
			return
		}
		body, err := r.readBody()
		switch {
		case err == nil:
			s.writePut(r, body)
		case errors.Is(err, journal.ErrDamaged):
			s.suspects = append(s.suspects, r) // set aside with the next frame
			return
		default:
			s.config.Logger.Error("queue_cleaning_failed", "error", err)
			return
		}
	}
	for i := range h.spans {
		if !s.cleanSpan(&h.spans[i], until) {
			return
		}
	}
	for name := range s.meta {
		s.writeMeta(name)
	}
	for _, st := range s.queues {
		s.writeCounts(st)
	}
	s.writeStore()
	s.cleaned = h
}

// cleanSpan writes remembered keys again and reports whether that was all of them.
func (s *Store) cleanSpan(sp *keyRange, until int) bool {
	known := &sp.state.remembered
	for from := max(sp.from, known.first); from < sp.to; {
		if s.frame.batch.Len() > until {
			return false
		}
		to := min(sp.to, from+cleanPage)
		b := binary.AppendUvarint(appendHead(s.frame.batch.Begin(), opRemember, sp.state.name), from)
		for n := from; n < to; n++ {
			e := known.endingAt(n)
			b = binary.AppendVarint(binary.AppendVarint(b, e.key), e.at)
		}
		s.frame.batch.End(b)
		s.frame.spans = append(s.frame.spans, keyRange{sp.state, from, to})
		s.frame.moved = append(s.frame.moved, moved{sp, to})
		from = to
	}
	return true
}

// removeCleaned removes the segment of which nothing is needed any more.
func (s *Store) removeCleaned() {
	s.gate <- struct{}{}
	defer func() { <-s.gate }()
	h := s.cleaned
	s.cleaned = nil
	if s.closed || len(s.holdings) < 2 || h != s.holdings[0] || h.rows != nil {
		return
	}
	if err := s.journal.RemoveOldest(); err != nil {
		s.config.Logger.Error("queue_cleaning_failed", "error", err)
		s.cleanTo = 0 // the next tick tries again
		return
	}
	s.holdings = s.holdings[1:]
	if s.holdings[0].segment.Number() > s.cleanTo {
		s.cleanTo = 0
	}
}

// armTimer has the timer fire when something must be done without a request.
func (s *Store) armTimer() {
	wait := time.Duration(0)
	switch {
	case s.journal.Loose() > 0:
		wait = max(time.Millisecond, time.Until(s.looseAt.Add(soonAfter)))
	case s.cleanTo > 0:
		wait = time.Millisecond
	case s.armed > 0:
		return // for that, or for less
	default:
		for _, h := range s.holdings {
			if !h.dirty.IsZero() {
				wait = s.config.Age/4 + time.Millisecond
			}
		}
	}
	if wait > 0 && (s.armed == 0 || wait < s.armed && s.armed > soonAfter) {
		s.timer.Reset(wait)
		s.armed = wait
	}
}

// forceAndClean forces what UpdateSoon wrote long enough ago, and cleans segments that have had bodies
// that are not needed for too long.
func (s *Store) forceAndClean() {
	if s.journal.Loose() > 0 && time.Since(s.looseAt) >= soonAfter {
		s.commit(nil, true)
	}
	if !s.chooseSegment() {
		return
	}
	for !s.waits() && s.cleanTo > 0 {
		failures := s.failures
		if s.commit(nil, true); s.failures > failures || !s.cleaning {
			s.cleanTo = 0 // the next tick tries again
		}
	}
}

// chooseSegment decides up to which segment must be cleaned, and reports whether there is
// one.
func (s *Store) chooseSegment() bool {
	s.gate <- struct{}{}
	defer func() { <-s.gate }()
	s.names.Lock()
	age := s.config.Age + time.Duration(s.needed()/ageBytes)*time.Minute
	s.names.Unlock()
	now := time.Now()
	for _, h := range s.holdings {
		if !h.dirty.IsZero() && now.Sub(h.dirty) >= age {
			s.cleanTo = h.segment.Number()
		}
	}
	if s.cleanTo == 0 || s.closed {
		return false
	}
	if s.cleanTo == s.journal.Head().Number() {
		if err := s.journal.Turn(); err != nil {
			s.config.Logger.Error("queue_cleaning_failed", "error", err)
			s.cleanTo = 0
		}
		s.openHoldings()
	}
	return s.cleanTo > 0
}

// setAside removes items whose bodies were found damaged. s.gate is held.
func (s *Store) setAside() {
	set := 0
	for _, r := range s.suspects {
		if r.gone || !r.filed {
			continue
		}
		tx := &Tx{store: s, writable: true}
		s.journal.Quarantine(r.state.name, "the body of an item cannot be read", nil)
		tx.remove(r)
		set++
	}
	s.suspects = nil
	if set > 0 {
		s.damaged += uint64(set)
		s.writeStore()
		s.config.Hooks.Damaged(set)
	}
}

// renew writes everything again, after damage, so that no later start meets it. A
// failure leaves what is there: the next start meets the damage again.
func (s *Store) renew() {
	s.cleanTo = s.holdings[len(s.holdings)-1].segment.Number() - 1
	for s.cleanTo > 0 && len(s.holdings) > 1 {
		if _, _, err := s.apply(nil, time.Now(), true); err != nil {
			s.config.Logger.Error("queue_cleaning_failed", "error", err)
			break
		}
		switch {
		case s.cleaned != nil:
			s.removeCleaned()
		case !s.cleaning:
			s.cleanTo = 0
		}
	}
	s.cleanTo = 0
}
