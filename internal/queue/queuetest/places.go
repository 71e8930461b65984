package queuetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// places walks one item through every place and looks at it everywhere.
func (s suite) places(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{})
	r.update(t, func(tx *queue.Tx) error {
		return q.Push(tx, queue.Item{Key: 7, Due: day, AddedAt: day.Add(-time.Hour), Body: []byte("body"), Note: "new"})
	})
	want := queue.Item{Key: 7, Due: day, AddedAt: day.Add(-time.Hour), Seq: 1, Body: []byte("body"), Note: "new"}
	later := day.Add(time.Minute)
	for _, step := range []struct {
		name   string
		do     func(tx *queue.Tx) error
		change func()
		place  queue.Place
	}{
		{"pushed", func(*queue.Tx) error { return nil }, func() {}, queue.Scheduled},
		{"start", func(tx *queue.Tx) error { return q.Start(tx, 7) }, func() {}, queue.Processing},
		{
			"nack", func(tx *queue.Tx) error { return q.Nack(tx, 7, later, "again") },
			func() { want.Due, want.Note, want.Tries = later, "again", 1 }, queue.Scheduled,
		},
		{
			"defer scheduled", func(tx *queue.Tx) error { return q.Defer(tx, 7, day, "sooner") },
			func() { want.Due, want.Note = day, "sooner" }, queue.Scheduled,
		},
		{"claim", func(tx *queue.Tx) error {
			items, err := q.Claim(tx, day, 5)
			if err == nil && len(items) != 1 {
				return fmt.Errorf("claimed %d items", len(items))
			}
			return err
		}, func() {}, queue.Processing},
		{
			"defer processing", func(tx *queue.Tx) error { return q.Defer(tx, 7, later, "busy") },
			func() { want.Due, want.Note = later, "busy" }, queue.Scheduled,
		},
		{"start before due", func(tx *queue.Tx) error { return q.Start(tx, 7) }, func() {}, queue.Processing},
		{
			"bury", func(tx *queue.Tx) error { return q.Bury(tx, 7, "gave up") },
			func() { want.Note = "gave up" }, queue.Dead,
		},
		{
			"redrive", func(tx *queue.Tx) error { return q.Redrive(tx, 7, day) },
			func() { want.Due, want.Tries = day, 0 }, queue.Scheduled,
		},
		{
			"drop", func(tx *queue.Tx) error { return q.Drop(tx, 7, day) },
			func() { want = queue.Item{Key: 7} }, queue.Remembered,
		},
	} {
		r.update(t, step.do)
		step.change()
		r.check(t, q, step.name, want, step.place)
	}
}

