package native

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
)

const (
	// gatherFor is how long the first change waits for others that travel with it.
	gatherFor = 20 * time.Millisecond
	// bringEvery is the least time from one request to the next, unless one was full.
	bringEvery = 100 * time.Millisecond
	// lookEvery is how often all follows are looked at, with or without reported changes.
	lookEvery = 30 * time.Second
	// strayFor is how long is asked for a server that none of those that are there is,
	// and awayFor for one that may be behind those that are not.
	strayFor, awayFor = 3 * time.Second, 10 * time.Minute
	// lastBring is how long a stopping executor takes to bring what there is.
	lastBring = 3 * time.Second
	// maxBrought is about how many bytes of text one request brings.
	maxBrought = 1 << 20
)

// strayError means that all servers answer, and none of them is the one that follows.
type strayError struct {
	server string // that follows
	heir   string // the one that is at its place; empty when it has not named itself
}

// Error implements error.
func (e *strayError) Error() string {
	return "none of the servers is " + message.Shorten(e.server) + "; at its place is " + message.Shorten(e.heir)
}

// lane brings lines to one server, one request after the other.
type lane struct {
	follower *Follower
	target

	wake    chan struct{} // of size 1: there is something to look at, or nothing is followed
	follows int           // guarded by follower.mu: how many are followed
	waiting []*following  // guarded by follower.mu: what is to be looked at
	holds   bool          // guarded by follower.mu: run looks when what is held back is no more

	at       int       // run only: the index of the server's base URL, as far as known
	failures int       // run only: one after the other
	since    time.Time // run only: when they began
	stray    time.Time // run only: when those began that are strayErrors; zero while they are not
	sent     time.Time // run only: when the last request began
	rest     time.Time // run only: nothing is brought before
	hurry    bool      // run only: nothing is held back
}

// queue has a follow looked at. A held follow wakes the lane only when no other is held:
// short attempts are over by then. The follower's mu is held.
func (l *lane) queue(one *following) {
	if one.queued || one.gone {
		return
	}
	one.queued = true
	l.waiting = append(l.waiting, one)
	if !l.holds || one.begun || one.hold.IsZero() {
		nudge(l.wake)
	}
}

// run brings lines until nothing is followed, or ctx ends; then it brings what there
// is.
func (l *lane) run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			l.bringLast(ctx)
			return
		case <-look.C:
			l.lookAtAll()
		case <-l.wake:
		case <-timer.C:
		}
		if l.leave() {
			return
		}
		now := time.Now()
		if due, held := l.heldBack(now); !due {
			if !held.IsZero() {
				timer.Reset(held.Sub(now))
			}
			continue
		}
		begin := later(now.Add(gatherFor), l.sent.Add(bringEvery), l.rest)
		if !waitFor(ctx, begin.Sub(now)) {
			l.bringLast(ctx)
			return
		}
		for again := true; again; {
			var held time.Time
			if again, held = l.round(ctx); !held.IsZero() {
				timer.Reset(time.Until(held))
			}
		}
	}
}

// bringLast brings what there is, unless the server is away.
func (l *lane) bringLast(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastBring)
	defer cancel()
	l.hurry = true
	for again := true; again && l.failures == 0; {
		again, _ = l.round(ctx)
	}
}

// later is the last of some instants.
func later(all ...time.Time) time.Time { return slices.MaxFunc(all, time.Time.Compare) }

// waitFor waits for that long, and reports false when ctx ends first.
func waitFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// leave ends the lane when nothing is followed.
func (l *lane) leave() bool {
	f := l.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.follows > 0 {
		return false
	}
	delete(f.lanes, l.target)
	return true
}

// lookAtAll has everything looked at that is followed, and ends what is so no more.
func (l *lane) lookAtAll() {
	f := l.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(time.Now())
	for _, all := range f.attempts {
		for _, one := range all {
			if one.lane == l {
				l.queue(one)
			}
		}
	}
}

// heldBack reports whether there is something to be looked at that is not held back, and
// otherwise when there may be; zero when nothing waits.
func (l *lane) heldBack(now time.Time) (due bool, held time.Time) {
	f := l.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(one *following) bool { return one.gone })
	for _, one := range l.waiting {
		switch {
		case !now.Before(one.hold):
			return true, time.Time{}
		case held.IsZero() || one.hold.Before(held):
			held = one.hold
		}
	}
	if l.holds && !held.IsZero() { // the next ones come already: they are looked at together
		held = later(held, now.Add(bringEvery))
	}
	l.holds = !held.IsZero()
	return false, held
}

