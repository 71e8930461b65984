package queue

import (
	"encoding/binary"
	"errors"
	"math"
)

// Operations of the journal. Their numbers are stored and never change. Each is
// the number, the queue's name with its length, and varints; texts have their
// lengths before them, and a body or value is the rest.
const (
	opPut      = 1 // place, flags, key, seq, due, added, tries, note, body: the whole item
	opMove     = 2 // place, key, due, tries, note: the body is the one of the last put
	opEnd      = 3 // key, number + 1 in the order of ends or 0, at
	opRemove   = 4 // key
	opForget   = 5 // number: keys that ended before it are forgotten
	opRemember = 6 // number of the first, then key and at of each, as written again
	opMeta     = 7 // no queue; present, name, value
	opCounts   = 8 // evicted
	opStore    = 9 // no queue; seq, damaged
)

const flagUncertain = 1

var errOperation = errors.New("the operation makes no sense")

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendHead(b []byte, op byte, queue string) []byte {
	return appendText(append(b, op), queue)
}

func appendPut(b []byte, queue string, r *row, body []byte) []byte {
	b = append(appendHead(b, opPut, queue), byte(r.place), 0)
	if r.uncertain {
		b[len(b)-1] = flagUncertain
	}
	b = binary.AppendVarint(b, r.key)
	b = binary.AppendUvarint(b, r.seq)
	b = binary.AppendVarint(b, r.due)
	b = binary.AppendVarint(b, r.added)
	b = binary.AppendUvarint(b, uint64(r.tries))
	b = appendText(b, r.note)
	return append(b, body...)
}

func appendMove(b []byte, queue string, r *row) []byte {
	b = binary.AppendVarint(append(appendHead(b, opMove, queue), byte(r.place)), r.key)
	b = binary.AppendVarint(b, r.due)
	b = binary.AppendUvarint(b, uint64(r.tries))
	return appendText(b, r.note)
}

// fields reads the parts of an operation. After an error everything is zero.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) readByte() byte {
	if len(f.b) == 0 {
		f.bad = true
		return 0
	}
	c := f.b[0]
	f.b = f.b[1:]
	return c
}

func (f *fields) signed() int64 {
	n, size := binary.Varint(f.b)
	if size <= 0 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[size:]
	return n
}

func (f *fields) number() uint64 {
	n, size := binary.Uvarint(f.b)
	if size <= 0 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[size:]
	return n
}

// count is a number that something is counted with: it can go on from there.
func (f *fields) count() uint64 {
	n := f.number()
	if n > 1<<62 {
		f.bad, n = true, 0
	}
	return n
}

func (f *fields) readText() string {
	n := f.number()
	if n > uint64(len(f.b)) {
		f.bad, f.b = true, nil
		return ""
	}
	text := string(f.b[:n])
	f.b = f.b[n:]
	return text
}

func (f *fields) place() Place {
	p := Place(f.readByte())
	if p < Scheduled || p > Dead {
		f.bad = true
		return Scheduled
	}
	return p
}

func (f *fields) tries() int32 {
	n := f.number()
	if n > math.MaxInt32 {
		f.bad = true
	}
	return int32(n)
}

// readHead reads what comes before the fields of an operation.
func (f *fields) readHead() (op byte, queue string) { return f.readByte(), f.readText() }

// readPut reads the fields of a put. What is left of f is the body.
func (f *fields) readPut() (r row, err error) {
	r.place = f.place()
	r.uncertain = f.readByte()&flagUncertain != 0
	r.key, r.seq, r.due, r.added, r.tries, r.note = f.signed(), f.count(), f.signed(), f.signed(), f.tries(), f.readText()
	if f.bad {
		return row{}, errOperation
	}
	return r, nil
}
