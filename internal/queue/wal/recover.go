package wal

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// left is a log file as Open found it.
type left struct {
	file   *logFile
	data   []byte
	header header
	err    error // of the header
	empty  bool  // nothing was ever written
	scan   scan
	other  bool // it is another queue's
	aside  bool // to be set aside
	reason string
}

// recover brings the back end inside up to what the log files have, sets
// damaged files aside and starts both anew.
func (l *Log) recover(content [2][]byte) error {
	m, known, err := l.readMark()
	if err != nil {
		return err
	}
	files, err := l.leftBehind(content)
	if err != nil {
		return err
	}
	if !known {
		m.id = adopt(files)
	}
	l.id, l.seed, l.number = m.id, m.id.seed(), m.applied
	for _, f := range files {
		l.examine(f)
		l.generation = max(l.generation, f.header.generation)
	}
	if err := l.replay(files, known); err != nil {
		return err
	}
	for _, f := range files {
		if f.aside {
			if err := l.keep(f); err != nil {
				return err
			}
		}
		l.restart(f.file, l.nextHeader())
	}
	return nil
}

func (l *Log) readMark() (m mark, known bool, err error) {
	err = l.inner.View(func(tx queue.Txn) error {
		raw := tx.Get(markBucket, []byte(markKey))
		if m, known = decodeMark(raw); raw != nil && !known {
			l.config.Logger.Error("queue_log_mark_damaged", "file", l.files[0].name)
		}
		return nil
	})
	return m, known, err
}

// leftBehind reads the headers of both files.
func (l *Log) leftBehind(content [2][]byte) ([]*left, error) {
	var all []*left
	for i, f := range l.files {
		b := &left{file: f, data: content[i]}
		b.empty = !slices.ContainsFunc(b.data, func(c byte) bool { return c != 0 })
		if !b.empty {
			b.header, b.err = decodeHeader(b.data)
		}
		if errors.Is(b.err, errNewer) {
			return nil, &job.Error{
				Kind:    job.Conflict,
				Message: fmt.Sprintf("queue log %s has a format that this version does not know", f.name),
				Hint:    "start the newer version that wrote it, or give this one another folder",
			}
		}
		all = append(all, b)
	}
	return all, nil
}

// adopt returns the identity that the files have, for a back end that has
// none, or a new one.
func adopt(files []*left) identity {
	for _, f := range files {
		if !f.empty && f.err == nil {
			return f.header.id
		}
	}
	var id identity
	_, _ = rand.Read(id[:]) // it never fails
	return id
}

// examine finds the records of a file that are not inside yet.
func (l *Log) examine(f *left) {
	switch {
	case f.empty:
		return
	case f.err == nil && f.header.id != l.id:
		f.other, f.aside, f.reason = true, true, "it belongs to another queue file"
		return
	}
	s := scanner{data: f.data, seed: l.seed, generation: f.header.generation, any: f.err != nil, after: l.number}
	f.scan = s.scan()
	switch {
	case f.err != nil:
		f.aside, f.reason = true, "its header is damaged"
	case f.scan.damaged:
		f.aside, f.reason = true, "records in it are damaged"
	case f.scan.unfinished:
		l.config.Logger.Warn("queue_log_tail_unfinished", "file", f.file.name)
	}
}

// replay writes all records to the back end inside, in their order and in one
// transaction.
func (l *Log) replay(files []*left, known bool) error {
	sources := make(map[uint64]*left)
	var records []found
	for _, f := range files {
		for _, r := range f.scan.records {
			if sources[r.number] == nil {
				sources[r.number] = f
				records = append(records, r)
			}
		}
	}
	slices.SortFunc(records, func(a, b found) int { return cmp.Compare(a.number, b.number) })
	all := newLayer(l.number)
	var before *left
	lost := l.lostAtEnds(files, records, known)
	for _, r := range records {
		source := sources[r.number]
		if r.number != all.last+1 && (known || before != nil) {
			blame(before, source)
			lost += r.number - all.last - 1
		}
		if !replay(all, r.operations) && !source.aside {
			source.aside, source.reason = true, "a record cannot be understood"
			lost++
		}
		all.last, before = r.number, source
	}
	l.number = all.last
	if known && len(records) == 0 && lost == 0 {
		return nil
	}
	return l.inner.Update(func(tx queue.Txn) error {
		loss := queue.Loss(min(lost, uint64(queue.LossMany)))
		return errors.Join(l.apply(tx, l.number, all), queue.RecordLoss(tx, loss))
	})
}

// lostAtEnds returns how many records may be missing where no number says so: one
// behind the last of all, when the end there is not clean, and any number of a
// file that was cut short, is another queue's, or has gone, as of a back end that
// has gone.
func (l *Log) lostAtEnds(files []*left, records []found, known bool) (lost uint64) {
	for _, f := range files {
		last := f.header.generation == l.generation
		if n := len(f.scan.records); n > 0 {
			last = f.scan.records[n-1].number == records[len(records)-1].number
		}
		switch {
		case f.other, f.empty == known, f.scan.cut:
			lost += uint64(queue.LossMany)
		case f.scan.unfinished && last:
			lost++
		}
	}
	return lost
}

// blame says which file has lost the records between two that were found: one
// that is known to be damaged, or else the first, at its end.
func blame(before, behind *left) {
	switch {
	case behind.aside || before != nil && before.aside:
	case before != nil:
		before.aside, before.reason = true, "its last records are missing"
	default:
		behind.aside, behind.reason = true, "the records before its first are missing"
	}
}

// keep sets a damaged file aside and puts an empty one in its place.
func (l *Log) keep(b *left) error {
	f := b.file
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("close queue log %s: %w", f.name, err)
	}
	aside, err := l.asideName(f.name)
	if err != nil {
		return err
	}
	if err := l.disk.Rename(f.name, aside); err != nil {
		return fmt.Errorf("set damaged queue log %s aside: %w", f.name, err)
	}
	l.setAside = append(l.setAside, aside)
	l.config.Logger.Error("queue_log_damaged", "file", f.name, "set_aside_as", aside,
		"reason", b.reason, "records_saved", len(b.scan.records))
	if f.file, _, err = l.disk.Open(f.name); err != nil {
		return fmt.Errorf("open queue log %s: %w", f.name, err)
	}
	f.size, f.used = 0, 0
	return nil
}

// asideName returns a name that is not taken.
func (l *Log) asideName(name string) (string, error) {
	base := fmt.Sprintf("%s.damaged-%d", name, time.Now().Unix())
	aside := base
	for i := 2; ; i++ {
		taken, err := l.disk.Exists(aside)
		if err != nil {
			return "", fmt.Errorf("set damaged queue log %s aside: %w", name, err)
		}
		if !taken {
			return aside, nil
		}
		aside = fmt.Sprintf("%s-%d", base, i)
	}
}
