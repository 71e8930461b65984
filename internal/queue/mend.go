package queue

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/orthd/orth/job"
)

// open checks the format, sets damaged values of the config store aside, and
// mends every queue of the file.
func (t *turn) open() error {
	if err := t.openConfig(); err != nil {
		return err
	}
	if err := t.begin(); err != nil {
		return err
	}
	for _, name := range t.queues() {
		if err := t.mend(name); err != nil {
			return err
		}
	}
	return t.finish()
}

func (t *turn) openConfig() error {
	m := &mending{turn: t, queue: configBucket}
	names := t.queues() // before their headers may be set aside
	known := false
	for k, v := range t.txn.Walk(configBucket, nil) {
		value, err := unseal(string(k), v)
		switch {
		case err != nil:
			m.setAside(configBucket, k, v)
		case string(k) != formatKey:
		case len(value) != 1:
			m.setAside(configBucket, k, v)
		case value[0] > formatVersion:
			return &job.Error{
				Kind:    job.Conflict,
				Message: fmt.Sprintf("the queue's file has format %d, this version knows up to %d", value[0], formatVersion),
				Hint:    "start the newer version that wrote it, or give this one another folder",
			}
		default:
			known = true
		}
	}
	if !known {
		m.put(configBucket, []byte(formatKey), seal(formatKey, []byte{formatVersion}))
	}
	if err := m.apply(); err != nil {
		return err
	}
	t.noteMended(configBucket, m.rows)
	for _, name := range names {
		if err := t.mend(name); err != nil {
			return err
		}
	}
	return nil
}

// queues returns the names of the queues of the file.
func (t *turn) queues() []string {
	var names []string
	for k := range t.txn.Walk(configBucket, []byte(queuePrefix)) {
		name, ok := strings.CutPrefix(string(k), queuePrefix)
		if !ok {
			break
		}
		names = append(names, name)
	}
	return names
}

// mend makes a queue whole: it walks every row, sets aside what cannot be
// read, brings index, order and counts in line with the records, and raises
// the counter of arrivals above them. A whole queue is left as it is.
func (t *turn) mend(queue string) error {
	m := &mending{turn: t, queue: queue, homes: make(map[int64]bool)}
	old := t.headers[queue]
	if old == nil {
		old = new(header)
		if h, err := t.readHeader(queue); err == nil {
			t.stored[queue], *old = h, h
		}
		t.headers[queue] = old
	}
	m.counts = header{nextFinish: old.nextFinish, evicted: old.evicted, damaged: old.damaged}
	delete(t.suspects, queue)
	// The furthest place first: of two records of one key, it wins.
	for _, step := range []func(){
		func() { m.records(Processing) },
		func() { m.records(Dead) },
		func() { m.records(Scheduled) },
		m.dueMarks, m.index, m.order,
	} {
		step()
		if err := m.apply(); err != nil {
			return err
		}
	}
	m.counts.damaged += uint64(m.aside)
	*old = m.counts
	t.noteMended(queue, m.rows)
	return nil
}

func (t *turn) noteMended(queue string, rows int) {
	if rows == 0 {
		return
	}
	if t.mended == nil {
		t.mended = make(map[string]int)
	}
	t.mended[queue] += rows
}

// mending is one walk over a queue. Changes wait in puts and deletes, because
// a bucket must not change under a walk.
type mending struct {
	turn   *turn
	queue  string
	counts header
	homes  map[int64]bool // keys whose index row this walk wrote
	rows   int            // rows mended or set aside
	aside  int            // rows set aside

	puts, deletes []change // old holds the value to put
}

func (m *mending) put(bucket string, key, value []byte) {
	m.puts = append(m.puts, change{bucket, key, value})
}

func (m *mending) delete(bucket string, key []byte) {
	m.rows++
	m.deletes = append(m.deletes, change{bucket: bucket, key: key})
}

// setAside moves a row that cannot be trusted to the quarantine.
func (m *mending) setAside(bucket string, key, value []byte) {
	m.aside++
	name := append([]byte(bucket+"/"), key...)
	m.put(quarantineBucket, name, append([]byte{}, value...))
	m.delete(bucket, append([]byte{}, key...))
}

func (m *mending) apply() error {
	for _, c := range m.deletes {
		if err := m.turn.delete(c.bucket, c.key); err != nil {
			return err
		}
	}
	for _, c := range m.puts {
		if err := m.turn.put(c.bucket, c.key, c.old); err != nil {
			return err
		}
	}
	m.puts, m.deletes = nil, nil
	return nil
}

