package blobtest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

func again(b *bench) {
	data := Data(6, 300_000)
	b.put("a/b", data)
	b.put("a/b", bytes.Clone(data))
	b.holds("a/b", 0, data)
	b.lists("a/b")
}

// taken: a blob stored under a name is kept when another put uses the name.
func taken(b *bench) {
	data := Data(7, 1000)
	b.put("a/b", data)
	for what, other := range map[string][]byte{
		"other data": Data(8, 1000), "less": data[:999], "more": Data(7, 1001), "nothing": nil,
	} {
		b.kind("put "+what, b.Put(b.Context(), "a/b", other), job.Conflict)
	}
	b.holds("a/b", 0, data)
	_, err := b.Get(b.Context(), "a/b", 0, 1001)
	b.kind("get more than was put first", err, job.NotFound)
}

// callers: the store neither keeps nor changes the data it is given.
func callers(b *bench) {
	data := Data(9, 5000)
	kept := bytes.Clone(data)
	b.put("a", data)
	if !bytes.Equal(data, kept) {
		b.Error("Put has changed the data")
	}
	clear(data)
	b.holds("a", 0, kept)
	got, err := b.Get(b.Context(), "a", 0, 5000)
	if err != nil {
		b.Fatal(err)
	}
	clear(got)
	b.holds("a", 0, kept)
}

func removed(b *bench) {
	b.put("a/b", []byte("1"))
	b.put("a/c", Data(10, 600_000))
	b.put("d", []byte("3"))
	b.remove("a/c", "no/such", "d")
	b.lists("a/b")
	b.absent("a/c")
	b.absent("d")
	b.holds("a/b", 0, []byte("1"))
	b.remove("a/c", "a/b")
	b.remove()
	b.lists()
}

func replaced(b *bench) {
	first, second := Data(11, 300_000), Data(12, 200)
	b.put("a/b", first)
	b.remove("a/b")
	b.put("a/b", second)
	b.holds("a/b", 0, second)
	_, err := b.Get(b.Context(), "a/b", 200, 1)
	b.kind("get what was behind", err, job.NotFound)
}

func many(b *bench) {
	const blobs = 24
	var all sync.WaitGroup
	for i := range blobs {
		all.Go(func() {
			name, data := fmt.Sprintf("day/%d", i), Data(100+i, 10_000+i)
			if err := b.Put(b.Context(), name, data); err != nil {
				b.Errorf("put %s: %v", name, err)
				return
			}
			b.holds(name, int64(i), data[i:])
		})
	}
	all.Wait()
	if n := len(b.names()); n != blobs {
		b.Errorf("%d blobs are listed, want %d", n, blobs)
	}
}

// race: of several puts of different data under one name one succeeds, and its data are
// stored; puts of the same data all succeed.
func race(b *bench) {
	const callers = 6
	errs := make([]error, callers)
	data := func(i int) []byte { return Data(200+i%2, 150_000) }
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { errs[i] = b.Put(b.Context(), "one", data(i)) })
	}
	all.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0 && winner%2 != i%2:
			b.Errorf("%d and %d have put different data and were both told that theirs are there", winner, i)
		case err == nil:
			winner = i
		default:
			b.kind(fmt.Sprintf("put %d", i), err, job.Conflict)
		}
	}
	if winner < 0 {
		b.Fatalf("nobody has succeeded: %v", errors.Join(errs...))
	}
	b.holds("one", 0, data(winner))
}

// churn: blobs of one folder come and go while another stays; no put fails because its
// folder is removed at the same time, and no reader sees a part of one.
func churn(b *bench) {
	stays := Data(13, 50_000)
	b.put("day/stays", stays)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			name, data := fmt.Sprintf("day/hour/%d", i), Data(300+i, 20_000)
			for range 10 {
				if err := b.Put(b.Context(), name, data); err != nil {
					b.Errorf("put %s: %v", name, err)
				}
				b.holds(name, 0, data)
				if err := b.Delete(b.Context(), []string{name}); err != nil {
					b.Errorf("delete %s: %v", name, err)
				}
			}
		})
		all.Go(func() {
			name, data := fmt.Sprintf("day/hour/%d", i), Data(300+i, 20_000)
			for range 20 {
				got, err := b.Get(b.Context(), name, 0, int64(len(data)))
				if err == nil && !bytes.Equal(got, data) {
					b.Errorf("half of %s was read", name)
				}
				if err != nil && !job.Is(err, job.NotFound) {
					b.Errorf("get %s: %v", name, err)
				}
			}
		})
	}
	all.Go(func() {
		for range 10 {
			b.holds("day/stays", 0, stays)
			err := b.List(b.Context(), func(string, int64, time.Time) bool { return true })
			if err != nil {
				b.Errorf("list: %v", err)
			}
		}
	})
	all.Wait()
	b.lists("day/stays")
}
