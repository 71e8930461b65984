package wal

import (
	"fmt"

	"github.com/orthd/orth/internal/queue"
)

// hasApplied reports whether the back end inside has the transaction of a number.
func hasApplied(in queue.Txn, number uint64) bool {
	m, known := decodeMark(in.Get(markBucket, []byte(markKey)))
	return known && m.applied >= number
}

// setDoubt notes that the back end inside may or may not have taken the
// transaction of a number, and 0 that there is no doubt any more.
func (l *Log) setDoubt(number uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.state.Load()
	next.doubt = number
	l.state.Store(&next)
}

// taken reports whether the back end inside has the transaction in doubt.
func (l *Log) taken() (taken bool, err error) {
	number := l.state.Load().doubt
	err = l.inner.View(func(in queue.Txn) error {
		taken = hasApplied(in, number)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("look for transaction %d of the queue's log: %w", number, err)
	}
	return taken, nil
}

// undo takes back the transaction whose commit has failed, and reports whether it
// certainly left nothing.
func (l *Log) undo() bool {
	taken, err := l.taken()
	if err != nil || taken || l.files[l.current].erase() != nil {
		return false
	}
	l.setDoubt(0)
	return true
}

// clearDoubt settles the fate of a transaction whose commit has failed, before
// anything else is written. One that the back end inside has stays, durably; any
// other is void in the log.
func (l *Log) clearDoubt() error {
	number := l.state.Load().doubt
	if number == 0 || l.undo() {
		return nil
	}
	taken, err := l.taken()
	if err != nil {
		return err
	}
	s := *l.state.Load()
	if taken {
		s = state{active: newLayer(number), drops: s.drops + 1, doubt: number}
		l.mu.Lock()
		l.state.Store(&s)
		l.mu.Unlock()
	}
	return l.direct(s.active, s.gaps)
}
