package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Log is a queue back end that appends to a log and keeps the rest in another
// back end. Its methods may be called from any goroutine.
type Log struct {
	config Config
	disk   disk
	inner  queue.Backend
	id     identity
	seed   uint32

	writer sync.Mutex // held by Update, and by Close and Backup for their checkpoint

	// Of the holder of writer.
	files      [2]*logFile
	current    int    // index of the file that is appended to
	number     uint64 // of the last transaction, committed or failed
	rotated    uint64 // the number at the last Rotate
	generation uint64 // the last one given out
	record     record
	arena      arena
	flush      *flush    // the checkpoint that was begun last, or nil
	failed     time.Time // when a checkpoint failed last
	closed     bool

	mu    sync.Mutex // orders changes of state
	state atomic.Pointer[state]

	appending trouble // with the log files
	writing   trouble // with the back end inside

	setAside []string // written by Open
}

// state is what lies above the back end inside. It never changes; mu is held
// to replace it.
type state struct {
	active *layer
	frozen *layer // nil when there is none
	// drops counts the frozen layers that were dropped because the back end
	// inside has them.
	drops uint64
	gaps  map[string][]gap // by bucket; where there is nothing in any layer
	// doubt is the number of a transaction whose commit failed: when the back
	// end inside has it, the back end alone is right. 0 for none.
	doubt uint64
}

// flush is a running or finished checkpoint of the frozen layer.
type flush struct {
	done chan struct{} // closed at the end
	err  error         // for those who saw the end
}

func (f *flush) running() bool {
	select {
	case <-f.done:
		return false
	default:
		return true
	}
}

// errAgain ends a view that began while a layer was being dropped.
var errAgain = errors.New("the layers have changed meanwhile")

// Open puts a log in front of a back end: the files path and path+"2", in a
// folder that exists. What they have and the back end has not is written to
// it first. Only one Log may use the files and the back end, which the back
// end's own lock must see to. The back end belongs to the Log once Open
// succeeds; otherwise it stays the caller's to close.
//
// A damaged file is renamed to <name>.damaged-<unix time> once every record in
// it that can still be read is in the back end. A file that a newer version
// wrote is job.Conflict.
func Open(path string, inner queue.Backend, c Config) (*Log, error) {
	return open(osDisk{syncFolder}, path, inner, c)
}

func open(d disk, path string, inner queue.Backend, c Config) (*Log, error) {
	l := &Log{
		config: c.withDefaults(), disk: d, inner: inner,
		appending: trouble{what: "log"}, writing: trouble{what: "checkpoint"},
	}
	content, err := l.openFiles(path)
	if err == nil {
		err = l.recover(content)
	}
	if err != nil {
		for _, f := range l.files {
			if f != nil && f.file != nil {
				_ = f.file.Close() // the first error says more
			}
		}
		return nil, fmt.Errorf("open queue log: %w", err)
	}
	l.state.Store(&state{active: newLayer(l.number)})
	return l, nil
}

func (l *Log) openFiles(path string) (content [2][]byte, err error) {
	for i, name := range []string{path, path + "2"} {
		f, data, err := l.disk.Open(name)
		if err != nil {
			return content, err
		}
		content[i] = data
		l.files[i] = &logFile{
			name: name, file: f, step: int64(l.config.LogBytes), size: int64(len(data)), used: int64(len(bytes.TrimRight(data, "\x00"))),
		}
	}
	return content, nil
}

// SetAside returns where Open left damaged files. Nothing removes them.
func (l *Log) SetAside() []string { return l.setAside }

// View runs fn on a snapshot.
func (l *Log) View(fn func(queue.Txn) error) error {
	return l.snapshot(func(in queue.Txn, s *state) error {
		return fn(&txn{in: in, state: s, learn: func(bucket string, g gap) { l.learn(s, bucket, g) }})
	})
}

// snapshot runs fn with a transaction of the back end inside and the layers
// that belong above it. The layers are read after the transaction has begun,
// so they have all that it has not, unless one was dropped in between.
func (l *Log) snapshot(fn func(in queue.Txn, s *state) error) error {
	for {
		drops := l.state.Load().drops
		again := false
		err := l.inner.View(func(in queue.Txn) error {
			s := l.state.Load()
			if again = s.drops != drops; again {
				return errAgain
			}
			if s.doubt != 0 && hasApplied(in, s.doubt) {
				s = &state{active: newLayer(s.doubt), drops: s.drops}
			}
			return fn(in, s)
		})
		if !again {
			return err
		}
	}
}

