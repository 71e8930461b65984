package observe

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// line is the state of a connection: the requests to the node, and its answers. One
// goroutine owns it.
type line struct {
	source *source
	write  func(request) error

	next       uint64
	pending    map[uint64]wish // by the id of the request
	subscribed map[uint64]wish // by the number of the subscription
	// known are the wishes that were asked for, with the number of the subscription; 0: not answered yet, or refused.
	known map[wish]uint64
	ready int       // of the two that must be
	heard time.Time // of the clock
}

// requiredWishes are the subscriptions without which a connection is of no use.
func requiredWishes() []wish { return []wish{{kind: wishThreads}, {kind: wishClock}} }

// begin asks for all that is wished for.
func (l *line) begin() error {
	l.heard = time.Now()
	for _, w := range requiredWishes() {
		if err := l.subscribe(w); err != nil {
			return err
		}
	}
	return l.align()
}

func (l *line) subscribe(w wish) error {
	l.next++
	l.pending[l.next] = w
	l.known[w] = 0
	return l.write(w.subscribe(l.next, l.source.observer.config.Profile.Program))
}

// align asks for what is watched and was not asked for, and ends what is watched no more.
func (l *line) align() error {
	o := l.source.observer
	wanted := make(map[wish]bool)
	o.mu.Lock()
	for s := range o.book.watches.all {
		wanted[wish{wishSpan, s}] = true
	}
	o.mu.Unlock()
	for w := range wanted {
		if _, asked := l.known[w]; !asked {
			if err := l.subscribe(w); err != nil {
				return err
			}
		}
	}
	for w, number := range l.known {
		if w.kind != wishSpan || wanted[w] || l.isPending(w) {
			continue
		}
		delete(l.known, w)
		if number == 0 {
			continue // refused
		}
		delete(l.subscribed, number)
		l.next++
		if err := l.write(unsubscribe(l.next, number)); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) isPending(w wish) bool {
	for _, p := range l.pending {
		if p == w {
			return true
		}
	}
	return false
}

// attend handles the node's messages until the connection ends; it returns why.
func (l *line) attend(ctx context.Context, heard <-chan []byte, ended, alive <-chan error) error {
	confirm := time.NewTimer(longestConfirm)
	defer confirm.Stop()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err = <-ended:
		case err = <-alive:
		case data := <-heard:
			err = l.handleMessage(data)
		case <-l.source.wake:
			err = l.align()
		case <-confirm.C:
			if l.ready < len(requiredWishes()) {
				err = errors.New("the node has not answered the subscriptions")
			}
		case now := <-look.C:
			if newest, _ := l.source.observer.Clock(); now.Sub(l.heard) > muteFor && newest.Slot > l.source.slot.Load()+farBehind {
				err = fmt.Errorf("the node has not reported the chain's clock for %v", muteFor)
			}
		}
		if err != nil {
			return err
		}
	}
}

// handleMessage takes a message. Those that cannot be read are counted and left.
func (l *line) handleMessage(data []byte) error {
	l.source.messages.Add(1)
	a, n, err := decode(data)
	switch {
	case err != nil:
		l.source.garbage.Add(1)
	case a != nil:
		return l.answered(a)
	default:
		l.noticed(n)
	}
	return nil
}

// answered takes the answer to a request.
func (l *line) answered(a *rpcAnswer) error {
	w, asked := l.pending[a.id]
	if !asked {
		return nil // of a subscription that ended, or of an unknown one
	}
	delete(l.pending, a.id)
	refused := a.refused
	if refused == nil && a.subscription == 0 {
		refused = errors.New("the node answered without the number of a subscription")
	}
	if _, used := l.subscribed[a.subscription]; refused == nil && used {
		refused = errors.New("the node answered with the number of another subscription")
	}
	o := l.source.observer
	if refused != nil {
		l.source.refused.Add(1)
		if w.kind != wishSpan {
			return fmt.Errorf("a subscription is refused: %w", refused)
		}
		o.config.Logger.Warn("an account is not watched there", "endpoint", l.source.name, "account", w.span.key.String(), "error", l.source.errorText(refused))
		return nil
	}
	l.subscribed[a.subscription], l.known[w] = w, a.subscription
	if w.kind == wishSpan {
		watched := false
		o.changeBook(func(b *book) { watched = b.watches.readAgain(w.span) }) // what it was before is not known
		if !watched {
			return l.align()
		}
		return nil
	}
	if l.ready++; l.ready == len(requiredWishes()) {
		covered := o.anyUp()
		l.source.up.Store(true)
		o.config.Logger.Info("a node is subscribed to", "endpoint", l.source.name)
		o.missed(covered)
	}
	return nil
}

// noticed takes what a subscription has seen.
func (l *line) noticed(n *notice) {
	o := l.source.observer
	switch w := l.subscribed[n.subscription]; w.kind {
	case wishThreads:
		key, account, err := n.keyed()
		if err != nil {
			l.source.garbage.Add(1)
			return
		}
		o.changeBook(func(b *book) { b.account(key, account, n.slot) })
	case wishClock:
		account, err := n.account()
		var tick ClockUpdate
		if err == nil {
			tick, err = clock(account)
		}
		if err != nil {
			l.source.garbage.Add(1)
			return
		}
		now := time.Now()
		l.heard = now
		l.source.slot.Store(tick.Slot)
		taken := false
		o.changeBook(func(b *book) {
			what := b.applyTick(tick, now)
			taken = what == tickTaken || what == tickAnew
			if what == tickFar {
				return
			}
			o.reads.spokenAt = now
			if o.reads.needTick {
				o.reads.need, o.reads.needTick = max(o.reads.need, tick.Slot), false
			}
		})
		if taken && o.config.Ticked != nil {
			o.config.Ticked(tick.Slot, now)
		}
	case wishSpan:
		account, err := n.account()
		switch {
		case err != nil:
			l.source.garbage.Add(1)
		case account == nil:
			o.changeBook(func(b *book) { b.watched(w.span, nil, false, n.slot) })
		default:
			o.changeBook(func(b *book) { b.watched(w.span, account.Data, true, n.slot) })
		}
	default:
		l.source.stray.Add(1)
	}
}