// check finds one item that is alone in its queue by every means.
func (r *rig) check(t *testing.T, q *queue.Queue, step string, want queue.Item, place queue.Place) {
	t.Helper()
	r.view(t, func(tx *queue.Tx) error {
		it, p, found, err := q.Find(tx, want.Key)
		equal(t, step+": found", found, true)
		equal(t, step+": item", it, want)
		equal(t, step+": place", p, place)
		due, waiting, err2 := q.Due(tx)
		equal(t, step+": due", waiting, place == queue.Scheduled)
		if waiting {
			equal(t, step+": due at", due, want.Due)
		}
		st, err3 := q.Stats(tx)
		var wantStats queue.Stats
		for p, n := range map[queue.Place]*int{
			queue.Scheduled: &wantStats.Scheduled, queue.Processing: &wantStats.Processing,
			queue.Dead: &wantStats.Dead, queue.Remembered: &wantStats.Remembered,
		} {
			if p == place {
				*n = 1
			}
			if p == queue.Remembered {
				continue
			}
			items, err := q.List(tx, p, 0, 9)
			equal(t, step+": listed in "+p.String(), len(items) == 1, p == place)
			if err != nil {
				return err
			}
		}
		equal(t, step+": stats", st, wantStats)
		for _, err := range []error{err, err2, err3} {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (s suite) order(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{})
	r.update(t, func(tx *queue.Tx) error {
		for i, seconds := range []int{30, 10, 20, 10, 0, 40} {
			due := day.Add(time.Duration(seconds) * time.Second)
			if err := q.Push(tx, queue.Item{Key: int64(i), Due: due}); err != nil {
				return err
			}
		}
		return q.Push(tx, queue.Item{Key: -1}) // no Due: before all
	})
	claim := func(after time.Duration, n int) (keys []int64) {
		r.update(t, func(tx *queue.Tx) error {
			keys = nil
			items, err := q.Claim(tx, day.Add(after), n)
			for _, it := range items {
				keys = append(keys, it.Key)
			}
			return err
		})
		return keys
	}
	equal(t, "nothing asked", claim(time.Hour, 0), []int64(nil))
	equal(t, "by due, then by arrival", claim(10*time.Second, 3), []int64{-1, 4, 1})
	equal(t, "not before due", claim(20*time.Second-time.Millisecond, 9), []int64{3})
	equal(t, "at due exactly", claim(20*time.Second, 9), []int64{2})
	equal(t, "scheduled by arrival", r.keys(t, q, queue.Scheduled), []int64{0, 5})
	equal(t, "processing by arrival", r.keys(t, q, queue.Processing), []int64{1, 2, 3, 4, -1})
	r.view(t, func(tx *queue.Tx) error {
		var keys []int64
		after := uint64(0)
		for {
			items, err := q.List(tx, queue.Processing, after, 2)
			if err != nil || len(items) == 0 {
				equal(t, "by pages", keys, []int64{1, 2, 3, 4, -1})
				return err
			}
			for _, it := range items {
				keys = append(keys, it.Key)
				after = it.Seq
			}
		}
	})
}

// kinds tries every method on a key in every place where it must not work.
func (s suite) kinds(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{})
	r.update(t, func(tx *queue.Tx) error {
		for key := int64(1); key <= 4; key++ {
			if err := q.PushStarted(tx, queue.Item{Key: key}); err != nil {
				return err
			}
		}
		if err := q.Defer(tx, 1, day, ""); err != nil {
			return err
		}
		if err := q.Bury(tx, 3, ""); err != nil {
			return err
		}
		return q.Ack(tx, 4, day)
	})
	const scheduled, processing, dead, finished, absent = 1, 2, 3, 4, 5
	for name, m := range map[string]struct {
		do    func(tx *queue.Tx, key int64) error
		works []int64
		kind  job.Kind
	}{
		"Push":        {func(tx *queue.Tx, k int64) error { return q.Push(tx, queue.Item{Key: k}) }, []int64{absent}, job.Duplicate},
		"PushStarted": {func(tx *queue.Tx, k int64) error { return q.PushStarted(tx, queue.Item{Key: k}) }, []int64{absent}, job.Duplicate},
		"Start":       {q.Start, []int64{scheduled}, job.NotFound},
		"Ack":         {func(tx *queue.Tx, k int64) error { return q.Ack(tx, k, day) }, []int64{processing}, job.NotFound},
		"Drop":        {func(tx *queue.Tx, k int64) error { return q.Drop(tx, k, day) }, []int64{scheduled}, job.NotFound},
		"Nack":        {func(tx *queue.Tx, k int64) error { return q.Nack(tx, k, day, "") }, []int64{processing}, job.NotFound},
		"Defer":       {func(tx *queue.Tx, k int64) error { return q.Defer(tx, k, day, "") }, []int64{scheduled, processing}, job.NotFound},
		"Bury":        {func(tx *queue.Tx, k int64) error { return q.Bury(tx, k, "") }, []int64{processing}, job.NotFound},
		"Redrive":     {func(tx *queue.Tx, k int64) error { return q.Redrive(tx, k, day) }, []int64{dead}, job.NotFound},
		"Purge":       {q.Purge, []int64{dead}, job.NotFound},
		"Fail":        {func(tx *queue.Tx, k int64) error { _, err := q.Fail(tx, k, day, nil, 0); return err }, []int64{processing}, job.NotFound},
	} {
		for key := int64(scheduled); key <= absent; key++ {
			want := m.kind
			for _, k := range m.works {
				if k == key {
					want = ""
				}
			}
			var got error
			err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
				got = m.do(tx, key)
				return errUndo
			})
			if err != errUndo { //nolint:errorlint // Update promises the very error, unwrapped.
				t.Fatal(err)
			}
			if job.KindOf(got) != want {
				t.Errorf("%s of key %d: got %v, want kind %q", name, key, got, want)
			}
		}
	}
	equal(t, "counts after all was undone", r.stats(t, q), queue.Stats{Scheduled: 1, Processing: 1, Dead: 1, Remembered: 1})
}