// learn keeps a gap that a view has met, unless there was a commit since.
func (l *Log) learn(s *state, bucket string, g gap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.state.Load()
	if now.active != s.active {
		return
	}
	next := *now
	next.gaps = maps.Clone(now.gaps)
	if next.gaps == nil {
		next.gaps = make(map[string][]gap)
	}
	next.gaps[bucket] = learned(now.gaps[bucket], g)
	l.state.Store(&next)
}

// Update runs fn in a transaction and makes it durable.
func (l *Log) Update(fn func(queue.Txn) error) error {
	l.writer.Lock()
	defer l.writer.Unlock()
	if l.closed {
		return errClosed()
	}
	if err := l.clearDoubt(); err != nil {
		return err
	}
	if err := l.makeRoom(); err != nil {
		return err
	}
	var t *txn
	err := l.snapshot(func(in queue.Txn, s *state) error {
		l.record.reset()
		t = &txn{in: in, state: s, record: &l.record, arena: &l.arena, bytes: s.active.bytes}
		return fn(t)
	})
	if err != nil || t.record.empty() {
		return err
	}
	l.number++
	if err := l.commit(t); err != nil {
		if l.undo() {
			return fmt.Errorf("%w: %w", queue.ErrUndone, err)
		}
		return err
	}
	return nil
}

// commit appends the transaction to the log, or writes it to the back end
// inside when the log cannot take it.
func (l *Log) commit(t *txn) error {
	next, gaps := t.layers(l.number)
	f := l.files[l.current]
	if f.ready && len(t.record.bytes) <= l.config.LogBytes {
		err := f.append(t.record.seal(l.seed, f.generation, l.number))
		if err == nil {
			l.appending.works(l.config.Logger)
			l.mu.Lock()
			now := l.state.Load()
			l.state.Store(&state{active: next, frozen: now.frozen, drops: now.drops, gaps: gaps})
			l.mu.Unlock()
			return nil
		}
		l.appending.fails(l.config.Logger, err)
	}
	return l.direct(next, gaps)
}

// layers returns the active layer and the gaps as they are after the
// transaction.
func (t *txn) layers(number uint64) (*layer, map[string][]gap) {
	next := &layer{trees: maps.Clone(t.state.active.trees), bytes: t.bytes, last: number}
	gaps := maps.Clone(t.state.gaps)
	for i := range t.buckets {
		b := &t.buckets[i]
		if b.own {
			next.trees[b.name] = b.active
		}
		switch {
		case len(b.gaps) == 0:
		case gaps == nil:
			gaps = map[string][]gap{b.name: b.gaps}
		default:
			gaps[b.name] = b.gaps
		}
	}
	return next, gaps
}

// Backup writes all that is committed to the back end inside and copies that.
// The copy needs no log: to go back to it, remove both log files, or else what
// they have and the copy has not is done again. A back end inside that cannot
// do it gives job.Invalid.
func (l *Log) Backup(w io.Writer) error {
	b, ok := l.inner.(queue.Backuper)
	if !ok {
		return job.Errorf(job.Invalid, "this kind of queue cannot be backed up")
	}
	if err := l.writeBack(); err != nil {
		return err
	}
	return b.Backup(w)
}

// writeBack writes all that is committed to the back end inside.
func (l *Log) writeBack() error {
	l.writer.Lock()
	defer l.writer.Unlock()
	if l.closed {
		return errClosed()
	}
	return l.settle()
}

// Close writes everything to the back end inside and closes both. The log
// keeps what could not be written.
func (l *Log) Close() error {
	l.writer.Lock()
	defer l.writer.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	err := l.settle()
	for _, f := range l.files {
		err = errors.Join(err, f.file.Close())
	}
	return errors.Join(err, l.inner.Close())
}

func errClosed() error { return job.Errorf(job.Unavailable, "the queue is closed") }
