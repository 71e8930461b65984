package queuetest

import (
	"errors"
	"testing"

	"github.com/orthd/orth/internal/queue"
)

type pair struct{ Key, Value string }

func walk(tx queue.Txn, bucket, from string) []pair {
	var all []pair
	for k, v := range tx.Walk(bucket, []byte(from)) {
		all = append(all, pair{string(k), string(v)})
	}
	return all
}

func put(tb testing.TB, b queue.Backend, bucket string, keys ...string) {
	tb.Helper()
	err := b.Update(func(tx queue.Txn) error {
		for _, k := range keys {
			if err := tx.Put(bucket, []byte(k), []byte("v"+k)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func (s suite) opened(t *testing.T) queue.Backend {
	t.Helper()
	b := s.open(t)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func (s suite) rows(t *testing.T) {
	t.Parallel()
	b := s.opened(t)
	put(t, b, "one", "b", "d", "a", "c")
	put(t, b, "two", "x")
	err := b.Update(func(tx queue.Txn) error {
		held := tx.Get("one", []byte("a"))
		if err := errors.Join(
			tx.Put("one", []byte("a"), []byte("new")),
			tx.Put("one", []byte("e"), []byte{}),
			tx.Delete("one", []byte("b")),
			tx.Delete("one", []byte("absent")),
			tx.Delete("absent", []byte("a")),
		); err != nil {
			return err
		}
		equal(t, "bytes held over a put", string(held), "va")
		equal(t, "an empty value is a value", tx.Get("one", []byte("e")) != nil, true)
		equal(t, "own changes", walk(tx, "one", ""), []pair{{"a", "new"}, {"c", "vc"}, {"d", "vd"}, {"e", ""}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = b.View(func(tx queue.Txn) error {
		equal(t, "walk from a key", walk(tx, "one", "c"), []pair{{"c", "vc"}, {"d", "vd"}, {"e", ""}})
		equal(t, "walk from between keys", walk(tx, "one", "bb"), []pair{{"c", "vc"}, {"d", "vd"}, {"e", ""}})
		equal(t, "walk from beyond", walk(tx, "one", "f"), []pair(nil))
		equal(t, "walk of no bucket", walk(tx, "absent", ""), []pair(nil))
		equal(t, "other bucket", walk(tx, "two", ""), []pair{{"x", "vx"}})
		equal(t, "get of no row", tx.Get("one", []byte("b")), []byte(nil))
		equal(t, "get of no bucket", tx.Get("absent", []byte("b")), []byte(nil))
		if tx.Put("one", []byte("z"), []byte("z")) == nil {
			t.Error("a view accepted a put")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s suite) rollback(t *testing.T) {
	t.Parallel()
	b := s.opened(t)
	put(t, b, "one", "a", "b")
	err := b.Update(func(tx queue.Txn) error {
		if err := errors.Join(
			tx.Put("one", []byte("a"), []byte("new")),
			tx.Delete("one", []byte("b")),
			tx.Put("two", []byte("x"), []byte("x")),
		); err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatalf("got %v, want the function's error", err)
	}
	err = b.View(func(tx queue.Txn) error {
		equal(t, "rows", walk(tx, "one", ""), []pair{{"a", "va"}, {"b", "vb"}})
		equal(t, "new bucket", walk(tx, "two", ""), []pair(nil))
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatalf("got %v, want the function's error", err)
	}
}

func (s suite) snapshot(t *testing.T) {
	t.Parallel()
	b := s.opened(t)
	put(t, b, "one", "a")
	err := b.View(func(tx queue.Txn) error {
		done := make(chan error)
		go func() {
			done <- b.Update(func(tx queue.Txn) error { return tx.Put("one", []byte("a"), []byte("new")) })
		}()
		if err := <-done; err != nil {
			return err
		}
		equal(t, "a view beside a commit", walk(tx, "one", ""), []pair{{"a", "va"}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s suite) closed(t *testing.T) {
	t.Parallel()
	b := s.open(t)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	never := func(queue.Txn) error { t.Error("called after Close"); return nil }
	if b.Update(never) == nil || b.View(never) == nil {
		t.Fatal("a closed back end gave no error")
	}
}
