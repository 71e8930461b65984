package observe

import (
	"context"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// Pace of what is asked of nodes.
const (
	pollEvery   = 400 * time.Millisecond // for the clock, a slot
	pollTimeout = 1500 * time.Millisecond
	listSpacing = 2 * time.Second  // between two lists of all threads, when something may have been missed
	listCovered = 30 * time.Second // when another subscription has reported it
	// longestFirst is how long the first list waits for a subscription, before which it would have to be made again.
	longestFirst = time.Second
	readSpacing  = 100 * time.Millisecond
	watchEvery   = 2 * time.Second // how often is looked for threads of which nothing is heard
	longestRest  = 30 * time.Second
	mostAtOnce   = 100 // accounts of a request
)

// reads is what was asked of nodes.
type reads struct {
	lists, failedLists uint64
	listedAt           time.Time
	polls, refreshes   uint64
	failedReads        uint64
	spokenAt           time.Time // when a subscription last reported the clock
	// need is the slot that a list must be of, so that no gap lies between it and the
	// subscriptions' reports. behind is how many lists in a row were of an earlier slot:
	// their node lags. needTick: the next tick sets need.
	need     uint64
	needTick bool
	behind   int
}

// listWithin has all threads listed soon.
func (o *Observer) listWithin(d time.Duration) {
	at := time.Now().Add(d)
	o.mu.Lock()
	if o.listAt.IsZero() || at.Before(o.listAt) {
		o.listAt = at
	}
	o.mu.Unlock()
	wakeReader(o.listing)
}

// missed records that a subscription begins: changes before it may be unknown. One list
// does for several that begin at about the same time, and one that is not alone can wait.
func (o *Observer) missed(covered bool) {
	o.mu.Lock()
	spacing := listSpacing
	if covered {
		spacing = listCovered
	}
	wait := max(0, spacing-time.Since(o.reads.listedAt))
	o.reads.need, o.reads.needTick, o.reads.behind = max(o.reads.need, o.book.clock.tick.Slot), true, 0
	o.mu.Unlock()
	o.listWithin(wait)
}

// listAll lists all threads when it is time to.
func (o *Observer) listAll(ctx context.Context) {
	failures := 0
	for {
		o.mu.Lock()
		wait := time.Until(o.listAt)
		if wait <= 0 {
			o.listAt = time.Time{}
		}
		o.mu.Unlock()
		if wait > 0 {
			pause(ctx, wait, o.listing)
			if ctx.Err() != nil {
				return
			}
			continue
		}
		took, err := o.listThreads(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			failures++
			o.config.Logger.Warn("the threads of the chain cannot be listed", "error", err, "failures", failures)
			pause(ctx, min(time.Second<<min(failures-1, 5), longestRest), nil)
			o.listWithin(0)
			continue
		}
		failures = 0
		next := o.config.Reconcile
		if !o.anyUp() {
			next = min(next, listCovered) // no other source reports changes
		}
		o.listWithin(max(min(next, o.behind()), 4*took))
		pause(ctx, max(0, min(listSpacing, 4*took)), nil)
	}
}

// behind returns when to list again, as the last list's node may lag behind the nodes that
// report changes: soon at first, and then now and then.
func (o *Observer) behind() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch o.reads.behind {
	case 0:
		return o.config.Reconcile
	case 1:
		return listSpacing
	default:
		return listCovered
	}
}

// listThreads lists all threads once.
func (o *Observer) listThreads(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	o.mu.Lock()
	o.reads.lists++
	o.reads.listedAt = began
	o.mu.Unlock()
	prefix := thread.ThreadFilter()
	all, slot, err := o.config.Chain.ProgramAccounts(ctx, rpc.Confirmed, o.config.Profile.Program, prefix[:])
	took := time.Since(began)
	var refused, most uint64
	o.changeBook(func(b *book) {
		if err != nil {
			o.reads.failedLists++
			return
		}
		before := b.counts.refused
		b.applyList(all, slot)
		if r := &o.reads; slot < r.need || r.needTick {
			r.behind++
		} else {
			r.behind = 0
		}
		o.reads.needTick = false // a chain that stands still has no next one
		refused, most = b.counts.refused-before, uint64(b.most)
	})
	if refused > 0 {
		o.config.Logger.Error("there are more threads than may be followed: the rest is not executed", "followed", most, "refused", refused)
	}
	return took, err
}

