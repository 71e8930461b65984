package planner

import (
	"math/bits"
	"time"
)

// pacer spreads the starts of catch-up runs, so that the end of an outage does not start
// them all at once. Time is divided into slots, as many a second as runs may start, and
// each slot is assigned once.
//
// A job takes its first start from any free slot, its next few from three slots of four,
// and all others from every second slot only. So a job with a few missed firings finds
// slots between those of a job with thousands. Only the loop uses it.
type pacer struct {
	rate int64 // slots a second
	// taken has a bit for each slot from base on, which is a multiple of 64.
	taken []uint64
	base  int64
}

// Limits of the pacer.
const (
	maxRate = 100_000 // starts a second
	// maxPaced bounds the remembered slots, in words of 64: a day at a hundred starts a
	// second. Starts beyond them take no slot.
	maxPaced = 24 * 60 * 60 * 100 / 64
	// few is how many starts of a job have priority over its bulk.
	few = 10
)

// Lanes are the slots of a word that a start may take.
const (
	laneFirst uint64 = 0xFFFF_FFFF_FFFF_FFFF
	laneFew   uint64 = 0xEEEE_EEEE_EEEE_EEEE
	laneBulk  uint64 = 0xAAAA_AAAA_AAAA_AAAA
)

// noSlot is the slot of a start that took none.
const noSlot = -1

// forget drops the slots that have passed. It must run before place.
func (p *pacer) forget(now time.Time) {
	word := p.slotOf(now) / 64
	passed := min(max(word-p.base/64, 0), int64(len(p.taken)))
	p.taken = p.taken[:copy(p.taken, p.taken[passed:])]
	p.base = max(word*64, p.base)
}

// slotOf is the number of the first slot that does not begin before an instant.
func (p *pacer) slotOf(t time.Time) int64 {
	return (t.UnixMilli()*p.rate + 999) / 1000
}

// place takes the first free slot at or after an instant for the nth start of a
// job, the first being 0. It returns when the slot begins.
func (p *pacer) place(earliest time.Time, nth int) (time.Time, int64) {
	lane := laneBulk
	switch {
	case nth == 0:
		lane = laneFirst
	case nth < few:
		lane = laneFew
	}
	from := max(p.slotOf(earliest)-p.base, 0)
	open := lane & (^uint64(0) << (from % 64))
	for word := from / 64; word < maxPaced; word++ {
		for int64(len(p.taken)) <= word {
			p.taken = append(p.taken, 0)
		}
		if free := open &^ p.taken[word]; free != 0 {
			bit := bits.TrailingZeros64(free)
			p.taken[word] |= 1 << bit
			slot := p.base + word*64 + int64(bit)
			return time.UnixMilli(slot * 1000 / p.rate).UTC(), slot
		}
		open = lane
	}
	return earliest, noSlot
}

// release frees slots of starts that will not happen.
func (p *pacer) release(slots []int64) {
	for _, slot := range slots {
		if at := slot - p.base; at >= 0 && at/64 < int64(len(p.taken)) {
			p.taken[at/64] &^= 1 << (at % 64)
		}
	}
}
