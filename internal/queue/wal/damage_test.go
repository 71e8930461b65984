package wal

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// left is what a process that was killed has left behind: some transactions
// in the back end inside, the others in the two files.
type ruin struct {
	disk  *faultyDisk
	inner *mem.Backend
	want  rows
	last  string // the row of the last transaction
}

const transactions = 12

func rowOf(i int) (bucket, key, value string) {
	return buckets[i%2], fmt.Sprintf("key%02d", i), strings.Repeat(fmt.Sprintf("value %d.", i), 5)
}

// ruined makes a ruin of which both files have some transactions.
func ruined(t *testing.T) ruin {
	t.Helper()
	r := ruin{disk: newFaultyDisk(1), want: make(rows)}
	inner := &faultyInner{Backend: mem.New(), disk: r.disk}
	l, err := open(r.disk, "queue.log", inner, Config{LogBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range transactions {
		bucket, key, value := rowOf(i)
		switch i {
		case 3:
			if err := l.writeBack(); err != nil {
				t.Fatal(err)
			}
		case 7: // a checkpoint begins and is never finished
			l.freeze(l.state.Load().active)
		}
		err := l.Update(func(tx queue.Txn) error { return tx.Put(bucket, []byte(key), []byte(value)) })
		if err != nil {
			t.Fatal(err)
		}
		r.want[bucket+key], r.last = value, bucket+key
	}
	r.inner = inner.Reopen()
	return r
}

// reopened opens a copy of a ruin after do has changed it.
func (r ruin) reopened(t *testing.T, where string, do func(d *faultyDisk, inner *mem.Backend)) (rows, *Log, *faultyDisk, queue.Loss) {
	t.Helper()
	d := r.disk.reboot(1)
	inner := r.inner.Reopen()
	do(d, inner)
	l, err := open(d, "queue.log", inner, tiny)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	got, loss := all(t, l), lossOf(t, l)
	if err := l.Close(); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	again, err := open(d, "queue.log", inner.Reopen(), tiny)
	if err != nil || len(again.SetAside()) > 0 || !maps.Equal(all(t, again), got) || lossOf(t, again) != loss {
		t.Fatalf("%s: opened again, %v: %v", where, err, again.SetAside())
	}
	return got, l, d, loss
}

// lossOf returns what the back end inside says is missing.
func lossOf(t *testing.T, l *Log) (loss queue.Loss) {
	t.Helper()
	noError(t, l.View(func(tx queue.Txn) error {
		if raw := tx.Get(queue.LossBucket, []byte(queue.LossKey)); raw != nil {
			loss = queue.Loss(raw[0])
		}
		return nil
	}))
	return loss
}

// missing checks that nothing was changed or made up and returns what is gone.
func (r ruin) missing(t *testing.T, where string, got rows) (gone []string) {
	t.Helper()
	for key, value := range got {
		if r.want[key] != value {
			t.Errorf("%s: row %q was never there", where, key)
		}
	}
	for key := range r.want {
		if _, found := got[key]; !found {
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	return gone
}

func TestRuinIsWhole(t *testing.T) {
	t.Parallel()
	r := ruined(t)
	got, l, _, loss := r.reopened(t, "whole", func(*faultyDisk, *mem.Backend) {})
	if gone := r.missing(t, "whole", got); len(gone) > 0 || len(l.SetAside()) > 0 || loss != queue.LossNone {
		t.Errorf("%v are gone, %v is set aside, loss %d", gone, l.SetAside(), loss)
	}
	frozen, current := r.disk.files["queue.log"], r.disk.files["queue.log2"]
	for i, f := range []*faultyFile{frozen, current} {
		if n := len(bytes.TrimRight(f.durable, "\x00")); n < blockBytes+200 {
			t.Errorf("file %d has %d bytes", i, n)
		}
	}
}

// TestEveryBit flips bits of both files: at most one transaction is lost, its loss is
// noted, and unless it is the last one, the file is kept and reported.
func TestEveryBit(t *testing.T) {
	t.Parallel()
	r := ruined(t)
	for _, name := range []string{"queue.log", "queue.log2"} {
		whole := r.disk.files[name].durable
		used := len(bytes.TrimRight(whole, "\x00"))
		for bit := 0; bit < used*8; bit += flipEvery {
			if bit == headerBytes*8+flipEvery-(headerBytes*8)%flipEvery { // the rest of the block is empty
				bit = blockBytes * 8
			}
			where := fmt.Sprintf("bit %d of %s", bit, name)
			var damaged []byte
			got, l, d, loss := r.reopened(t, where, func(d *faultyDisk, _ *mem.Backend) {
				d.files[name].now[bit/8] ^= 1 << (bit % 8)
				damaged = slices.Clone(d.files[name].now)
			})
			gone := r.missing(t, where, got)
			told := len(l.SetAside()) == 1 && bytes.Equal(d.files[l.SetAside()[0]].now, damaged)
			if len(gone) > 0 && loss != queue.LossOne {
				t.Errorf("%s: %v are gone, and the loss is noted as %d", where, gone, loss)
			}
			switch {
			case len(gone) > 1:
				t.Errorf("%s: %v are gone", where, gone)
			case len(gone) == 1 && gone[0] == r.last: // the tail, as a power cut leaves it
			case len(gone) == 1 && !told, bit < headerBytes*8 && !told:
				t.Errorf("%s: %v are gone, %v was set aside", where, gone, l.SetAside())
			}
		}
	}
}

// TestEveryCut cuts the files short at many places.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	r := ruined(t)
	for _, name := range []string{"queue.log", "queue.log2"} {
		used := len(bytes.TrimRight(r.disk.files[name].durable, "\x00"))
		for n := 0; n < used; n += cutEvery {
			where := fmt.Sprintf("%s cut to %d bytes", name, n)
			got, l, _, loss := r.reopened(t, where, func(d *faultyDisk, _ *mem.Backend) {
				d.files[name].now = d.files[name].now[:n]
			})
			gone := r.missing(t, where, got)
			if name == "queue.log" && len(gone) > 0 && n > headerBytes && len(l.SetAside()) == 0 {
				t.Errorf("%s: %v are gone and nobody was told", where, gone)
			}
			if len(gone) > 0 && loss == queue.LossNone || len(gone) > 1 && name == "queue.log" && loss != queue.LossMany {
				t.Errorf("%s: %v are gone, and the loss is noted as %d", where, gone, loss)
			}
		}
	}
}

// TestLostFiles takes whole files away, and exchanges them.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	r, other := ruined(t), ruined(t)
	for name, tc := range map[string]struct {
		do    func(d *faultyDisk, inner *mem.Backend)
		gone  int
		aside int
	}{
		"the frozen file": {func(d *faultyDisk, _ *mem.Backend) { delete(d.files, "queue.log") }, 4, 1},
		"the current file": {
			func(d *faultyDisk, _ *mem.Backend) { delete(d.files, "queue.log2") }, 5, 0,
		},
		"the back end's rows": {func(_ *faultyDisk, inner *mem.Backend) {
			clearBuckets(inner, "a", "b", markBucket)
		}, 3, 0},
		"the mark": {func(_ *faultyDisk, inner *mem.Backend) { clearBuckets(inner, markBucket) }, 0, 0},
		"files of another queue": {func(d *faultyDisk, _ *mem.Backend) {
			for _, name := range []string{"queue.log", "queue.log2"} {
				d.files[name] = other.disk.reboot(1).files[name]
				d.files[name].disk = d
			}
		}, 9, 2},
		"an exchange": {func(d *faultyDisk, _ *mem.Backend) {
			d.files["queue.log"], d.files["queue.log2"] = d.files["queue.log2"], d.files["queue.log"]
		}, 0, 0},
		"both headers": {func(d *faultyDisk, _ *mem.Backend) {
			d.files["queue.log"].now[9]++
			d.files["queue.log2"].now[9]++
		}, 0, 2},
	} {
		got, l, _, loss := r.reopened(t, name, tc.do)
		if (loss == queue.LossMany) != (tc.gone > 0 || name == "the mark") {
			t.Errorf("%s: the loss is noted as %d", name, loss)
		}
		if gone := r.missing(t, name, got); len(gone) != tc.gone || len(l.SetAside()) != tc.aside {
			t.Errorf("%s: %v are gone, %v was set aside", name, gone, l.SetAside())
		}
	}
}

// TestOnlyRecord flips each byte of a record that is alone in the current file.
func TestOnlyRecord(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	inner := &faultyInner{Backend: mem.New(), disk: d}
	l, err := open(d, "queue.log", inner, Config{LogBytes: 64 << 10})
	noError(t, err)
	noError(t, set(l, "first", "1"))
	l.freeze(l.state.Load().active)
	noError(t, set(l, "second", "2"))
	used := len(bytes.TrimRight(d.files["queue.log2"].now, "\x00"))
	for at := blockBytes; at < used; at++ {
		next := d.reboot(1)
		next.files["queue.log2"].now[at] ^= 0x40
		again, err := open(next, "queue.log", inner.Reopen(), tiny)
		noError(t, err)
		if got, loss := all(t, again), lossOf(t, again); len(got) != 1 || loss != queue.LossOne {
			t.Errorf("byte %d: %v, the loss is noted as %d", at, got, loss)
		}
	}
}

func clearBuckets(b *mem.Backend, names ...string) {
	_ = b.Update(func(tx queue.Txn) error {
		for _, name := range names {
			var keys [][]byte
			for k := range tx.Walk(name, nil) {
				keys = append(keys, k)
			}
			for _, k := range keys {
				if err := tx.Delete(name, k); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	r := ruined(t)
	d := r.disk.reboot(1)
	d.files["queue.log"].now[blockBytes+recordHeader+5]++
	var log bytes.Buffer
	l, err := open(d, "queue.log", r.inner.Reopen(), Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "queue_log_damaged") || !strings.Contains(log.String(), l.SetAside()[0]) {
		t.Errorf("set aside %v, the log says\n%s", l.SetAside(), &log)
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	r := ruined(t)
	d := r.disk.reboot(1)
	h := header{generation: 1}.encode()
	h[8] = fileVersion + 1
	h = append(h[:headerBytes-4], sumOf(h[:headerBytes-4])...)
	copy(d.files["queue.log"].now, h)
	before := slices.Clone(d.files["queue.log"].now)
	_, err := open(d, "queue.log", r.inner.Reopen(), tiny)
	if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "queue.log") {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(d.files["queue.log"].now, before) {
		t.Error("a refused file was changed")
	}
}

// TestDatabaseBits flips bits of the back end's file beside a whole log: what
// the log has is there afterwards.
func TestDatabaseBits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, log := filepath.Join(dir, "queue.db"), filepath.Join(dir, "queue.log")
	opened := func(where string) (*Log, *bolt.Backend) {
		t.Helper()
		inner, err := bolt.Open(db, bolt.Config{})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		l, err := Open(log, inner, tiny)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		return l, inner
	}
	l, _ := opened("new")
	put := func(i int) {
		bucket, key, value := rowOf(i)
		if err := l.Update(func(tx queue.Txn) error { return tx.Put(bucket, []byte(key), []byte(value)) }); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 6 {
		put(i)
	}
	if err := l.writeBack(); err != nil {
		t.Fatal(err)
	}
	for i := 6; i < transactions; i++ {
		put(i)
	}
	files := make(map[string][]byte)
	for _, name := range []string{db, log, log + "2"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(files[db], "\x00"))
	for bit := 0; bit < used*8; bit += flipEvery * 163 {
		where := fmt.Sprintf("bit %d of the database", bit)
		for name, data := range files {
			data = slices.Clone(data)
			if name == db {
				data[bit/8] ^= 1 << (bit % 8)
			}
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, inner := opened(where)
		got := all(t, l)
		for i := 6; i < transactions; i++ {
			if bucket, key, value := rowOf(i); got[bucket+key] != value {
				t.Errorf("%s: row %d is %q", where, i, got[bucket+key])
			}
		}
		if err := l.Close(); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		for _, aside := range append(l.SetAside(), inner.SetAside()) {
			if aside == "" {
				continue
			}
			if err := os.Remove(aside); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	inner := mem.New()
	if _, err := Open(filepath.Join(t.TempDir(), "none", "queue.log"), inner, Config{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := Open(t.TempDir(), inner, Config{}); err == nil {
		t.Error("a folder was opened")
	}
	if err := inner.View(func(queue.Txn) error { return nil }); err != nil {
		t.Errorf("the back end was closed: %v", err)
	}
}
