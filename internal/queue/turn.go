package queue

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"

	"github.com/orthd/orth/job"
)

// turn is one back-end transaction with what was decoded of it. In an Update
// it carries a whole group of functions; in a View just one.
type turn struct {
	txn      Txn
	writable bool
	headers  map[string]*header
	stored   map[string]header // what the back end has, to write changes only
	undo     []change          // room for the functions' undo logs, one after the other
	counts   []counted         // likewise
	seq      uint64            // the last one given out

	seqStored uint64          // what the back end has
	dirty     bool            // something is to be committed
	broken    error           // the back end refused a change: nothing may be committed
	suspects  map[string]bool // queues where damage was met
	mended    map[string]int  // rows set aside or mended, by queue
}

func newTurn(txn Txn, writable bool) *turn {
	return &turn{
		txn: txn, writable: writable,
		headers: make(map[string]*header, 2), stored: make(map[string]header, 2),
	}
}

// run calls a caller's function and undoes it when it fails.
func (t *turn) run(fn func(*Tx) error) (onCommit []func(), err error) {
	tx := &Tx{turn: t, writable: true, undo: t.undo[:0], counts: t.counts[:0]}
	err = call(fn, tx)
	t.undo, t.counts = tx.undo, tx.counts
	if err != nil {
		if undo := tx.rollback(); undo != nil && t.broken == nil {
			t.broken = undo
		}
		return nil, err
	}
	return tx.onCommit, nil
}

// call keeps a panic of one caller from ending the writer and so all others.
func call(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = job.Errorf(job.Internal, "a queue transaction panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// finish mends what was found damaged and writes what was counted.
func (t *turn) finish() error {
	for name := range t.suspects {
		if err := t.mend(name); err != nil {
			return err
		}
	}
	if len(t.mended) > 0 {
		t.dirty = true
		if err := RecordLoss(t.txn, LossOne); err != nil {
			return t.breakOff(fmt.Errorf("note the damage: %w", err))
		}
	}
	for name, h := range t.headers {
		if old, ok := t.stored[name]; ok && old == *h {
			continue
		}
		key := queuePrefix + name
		if err := t.put(configBucket, []byte(key), seal(key, h.encode())); err != nil {
			return err
		}
	}
	if t.seq != t.seqStored {
		value := binary.BigEndian.AppendUint64(nil, t.seq)
		return t.put(configBucket, []byte(seqKey), seal(seqKey, value))
	}
	return nil
}

// header returns the counts of a queue. One that is missing or damaged is
// counted anew, before anything of this turn changed the queue.
func (t *turn) header(queue string) (*header, error) {
	if h, ok := t.headers[queue]; ok {
		return h, nil
	}
	h, err := t.readHeader(queue)
	switch {
	case err == nil:
		t.headers[queue], t.stored[queue] = &h, h
	case !t.writable:
		t.suspect(queue)
		return nil, job.Errorf(job.Unavailable, "the counts of queue %s are damaged and are being mended", queue)
	default:
		t.headers[queue] = &h
		if err := t.mend(queue); err != nil {
			return nil, err
		}
	}
	return t.headers[queue], nil
}

func (t *turn) readHeader(queue string) (header, error) {
	key := queuePrefix + queue
	raw := t.txn.Get(configBucket, []byte(key))
	if raw == nil {
		if !t.writable && t.empty(queue) {
			return header{}, nil
		}
		return header{}, errDamaged
	}
	value, err := unseal(key, raw)
	if err != nil {
		return header{}, err
	}
	return decodeHeader(value)
}

func (t *turn) empty(queue string) bool {
	for range t.txn.Walk(bucketOf(queue, metadataStore), nil) {
		return false
	}
	return true
}

// nextSeq gives out the next order of arrival. A queue's header is read first,
// because mending a queue raises the counter above what it holds.
func (t *turn) nextSeq() uint64 {
	t.seq++
	return t.seq
}

// begin reads the counter of arrivals. When it is damaged, every queue is
// mended, which finds the highest number in use.
func (t *turn) begin() error {
	raw := t.txn.Get(configBucket, []byte(seqKey))
	if raw == nil {
		return nil
	}
	value, err := unseal(seqKey, raw)
	if err == nil && len(value) == 8 {
		t.seq = binary.BigEndian.Uint64(value)
		t.seqStored = t.seq
		return nil
	}
	for _, name := range t.queues() {
		if err := t.mend(name); err != nil {
			return err
		}
	}
	return nil
}

// suspect has the queue mended at the end of this turn, or by the writer when
// this is a view.
func (t *turn) suspect(queue string) {
	if t.suspects == nil {
		t.suspects = make(map[string]bool)
	}
	t.suspects[queue] = true
}

func (t *turn) put(bucket string, key, value []byte) error {
	t.dirty = true
	if err := t.txn.Put(bucket, key, value); err != nil {
		return t.breakOff(fmt.Errorf("put in %s: %w", bucket, err))
	}
	return nil
}

// insert puts a row whose key is known to be free.
func (t *turn) insert(bucket string, key, value []byte) error {
	inserter, ok := t.txn.(Inserter)
	if !ok {
		return t.put(bucket, key, value)
	}
	t.dirty = true
	if err := inserter.Insert(bucket, key, value); err != nil {
		return t.breakOff(fmt.Errorf("insert in %s: %w", bucket, err))
	}
	return nil
}

func (t *turn) delete(bucket string, key []byte) error {
	t.dirty = true
	if err := t.txn.Delete(bucket, key); err != nil {
		return t.breakOff(fmt.Errorf("delete in %s: %w", bucket, err))
	}
	return nil
}

// breakOff remembers that the back end refused a change, even when the
// caller's function makes light of it.
func (t *turn) breakOff(err error) error {
	if t.broken == nil {
		t.broken = err
	}
	return err
}
