package service

import (
	"math"
	"time"

	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/thread"
)

// move is what is done with an execution that failed.
type move uint8

const (
	moveRetry move = iota // wait for the local clock
	moveClock             // wait for the chain's clock
	moveWatch             // wait for a change on the chain
	moveLook              // read the thread for sure: it may have been executed
	moveStop              // send nothing for anybody: the executor cannot pay
	moveBury              // give it up
)

// rules are what decisions depend on, besides the failure.
type rules struct {
	retry ledger.Retry
	// programRetries and programDelay are for what the fiber calls: few and slow.
	programRetries int
	programDelay   time.Duration
	again          time.Duration // Config.Again
}

// Defaults of rules.
const (
	programRetries = 2
	programDelay   = 30 * time.Second
	shortest       = 75 * time.Millisecond // between two looks at what should be ready
	longestNag     = 5 * time.Second
	mostNags       = 5                      // until a change is waited for
	rebuildDelay   = 400 * time.Millisecond // a slot
	mostRebuilds   = 10                     // without a try
)

// setback is an execution that failed, with what is known of it.
type setback struct {
	verdict failure.Verdict
	due     thread.Due // of a build that was not ready
	after   time.Duration
	tries   int // that were used up before
	units   uint32
	nags    int
	refused int // how often it was refused for good, this time included
	// landed: it failed on the chain, where no log gives the reason.
	landed bool
	// window is when the thread would be due once more, skippable whether this time may then be left out, and clock the chain's.
	window    int64
	skippable bool
	clock     thread.Clock
	random    float64 // in [0,1)
}

// decision is what follows from a setback.
type decision struct {
	move  move
	delay time.Duration // moveRetry, and the longest wait of the others
	chain thread.Due    // moveClock
	try   bool          // one is used up
	units uint32        // to begin with; 0: as before
	words string        // why it is given up
}

// decide returns what follows, by the class of the failure.
func decide(r rules, s setback) decision {
	switch s.verdict.Class {
	case failure.NotReady:
		return r.notReady(s)
	case failure.Paused:
		if s.nags < mostNags { // it was due before: this node lags, or the pause is new
			return decision{move: moveRetry, delay: recheckDelay(s.nags)}
		}
		return decision{move: moveWatch, delay: r.again}
	case failure.Superseded:
		return decision{move: moveLook}
	case failure.Dry:
		return decision{move: moveStop}
	case failure.Expired, failure.Known: // it was proved that it cannot land
		return decision{move: moveRetry}
	case failure.Resource:
		if s.units >= build.MostUnits {
			return decision{move: moveBury, words: "it needs more than the compute units of a transaction"}
		}
		return decision{move: moveRetry, units: raised(s.units)}
	case failure.Permanent:
		if s.refused == 1 { // our own signature may have been at fault, or the one node that was asked
			return decision{move: moveRetry, delay: rebuildDelay}
		}
		return decision{move: moveBury}
	case failure.Program:
		if s.tries >= min(r.programRetries, r.retry.MaxRetries) {
			return decision{move: moveBury, words: "Max retries exceeded"}
		}
		slow := time.Duration(math.Ldexp(float64(r.programDelay), min(s.tries, 20)))
		return r.spaced(s, max(r.retry.Delay(s.tries, s.random), min(slow, r.retry.Max)))
	case failure.Transient, failure.Unclear:
	}
	if s.tries >= r.retry.MaxRetries {
		return decision{move: moveBury, words: "Max retries exceeded"}
	}
	d := r.spaced(s, max(r.retry.Delay(s.tries, s.random), s.after))
	if s.verdict.Class == failure.Unclear && s.landed {
		d.units = raised(s.units) // it may be that they were used up
	}
	return d
}

// raised is half as many compute units more, as far as there are.
func raised(units uint32) uint32 {
	return uint32(min(uint64(units)*3/2, build.MostUnits))
}

// notReady waits for the chain's clock. Where that has got there already, nodes are not equally far: it is looked at again soon.
func (r rules) notReady(s setback) decision {
	if s.due.Unit == thread.Change && s.nags >= mostNags {
		return decision{move: moveWatch, delay: r.again}
	}
	if _, reached := s.due.Since(s.clock); !reached && s.due.Unit != thread.Change {
		return decision{move: moveClock, chain: s.due, delay: r.again}
	}
	return decision{move: moveRetry, delay: recheckDelay(s.nags)}
}

// recheckDelay is how long is waited before another look at what should be ready, twice as long each time.
func recheckDelay(before int) time.Duration {
	return min(time.Duration(math.Ldexp(float64(shortest), min(before, 10))), longestNag)
}

// spaced is a try after a delay that makes sense for a thread that will be due once more: of one whose firings may be left out
// none goes beyond that, and of others at most a quarter of what is left is waited.
func (r rules) spaced(s setback, delay time.Duration) decision {
	d := decision{move: moveRetry, delay: delay, try: true}
	if s.window == 0 || s.clock.Unix == 0 {
		return d
	}
	left := time.Duration(min(s.window-s.clock.Unix, math.MaxInt32)) * time.Second
	switch {
	case left <= 0:
	case s.skippable && delay >= left:
		d.move, d.chain, d.delay = moveClock, thread.Due{Unit: thread.Seconds, At: s.window}, max(r.again, left)
	case !s.skippable:
		d.delay = min(delay, max(time.Second, left/4))
	}
	return d
}

// windowOf is when a thread that is due at a time would be due once more if it were executed in time; 0: never.
func windowOf(t *thread.Thread, due thread.Due) int64 {
	if t == nil || due.Unit != thread.Seconds {
		return 0
	}
	switch t.Trigger.Kind {
	case thread.OnInterval:
		if t.Trigger.Every > 0 && due.At <= math.MaxInt64-t.Trigger.Every {
			return due.At + t.Trigger.Every
		}
	case thread.OnCron:
		cron, err := thread.ParseCron(t.Trigger.Cron)
		if err != nil {
			return 0
		}
		if next, found := cron.After(time.Unix(due.At, 0)); found {
			return next.Unix()
		}
	case thread.OnAccount, thread.Immediate, thread.OnTimestamp, thread.OnSlot, thread.OnEpoch:
	}
	return 0
}
