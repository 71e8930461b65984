package queue_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// row is a row of a back end.
type row struct{ bucket, key, value string }

// buckets are those that a store with one queue "tasks" has.
var buckets = []string{"config", "tasks.scheduled", "tasks.processing", "tasks.dead", "tasks.metadata", "quarantine"}

func rows(t *testing.T, b queue.Backend) []row {
	t.Helper()
	var all []row
	err := b.View(func(tx queue.Txn) error {
		for _, name := range buckets {
			for k, v := range tx.Walk(name, nil) {
				all = append(all, row{name, string(k), string(v)})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// filled returns a back end with keys 1 and 2 scheduled, 3 and 4 in
// processing, 5 and 6 dead, 7 and 8 finished.
func filled(t *testing.T) *mem.Backend {
	t.Helper()
	b := mem.New()
	s := open(t, b, queue.Config{})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{})
	err := s.Update(t.Context(), func(tx *queue.Tx) error {
		var errs []error
		for key := int64(1); key <= 8; key++ {
			it := queue.Item{Key: key, Due: day, Body: fmt.Appendf(nil, "body of %d", key)}
			errs = append(errs, q.PushStarted(tx, it))
		}
		return errors.Join(append(errs,
			q.Defer(tx, 1, day, ""), q.Defer(tx, 2, day, ""), q.Bury(tx, 5, ""), q.Bury(tx, 6, ""),
			q.Ack(tx, 7, day), q.Ack(tx, 8, day), tx.SetMeta("id", []byte("x")))...)
	})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	return b
}

// state is what a caller sees of every key.
func state(t *testing.T, s *queue.Store) map[int64]string {
	t.Helper()
	q := s.Queue("tasks", queue.QueueConfig{})
	found := make(map[int64]string)
	err := s.View(t.Context(), func(tx *queue.Tx) error {
		for key := int64(-1000); key < 1000; key++ {
			it, p, ok, err := q.Find(tx, key)
			if err != nil {
				return err
			}
			if ok {
				found[key] = fmt.Sprintf("%s %s", p, it.Body)
			}
		}
		var listed queue.Stats
		for p, n := range map[queue.Place]*int{
			queue.Scheduled: &listed.Scheduled, queue.Processing: &listed.Processing, queue.Dead: &listed.Dead,
		} {
			items, err := q.List(tx, p, 0, 100)
			if err != nil {
				return err
			}
			*n = len(items)
			for _, it := range items {
				if want := fmt.Sprintf("%s %s", p, it.Body); found[it.Key] != want {
					t.Errorf("listed %d as %s, found it as %s", it.Key, want, found[it.Key])
				}
			}
		}
		st, err := q.Stats(tx)
		listed.Remembered, listed.Damaged, listed.Evicted = st.Remembered, st.Damaged, st.Evicted
		if st != listed {
			t.Errorf("counted %+v, listed %+v", st, listed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func put(t *testing.T, b queue.Backend, changes ...row) {
	t.Helper()
	err := b.Update(func(tx queue.Txn) error {
		for _, c := range changes {
			if err := tx.Put(c.bucket, []byte(c.key), []byte(c.value)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, b queue.Backend, r row) {
	t.Helper()
	if err := b.Update(func(tx queue.Txn) error { return tx.Delete(r.bucket, []byte(r.key)) }); err != nil {
		t.Fatal(err)
	}
}

func TestWholeQueueIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	b := filled(t)
	before := rows(t, b)
	open(t, b, queue.Config{})
	if diff := cmp.Diff(before, rows(t, b), cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("opening changed rows (-before +after)\n%s", diff)
	}
}

// TestOneDamagedRowHurtsOneItem damages every row of the file in turn, in its
// value, in its key, and by losing it.
func TestOneDamagedRowHurtsOneItem(t *testing.T) {
	t.Parallel()
	whole := state(t, open(t, filled(t), queue.Config{}))
	if len(whole) != 8 {
		t.Fatalf("started with %v", whole)
	}
	flip := func(s string, bit int) string {
		b := []byte(s)
		b[bit/8] ^= 1 << (bit % 8)
		return string(b)
	}
	for i, r := range rows(t, filled(t)) {
		damages := map[string]func(b queue.Backend){"lost": func(b queue.Backend) { remove(t, b, r) }}
		for bit := 0; bit < 8*len(r.value); bit += 11 {
			damages[fmt.Sprintf("value bit %d", bit)] = func(b queue.Backend) {
				put(t, b, row{r.bucket, r.key, flip(r.value, bit)})
			}
		}
		for bit := 0; bit < 8*len(r.key); bit += 7 {
			damages[fmt.Sprintf("key bit %d", bit)] = func(b queue.Backend) {
				remove(t, b, r)
				put(t, b, row{r.bucket, flip(r.key, bit), r.value})
			}
		}
		for name, damage := range damages {
			b := filled(t)
			damage(b)
			s := open(t, b, queue.Config{})
			stop := run(t, s)
			if r.bucket == "config" && strings.HasPrefix(r.key, "queue/") {
				mendCounts(t, s)
			}
			missing := 0
			got := state(t, s)
			for key, want := range whole {
				switch got[key] {
				case want:
				case "":
					missing++
				default:
					t.Errorf("row %d %s: key %d became %q", i, name, key, got[key])
				}
			}
			if missing > 1 || len(got)+missing > 8 {
				t.Errorf("row %d of %s, %s: left are %v", i, r.bucket, name, got)
			}
			if err := push(s, s.Queue("tasks", queue.QueueConfig{}), 900); err != nil {
				t.Errorf("row %d %s: %v", i, name, err)
			}
			state(t, s)
			stop()
		}
	}
}

// mendCounts looks at counts whose row may be gone, which has it made anew.
func mendCounts(t *testing.T, s *queue.Store) {
	t.Helper()
	q := s.Queue("tasks", queue.QueueConfig{})
	look := func(tx *queue.Tx) error { _, err := q.Stats(tx); return err }
	if err := s.View(t.Context(), look); err != nil {
		wantKind(t, err, job.Unavailable)
	}
	wantNil(t, s.Update(t.Context(), func(*queue.Tx) error { return nil }))
	wantNil(t, s.View(t.Context(), look))
}

func TestDamagedRecordIsSetAsideAtOpen(t *testing.T) {
	t.Parallel()
	b := filled(t)
	var raw string
	for _, r := range rows(t, b) {
		if r.bucket == "tasks.processing" && strings.Contains(r.value, "body of 3") {
			raw = r.value[:20] + "x" + r.value[21:]
			put(t, b, row{r.bucket, r.key, raw})
		}
	}
	var log bytes.Buffer
	told := make(map[string]int)
	s := open(t, b, queue.Config{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Hooks:  queue.Hooks{Damaged: func(queue string, rows int) { told[queue] += rows }},
	})
	got := state(t, s)
	if _, found := got[3]; found || len(got) != 7 {
		t.Errorf("left are %v", got)
	}
	kept := false
	for _, r := range rows(t, b) {
		kept = kept || r.bucket == "quarantine" && r.value == raw
	}
	if !kept {
		t.Error("the damaged record was not kept")
	}
	if told["tasks"] == 0 || !strings.Contains(log.String(), "queue_damage_set_aside") {
		t.Errorf("told %v, the log says\n%s", told, &log)
	}
	again := open(t, b, queue.Config{Hooks: queue.Hooks{Damaged: func(string, int) { t.Error("told twice") }}})
	if n := len(state(t, again)); n != 7 {
		t.Errorf("%d items after another start", n)
	}
}

// TestDamageDuringWorkBlocksNothing damages records of a store that is in use.
func TestDamageDuringWorkBlocksNothing(t *testing.T) {
	t.Parallel()
	b := filled(t)
	s := open(t, b, queue.Config{})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{})
	for _, r := range rows(t, b) {
		if strings.Contains(r.value, "body of 1") || strings.Contains(r.value, "body of 4") || strings.Contains(r.value, "body of 5") {
			put(t, b, row{r.bucket, r.key, r.value[:len(r.value)-1] + "\x00"})
		}
	}
	claim := func() (keys []int64) {
		err := s.Update(t.Context(), func(tx *queue.Tx) error {
			keys = nil
			items, err := q.Claim(tx, day, 9)
			for _, it := range items {
				keys = append(keys, it.Key)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if diff := cmp.Diff([]int64{2}, claim()); diff != "" {
		t.Fatalf("claimed (-want +got)\n%s", diff)
	}
	// The claim had the whole queue mended.
	want := map[int64]string{
		2: "processing body of 2", 3: "processing body of 3", 6: "dead body of 6", 7: "finished ", 8: "finished ",
	}
	if diff := cmp.Diff(want, state(t, s)); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
	if err := push(s, q, 1); err != nil {
		t.Errorf("a key whose record was damaged cannot be pushed again: %v", err)
	}
	stop()
}

func TestDamagedKeyIsUnavailableOnce(t *testing.T) {
	t.Parallel()
	for _, do := range []string{"nack", "find", "list"} {
		b := filled(t)
		s := open(t, b, queue.Config{})
		stop := run(t, s)
		q := s.Queue("tasks", queue.QueueConfig{})
		for _, r := range rows(t, b) {
			if strings.Contains(r.value, "body of 4") {
				put(t, b, row{r.bucket, r.key, "nonsense"})
			}
		}
		nack := func() error {
			return s.Update(t.Context(), func(tx *queue.Tx) error { return q.Nack(tx, 4, day, "") })
		}
		switch do {
		case "nack":
			wantKind(t, nack(), job.Unavailable)
		case "find":
			wantKind(t, s.View(t.Context(), func(tx *queue.Tx) error {
				_, _, _, err := q.Find(tx, 4)
				return err
			}), job.Unavailable)
		case "list":
			wantKind(t, s.View(t.Context(), func(tx *queue.Tx) error {
				items, err := q.List(tx, queue.Processing, 0, 9)
				if len(items) != 1 {
					t.Errorf("listed %v", items)
				}
				return err
			}), "")
		}
		// The writer has mended it by the next turn.
		wantNil(t, s.Update(t.Context(), func(*queue.Tx) error { return nil }))
		wantKind(t, nack(), job.NotFound)
		stop()
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	b := filled(t)
	put(t, b, row{"config", "format", string(queue.Seal("format", []byte{2}))})
	before := rows(t, b)
	_, err := queue.Open(b, queue.Config{})
	wantKind(t, err, job.Conflict)
	if diff := cmp.Diff(before, rows(t, b), cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("a refused file was changed (-before +after)\n%s", diff)
	}
}