// records checks the records of a place, and that each is where its index row
// says.
func (m *mending) records(p Place) {
	bucket := placeBucket(m.queue, p)
	for k, v := range m.turn.txn.Walk(bucket, nil) {
		if p == Scheduled && k[0] == dueRow {
			continue // see dueMarks
		}
		seq, ok := parseNumberKey(recordRow, k)
		it, err := decodeRecord(v)
		if ok {
			m.turn.seq = max(m.turn.seq, seq) // never given out again, readable or not
		}
		if !ok || err != nil || it.Seq != seq {
			m.setAside(bucket, k, v)
			continue
		}
		switch home := m.home(p, it); {
		case home == 0:
			m.setAside(bucket, k, v)
		case home != p:
			m.put(placeBucket(m.queue, home), k, append([]byte{}, v...))
			m.delete(bucket, append([]byte{}, k...))
		}
	}
}

// home returns the place where a record found in p belongs, or 0 when its key
// is elsewhere. Without a good index row it is p, and gets one.
func (m *mending) home(p Place, it Item) Place {
	want := entryOf(p, it)
	raw := m.turn.txn.Get(bucketOf(m.queue, metadataStore), indexKey(it.Key))
	have, err := decodeEntry(it.Key, raw)
	switch {
	case err == nil && have == want:
		return p
	case m.homes[it.Key] || err == nil && m.leadsTo(it.Key, have):
		return 0
	case err == nil && have == entryOf(have.place, it):
		return have.place // a damaged tree has led to the wrong bucket
	}
	m.homes[it.Key] = true
	m.rows++
	m.put(bucketOf(m.queue, metadataStore), indexKey(it.Key), want.encode(it.Key))
	return p
}

// leadsTo reports whether an index row is right about its key.
func (m *mending) leadsTo(key int64, e entry) bool {
	switch e.place {
	case Remembered:
		return true
	case Scheduled, Processing, Dead:
		it, err := decodeRecord(m.turn.txn.Get(placeBucket(m.queue, e.place), recordKey(e.number)))
		return err == nil && it.Key == key && it.Seq == e.number && entryOf(e.place, it) == e
	}
	return false
}

// dueMarks gives every scheduled record its mark and removes the others.
func (m *mending) dueMarks() {
	bucket := placeBucket(m.queue, Scheduled)
	for k, v := range m.turn.txn.Walk(bucket, nil) {
		if k[0] != dueRow {
			it, err := decodeRecord(v)
			mark := dueKey(it.Due.UnixMilli(), it.Seq)
			if err == nil && m.turn.txn.Get(bucket, mark) == nil {
				m.rows++
				m.put(bucket, mark, present)
			}
			continue
		}
		ms, seq, ok := parseDueKey(k)
		if ok {
			it, err := decodeRecord(m.turn.txn.Get(bucket, recordKey(seq)))
			ok = err == nil && it.Due.UnixMilli() == ms
		}
		if !ok {
			m.delete(bucket, append([]byte{}, k...))
		}
	}
}

// index checks the row of each key, counts the items, and gives remembered
// keys their place in the order of finishing.
func (m *mending) index() {
	bucket := bucketOf(m.queue, metadataStore)
	for k, v := range m.turn.txn.Walk(bucket, nil) {
		if _, ok := parseNumberKey(finishedRow, k); ok {
			continue // see order
		}
		n, ok := parseNumberKey(indexRow, k)
		key := unordered(n)
		e, err := decodeEntry(key, v)
		switch {
		case !ok || err != nil:
			m.setAside(bucket, k, v)
		case !m.leadsTo(key, e):
			m.delete(bucket, append([]byte{}, k...))
		case e.place != Remembered:
			*m.counts.count(e.place)++
		default:
			want := finishedName(key)
			if !bytes.Equal(m.turn.txn.Get(bucket, finishedKey(e.number)), want) {
				m.rows++
				m.put(bucket, finishedKey(e.number), want)
			}
		}
	}
}

// order removes the rows of keys that are not remembered and counts the rest.
func (m *mending) order() {
	bucket := bucketOf(m.queue, metadataStore)
	for k, v := range m.turn.txn.Walk(bucket, []byte{finishedRow}) {
		number, ok := parseNumberKey(finishedRow, k)
		if ok && len(v) == 8 {
			key := int64(binary.BigEndian.Uint64(v))
			e, err := decodeEntry(key, m.turn.txn.Get(bucket, indexKey(key)))
			ok = err == nil && e.place == Remembered && e.number == number
		} else {
			ok = false
		}
		if !ok {
			m.delete(bucket, append([]byte{}, k...))
			continue
		}
		m.counts.remembered++
		m.counts.nextFinish = max(m.counts.nextFinish, number+1)
	}
}
