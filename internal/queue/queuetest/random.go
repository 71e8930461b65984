package queuetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// model does random operations, some of them undone, with restarts between,
// and compares everything that can be seen with the model.
func (s suite) model(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		config := queue.QueueConfig{
			Capacity: 8, Remember: 4, RememberFor: 1000 * time.Hour, KeepDead: 3, DeadFor: 2 * time.Second,
			Retry: retry.Policy{Tries: 3, Initial: time.Second, Max: 3 * time.Second},
		}
		d := &duel{
			model: &model{config: config, items: make(map[int64]modelItem)},
			rig:   start(t, s.open(t), queue.Config{}),
		}
		defer func() { d.rig.stop() }()
		d.queue = d.rig.store.Queue("tasks", config)
		for range rapid.IntRange(1, 15).Draw(rt, "transactions") {
			d.transact(rt)
			d.compare(rt)
			if s.caps.Reopen != nil && rapid.IntRange(0, 7).Draw(rt, "restart") == 0 {
				d.rig.stop()
				d.rig = start(t, s.caps.Reopen(t, d.rig.disk), queue.Config{})
				d.compare(rt)
			}
		}
	})
}

// duel is a queue and the model of it.
type duel struct {
	model *model
	rig   *rig
	queue *queue.Queue
}

// operation is one call with what it is expected to do. It runs on the writer
// goroutine, so everything random is drawn before.
type operation func(tx *queue.Tx, m *model) error

func (d *duel) transact(rt *rapid.T) {
	var ops []operation
	for range rapid.IntRange(1, 5).Draw(rt, "operations") {
		ops = append(ops, d.draw(rt))
	}
	undo := rapid.IntRange(0, 3).Draw(rt, "undo") == 0
	next := d.model.clone()
	err := d.rig.store.Update(context.Background(), func(tx *queue.Tx) error {
		next = d.model.clone()
		for _, op := range ops {
			if err := op(tx, next); err != nil {
				return err
			}
		}
		if undo {
			return errUndo
		}
		return nil
	})
	switch {
	case err == nil:
		d.model = next
	case errors.Is(err, errUndo):
	default:
		rt.Fatal(err)
	}
}