// readWanted reads threads and watched accounts again that may have changed unseen.
func (o *Observer) readWanted(ctx context.Context) {
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	failures := 0
	for {
		select {
		case now := <-look.C:
			o.changeBook(func(b *book) { b.stalled(now, !o.anyUp()) })
		default:
		}
		o.mu.Lock()
		keys := taken(o.book.wanted)
		s, spans := o.book.spans()
		if len(keys)+len(spans) > 0 {
			o.reads.refreshes++
		}
		o.mu.Unlock()
		if len(keys)+len(spans) == 0 {
			select {
			case <-ctx.Done():
				return
			case now := <-look.C:
				o.changeBook(func(b *book) { b.stalled(now, !o.anyUp()) })
			case <-o.reading:
			}
			if ctx.Err() != nil {
				return
			}
			continue
		}
		err := o.readThreads(ctx, keys)
		if err == nil {
			err = o.readSpans(ctx, s, spans)
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			failures = 0
			pause(ctx, readSpacing, nil)
			continue
		}
		failures++
		o.changeBook(func(b *book) { // what was read already is newer than what is read again
			o.reads.failedReads++
			b.restoreUnread(keys, s, spans)
		})
		o.config.Logger.Warn("accounts cannot be read again", "error", err, "failures", failures)
		pause(ctx, min(time.Second<<min(failures-1, 5), longestRest), nil)
	}
}

// taken takes some keys out of a set.
func taken(set map[thread.Key]struct{}) (keys []thread.Key) {
	for key := range set {
		if len(keys) == mostAtOnce {
			break
		}
		keys = append(keys, key)
		delete(set, key)
	}
	return keys
}

// spans takes some of the accounts that are to be read, all for the same part of them.
func (b *book) spans() (part accountRange, keys []thread.Key) {
	for s := range b.watches.wanted {
		if len(keys) == 0 {
			part = accountRange{offset: s.offset, size: s.size}
		}
		if s.offset != part.offset || s.size != part.size {
			continue
		}
		keys = append(keys, s.key)
		delete(b.watches.wanted, s)
		if len(keys) == mostAtOnce || uint64(len(keys))*s.size >= largestAnswer {
			break
		}
	}
	return part, keys
}

// restoreUnread puts back what could not be read.
func (b *book) restoreUnread(keys []thread.Key, part accountRange, accounts []thread.Key) {
	for _, key := range keys {
		if b.threads[key] != nil {
			b.wanted[key] = struct{}{}
		}
	}
	for _, key := range accounts {
		part.key = key
		if b.watches.all[part] != nil {
			b.watches.wanted[part] = struct{}{}
		}
	}
}

// largestAnswer is how many bytes of accounts are asked for at once.
const largestAnswer = 2 << 20

func (o *Observer) readThreads(ctx context.Context, keys []thread.Key) error {
	if len(keys) == 0 {
		return nil
	}
	accounts, slot, err := o.config.Chain.Accounts(ctx, rpc.Confirmed, keys...)
	if err != nil {
		return err
	}
	o.changeBook(func(b *book) {
		for i, a := range accounts {
			b.account(keys[i], a, slot)
			b.noteRead(keys[i])
		}
	})
	return nil
}

func (o *Observer) readSpans(ctx context.Context, part accountRange, keys []thread.Key) error {
	if len(keys) == 0 {
		return nil
	}
	accounts, slot, err := o.config.Chain.Parts(ctx, rpc.Confirmed, part.offset, part.size, keys...)
	if err != nil {
		return err
	}
	o.changeBook(func(b *book) {
		for i, a := range accounts {
			part.key = keys[i]
			if a == nil {
				b.watched(part, nil, false, slot)
				continue
			}
			b.watched(part, a.Data, true, slot)
		}
	})
	return nil
}

// readClock polls the chain's clock while no subscription reports it.
func (o *Observer) readClock(ctx context.Context) {
	silent, failing := false, false
	for ctx.Err() == nil {
		o.mu.Lock()
		spoken := o.reads.spokenAt
		o.mu.Unlock()
		if since := time.Since(spoken); since < o.config.Silence {
			silent = false
			pause(ctx, o.config.Silence-since, nil)
			continue
		}
		if !silent && !spoken.IsZero() {
			o.config.Logger.Warn("no subscription reports the chain's clock: polling the nodes")
		}
		silent = true
		err := o.pollClock(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			o.config.Logger.Warn("nodes do not report the chain's clock", "error", err)
		}
		failing = err != nil
		pause(ctx, pollEvery, nil)
	}
}

func (o *Observer) pollClock(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	accounts, _, err := o.config.Chain.Accounts(within, rpc.Processed, solana.SysVarClockPubkey)
	var tick ClockUpdate
	if err == nil {
		tick, err = clock(accounts[0])
	}
	o.changeBook(func(b *book) {
		o.reads.polls++
		if err != nil {
			o.reads.failedReads++
			return
		}
		b.applyTick(tick, time.Now())
	})
	return err
}

// pause waits for a time, or until wake.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}
