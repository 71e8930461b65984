package wal

import (
	"fmt"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue"
)

// retryAfter is how long a failed checkpoint is left alone while there is room
// for commits.
const retryAfter = time.Second

// makeRoom begins a checkpoint when the active layer or its file has grown
// enough. It waits for the one before only when twice as much has gathered.
func (l *Log) makeRoom() error {
	active, file := l.state.Load().active, l.files[l.current]
	size := max(ratio(active.bytes, l.config.Overlay), ratio(int(file.at)-blockBytes, l.config.LogBytes))
	if size < 1 {
		return nil
	}
	if l.flush != nil && l.flush.running() && size < 2 {
		return nil
	}
	l.wait()
	if l.state.Load().frozen != nil { // the checkpoint has failed
		switch {
		case size >= 2:
			return l.settle()
		case time.Since(l.failed) >= retryAfter:
			l.begin()
		}
		return nil
	}
	if !file.ready || !l.files[1-l.current].ready {
		return l.settle()
	}
	l.freeze(active)
	l.begin()
	return nil
}

// ratio is how full something is: 0 below the bound, 2 from its double on.
func ratio(n, bound int) int { return min(n/bound, 2) }

// freeze makes the active layer the frozen one and goes on with the other
// file.
func (l *Log) freeze(active *layer) {
	l.mu.Lock()
	now := l.state.Load()
	l.state.Store(&state{active: newLayer(active.last), frozen: active, drops: now.drops, gaps: now.gaps})
	l.mu.Unlock()
	l.current = 1 - l.current
}

// begin has a goroutine write the frozen layer to the back end inside. The
// file of that layer belongs to it until it is done.
func (l *Log) begin() {
	f := &flush{done: make(chan struct{})}
	l.flush = f
	frozen, file, h := l.state.Load().frozen, l.files[1-l.current], l.nextHeader()
	go func() {
		defer close(f.done)
		if f.err = l.checkpoint(frozen.last, frozen); f.err != nil {
			l.writing.fails(l.config.Logger, f.err)
			return
		}
		// Before readers let go of the layer, so that who waits for the end
		// of this finds the file ready.
		l.restart(file, h)
		l.drop()
	}()
}

// restart restarts a file. One that cannot be written stays unready, and
// commits do without it.
func (l *Log) restart(file *logFile, h header) {
	if err := file.restart(h); err != nil {
		l.appending.fails(l.config.Logger, err)
	}
}

// drop forgets the frozen layer: the back end inside has it.
func (l *Log) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.state.Load()
	l.state.Store(&state{active: now.active, drops: now.drops + 1, gaps: now.gaps})
}

// settle writes all that is committed to the back end inside, at once.
func (l *Log) settle() error {
	if err := l.clearDoubt(); err != nil {
		return err
	}
	l.wait()
	s := l.state.Load()
	if s.frozen == nil && s.active.empty() && l.files[l.current].ready {
		return nil
	}
	return l.direct(s.active, s.gaps)
}

// wait has the checkpoint that was begun last end.
func (l *Log) wait() {
	if l.flush != nil {
		<-l.flush.done
		if l.flush.err != nil {
			l.failed = time.Now()
		}
		l.flush = nil
	}
}

// direct writes the layers, of which active may not be the state's yet, to the
// back end inside, and restarts the log. Numbers up to the present one are
// void in the log from then on. After a failure the present number may be in
// the back end all the same, so there is no going on in the log either.
func (l *Log) direct(active *layer, gaps map[string][]gap) error {
	l.wait()
	layers := []*layer{active}
	if frozen := l.state.Load().frozen; frozen != nil {
		layers = []*layer{frozen, active}
	}
	if err := l.checkpoint(l.number, layers...); err != nil {
		l.files[l.current].ready = false
		l.setDoubt(l.number)
		return err
	}
	l.mu.Lock()
	now := l.state.Load()
	l.state.Store(&state{active: newLayer(l.number), drops: now.drops + 1, gaps: gaps})
	l.mu.Unlock()
	for _, f := range l.files {
		l.restart(f, l.nextHeader())
	}
	return nil
}

// checkpoint writes layers, the older first, to the back end inside, and the
// number up to which it now has everything.
func (l *Log) checkpoint(number uint64, layers ...*layer) error {
	err := l.inner.Update(func(tx queue.Txn) error { return l.apply(tx, number, layers...) })
	if err != nil {
		return fmt.Errorf("write the queue's log back: %w", err)
	}
	failpoint.Hit("wal/checkpointed")
	l.writing.works(l.config.Logger)
	return nil
}

// apply puts layers into a transaction of the back end inside, with the mark.
func (l *Log) apply(tx queue.Txn, number uint64, layers ...*layer) error {
	for _, a := range layers {
		if err := a.apply(tx); err != nil {
			return err
		}
	}
	failpoint.Hit("wal/checkpointing")
	return mark{l.id, number}.write(tx)
}

// nextHeader begins a new generation.
func (l *Log) nextHeader() header {
	l.generation++
	return header{l.id, l.generation}
}