func (d *duel) draw(rt *rapid.T) operation {
	key := rapid.Int64Range(0, 14).Draw(rt, "key")
	at := day.Add(time.Duration(rapid.IntRange(0, 5).Draw(rt, "second")) * time.Second)
	it := queue.Item{Key: key, Due: at, AddedAt: at, Body: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "body")}
	n := rapid.IntRange(0, 4).Draw(rt, "n")
	failure := rapid.SampledFrom([]error{
		errUndo, retry.Permanent(errUndo), retry.Resource(errUndo), retry.NotReady(errUndo, 2*time.Second),
	}).Draw(rt, "failure")
	q := d.queue
	expect := func(name string, got error, want job.Kind) error {
		if job.KindOf(got) != want {
			//nolint:errorlint // It is only shown, and may be nil, which %w prints badly.
			return fmt.Errorf("%s of %d: got %v, want kind %q", name, key, got, want)
		}
		return nil
	}
	all := map[string]operation{
		"push": func(tx *queue.Tx, m *model) error { return expect("push", q.Push(tx, it), m.push(it, queue.Scheduled)) },
		"begin": func(tx *queue.Tx, m *model) error {
			return expect("begin", q.PushStarted(tx, it), m.push(it, queue.Processing))
		},
		"start": func(tx *queue.Tx, m *model) error {
			return expect("start", q.Start(tx, key), m.move(key, queue.Processing, func(*queue.Item) {}, queue.Scheduled))
		},
		"claim": func(tx *queue.Tx, m *model) error {
			items, err := q.Claim(tx, at, n)
			var keys []int64
			for _, it := range items {
				keys = append(keys, it.Key)
			}
			if want := m.claim(at, n); !slices.Equal(keys, want) {
				return fmt.Errorf("claimed %v, want %v", keys, want)
			}
			return err
		},
		"ack": func(tx *queue.Tx, m *model) error {
			return expect("ack", q.Ack(tx, key, at), m.finish(key, queue.Processing))
		},
		"drop": func(tx *queue.Tx, m *model) error {
			return expect("drop", q.Drop(tx, key, at), m.finish(key, queue.Scheduled))
		},
		"nack": func(tx *queue.Tx, m *model) error {
			change := func(it *queue.Item) { it.Due, it.Note, it.Tries = at, "nack", it.Tries+1 }
			return expect("nack", q.Nack(tx, key, at, "nack"), m.move(key, queue.Scheduled, change, queue.Processing))
		},
		"defer": func(tx *queue.Tx, m *model) error {
			change := func(it *queue.Item) { it.Due, it.Note = at, "defer" }
			return expect("defer", q.Defer(tx, key, at, "defer"),
				m.move(key, queue.Scheduled, change, queue.Processing, queue.Scheduled))
		},
		"bury": func(tx *queue.Tx, m *model) error {
			return expect("bury", q.Bury(tx, key, "bury"), m.bury(key, "bury"))
		},
		"redrive": func(tx *queue.Tx, m *model) error {
			return expect("redrive", q.Redrive(tx, key, at), m.redrive(key, at))
		},
		"amend": func(tx *queue.Tx, m *model) error {
			return expect("amend", q.Amend(tx, key, it.Body), m.amend(key, it.Body))
		},
		"remove": func(tx *queue.Tx, m *model) error { return expect("remove", q.Remove(tx, key), m.remove(key)) },
		"purge":  func(tx *queue.Tx, m *model) error { return expect("purge", q.Purge(tx, key), m.purge(key)) },
		"fail": func(tx *queue.Tx, m *model) error {
			fate, err := q.Fail(tx, key, at, failure, 0)
			want := m.fail(key, at, failure)
			it := m.items[key]
			if want == "" && (fate.Buried == (it.place == queue.Scheduled) || !fate.Buried && !fate.Due.Equal(it.Due)) {
				return fmt.Errorf("fate %+v, want %+v", fate, it)
			}
			return expect("fail", err, want)
		},
		"expire": func(tx *queue.Tx, m *model) error {
			got, err := q.Expire(tx, at, n)
			if want := m.expire(at, n); got != want {
				return fmt.Errorf("expired %d, want %d", got, want)
			}
			return err
		},
		"purge all": func(tx *queue.Tx, m *model) error {
			got, err := q.PurgeAll(tx, n)
			if want := m.purgeAll(day.Add(time.Hour), n); got != want {
				return fmt.Errorf("purged %d, want %d", got, want)
			}
			return err
		},
		"redrive all": func(tx *queue.Tx, m *model) error {
			got, err := q.RedriveAll(tx, at, n)
			want, kind := m.redriveAll(at, n)
			if got != want {
				return fmt.Errorf("redrove %d, want %d", got, want)
			}
			return expect("redrive all", err, kind)
		},
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return all[rapid.SampledFrom(names).Draw(rt, "operation")]
}

// compare looks at everything a caller can see.
func (d *duel) compare(rt *rapid.T) {
	err := d.rig.store.View(context.Background(), func(tx *queue.Tx) error {
		st, err := d.queue.Stats(tx)
		if err != nil || st != d.model.stats() {
			return fmt.Errorf("stats %+v, want %+v (%w)", st, d.model.stats(), err)
		}
		for _, p := range []queue.Place{queue.Scheduled, queue.Processing, queue.Dead} {
			got, err := d.queue.List(tx, p, 0, 100)
			if err != nil {
				return err
			}
			var want []queue.Item
			for _, it := range d.model.in(p) {
				want = append(want, it.Item)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("%s: (-want +got)\n%s", p, diff)
			}
		}
		return d.compareKeys(tx)
	})
	if err != nil {
		rt.Fatal(err)
	}
}

func (d *duel) compareKeys(tx *queue.Tx) error {
	for key := range int64(15) {
		_, place, found, err := d.queue.Find(tx, key)
		want := d.model.items[key].place
		if slices.Contains(d.model.finished, key) {
			want = queue.Remembered
		}
		if err != nil || place != want || found != (want != 0) {
			return fmt.Errorf("find %d: %s, want %s (%w)", key, place, want, err)
		}
		if place, err := d.queue.Where(tx, key); err != nil || place != want {
			return fmt.Errorf("where is %d: %s, want %s (%w)", key, place, want, err)
		}
	}
	due, found, err := d.queue.Due(tx)
	scheduled := d.model.in(queue.Scheduled)
	if err != nil || found != (len(scheduled) > 0) {
		return fmt.Errorf("due: %v (%w)", found, err)
	}
	for _, it := range scheduled {
		if it.Due.Before(due) {
			return fmt.Errorf("due %s, but item %d is due %s", due, it.Key, it.Due)
		}
	}
	return nil
}