// take returns what is to be looked at now, and when the first of those is that are
// held back; zero when none is.
func (l *lane) take() (due []*following, held time.Time) {
	f := l.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	kept := l.waiting[:0:0]
	for _, one := range l.waiting {
		switch {
		case one.gone:
		case !now.Before(one.until):
			f.drop(one)
		case now.Before(one.hold) && !l.hurry:
			if held.IsZero() || one.hold.Before(held) {
				held = one.hold
			}
			kept = append(kept, one)
		default:
			one.queued, one.begun, one.last = false, true, one.over
			due = append(due, one)
		}
	}
	l.waiting, l.holds = kept, !held.IsZero()
	return due, held
}

// queueAll has follows looked at again.
func (l *lane) queueAll(again []*following) {
	f := l.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range again {
		l.queue(one)
	}
}

// round sends one request with what is new, if anything is. again: there is more to push at
// once; held: there may be.
func (l *lane) round(ctx context.Context) (again bool, held time.Time) {
	f := l.follower
	due, held := l.take()
	g := f.gather(due)
	if len(g.chunks) == 0 {
		l.queueAll(f.settle(ctx, g.quiet))
		return false, held
	}
	l.sent = time.Now()
	answer, err := l.send(ctx, g.chunks)
	if err != nil {
		l.failed(ctx, err)
		l.queueAll(slices.Concat(g.brought, g.left))
		return false, held
	}
	l.failures, l.stray = 0, time.Time{}
	var unsure []*following
	for i, one := range g.brought {
		one.next += strings.Count(g.chunks[i].Page.Text, "\n")
		switch {
		case g.chunks[i].Page.End || slices.Contains(answer.Stop, one.Attempt):
			f.end(one)
		case one.asked.IsZero(): // it may have ended before it was followed
			unsure = append(unsure, one)
		}
	}
	l.queueAll(slices.Concat(g.left, unsure, f.settle(ctx, g.quiet)))
	return len(g.left) > 0 && ctx.Err() == nil, held
}

// failed notes that nothing was brought, and gives the server up that has been away
// for too long: it asks for what it misses. What another one at its place may follow,
// because it is the same that has started again, goes on for that one.
func (l *lane) failed(ctx context.Context, err error) {
	if ctx.Err() != nil && !l.hurry { // this executor stops, the server is there
		return
	}
	now := time.Now()
	if l.failures == 0 {
		l.since = now
	}
	l.failures++
	l.rest = now.Add(min(minPause<<min(l.failures-1, 10), maxPause))
	l.follower.config.Logger.Debug("the lines that a server follows were not brought", "server", l.server, "error", err)
	stray, ok := errors.AsType[*strayError](err)
	switch {
	case !ok:
		l.stray = time.Time{}
		if now.Sub(l.since) >= awayFor {
			l.giveUp("")
		}
	case l.stray.IsZero():
		l.stray = now
	case now.Sub(l.stray) >= strayFor:
		l.giveUp(stray.heir)
	}
}

// giveUp ends all follows, or has another server go on with them where they are.
func (l *lane) giveUp(heir string) {
	f := l.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, all := range f.attempts {
		for _, one := range slices.Clone(all) {
			if one.lane != l {
				continue
			}
			f.drop(one)
			if heir == "" || f.find(heir, one.Attempt) != nil {
				continue
			}
			to, err := f.lane(target{heir, l.address})
			if err != nil { // there are too many
				return
			}
			wish := one.Follow
			wish.Server, wish.From = heir, one.next
			f.add(&following{Follow: wish, lane: to, until: one.until, next: one.next, over: one.over})
		}
	}
}

// send pushes the chunks to the server that follows. It may be behind any of the addresses;
// another server answers that it is another one. A strayError means that all of them did.
func (l *lane) send(ctx context.Context, chunks []message.Chunk) (message.LogsAnswer, error) {
	f := l.follower
	size := 256
	for i := range chunks {
		size += len(chunks[i].Page.Text) + len(chunks[i].Page.Text)/16 + 64 // line ends take two bytes
	}
	body := message.AppendLogs(make([]byte, 0, size), message.LogsRequest{Server: l.server, Address: l.address, Chunks: chunks})
	var failure error
	stray := &strayError{server: l.server}
	for i := range f.config.Servers {
		index := (l.at + i) % len(f.config.Servers)
		got, err := f.courier.Send(ctx, signing.Letter{Address: f.config.Servers[index], Name: message.NameLogs, Token: f.config.Token, Body: body})
		if err == nil {
			err = got.Failure()
		}
		var answer message.LogsAnswer
		if err == nil {
			answer, err = message.DecodeLogsAnswer(got.Body)
		}
		switch {
		case err != nil:
			failure = err
		case answer.Taken:
			l.at = index
			return answer, nil
		case i == 0 && len(answer.Server) <= message.MaxServerID: // where it was last
			stray.heir = answer.Server
		}
	}
	if failure == nil {
		failure = stray
	}
	return message.LogsAnswer{}, failure
}
