package news_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/feed"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/job"
)

// book is what the servers of a database have changed.
type book struct {
	mu       sync.Mutex
	rows     []event.Told // guarded by mu
	away     bool         // guarded by mu
	watching bool         // guarded by mu
}

func (b *book) Watch(context.Context) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return 0, errors.New("away")
	}
	b.watching = true
	return b.last(), nil
}

func (b *book) Unwatch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watching = false
}

func (b *book) last() int64 {
	if len(b.rows) == 0 {
		return 0
	}
	return b.rows[len(b.rows)-1].ID
}

func (b *book) ChangesAfter(_ context.Context, id int64, limit int) (rows []event.Told, whole bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, false, errors.New("away")
	}
	for _, r := range b.rows {
		if r.ID > id && len(rows) < limit {
			rows = append(rows, r)
		}
	}
	return rows, len(rows) == 0 || rows[0].ID == id+1, nil
}

// write is a transaction of some server.
func (b *book) write(changes ...news.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = append(b.rows, event.Told{ID: b.last() + 1, At: time.Now(), Changes: changes})
}

func (b *book) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// shared is news of what a book has.
func shared(t *testing.T, b *book) *news.News {
	t.Helper()
	n := news.New(news.Config{Store: &names{group: "g"}, Executors: &fleet{}, Started: time.Now(), Changes: b})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return n
}

// taken returns the ids that a reader gets within a while.
func taken(t *testing.T, r *news.Reader, within time.Duration) (ids []string, lost feed.Lost) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for {
		items, lost, err := r.Next(ctx, nil)
		for _, it := range items {
			ids = append(ids, it.ID)
		}
		if lost != feed.None || err != nil {
			return ids, lost
		}
	}
}

// Two servers tell the same under the same ids, and who comes back goes on at either.
func TestShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		b.write(news.Change{Kind: news.Many})
		one, two := shared(t, b), shared(t, b)
		first, second := one.Read(t.Context(), ""), two.Read(t.Context(), "")
		defer first.Close()
		b.write(ran(1, job.Running, job.Succeeded)...)
		b.write(ran(2, job.Running)...)
		one.Poll()
		want := []string{"2-1", "2-2", "3-1"}
		for name, r := range map[string]*news.Reader{"that was woken": first, "that looks": second} {
			if got, lost := taken(t, r, 3*time.Second); !slices.Equal(got, want) || lost != feed.None || r.ID() != "3-1" {
				t.Errorf("the one %s tells %v, %v, and stands at %s", name, got, lost, r.ID())
			}
		}
		second.Close()
		b.write(ran(2, job.Succeeded)...)
		time.Sleep(5 * time.Second)
		for after, want := range map[string][]string{"2-1": {"2-2", "3-1", "4-1"}, "3-1": {"4-1"}, "4-1": nil, "4-1000000": nil} {
			for _, n := range []*news.News{one, two} {
				r := n.Read(t.Context(), after)
				got, lost := taken(t, r, time.Second)
				if !r.Resumed || r.Reset != "" || !slices.Equal(got, want) || lost != feed.None {
					t.Errorf("behind %s: %v, %v, reset %q", after, got, lost, r.Reset)
				}
				r.Close()
			}
		}
		for after, why := range map[string]string{"9-1": news.ResetRestarted, "odd": news.ResetRestarted, "1-0": news.ResetGap, "0-0": news.ResetRestarted} {
			if r := one.Read(t.Context(), after); r.Reset != why || r.Resumed {
				t.Errorf("behind %s: reset %q, want %q", after, r.Reset, why)
			} else {
				r.Close()
			}
		}
		b.set(func() { b.rows = b.rows[2:] })
		if r := one.Read(t.Context(), "2-1"); r.Reset != news.ResetExpired {
			t.Errorf("behind what is gone: reset %q", r.Reset)
		} else {
			r.Close()
		}
	})
}

// While the database is away nothing is lost; who comes then is told of a gap. When nobody
// reads any more, nobody needs to write.
func TestSharedAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		n := shared(t, b)
		r := n.Read(t.Context(), "")
		b.write(ran(1, job.Running)...)
		b.set(func() { b.away = true })
		if got, lost := taken(t, r, 5*time.Second); len(got) != 0 || lost != feed.None {
			t.Errorf("away: %v, %v", got, lost)
		}
		b.set(func() { b.away = false })
		if got, lost := taken(t, r, 5*time.Second); !slices.Equal(got, []string{"1-1"}) || lost != feed.None {
			t.Errorf("back: %v, %v", got, lost)
		}
		r.Close()
		time.Sleep(2 * time.Minute)
		watching := true
		b.set(func() { watching = b.watching; b.away = true })
		if watching {
			t.Error("nobody reads, and servers write")
		}
		r = n.Read(t.Context(), "")
		defer r.Close()
		b.set(func() { b.away = false })
		if _, lost := taken(t, r, 5*time.Second); lost != feed.Gap {
			t.Errorf("who came while the database was away: %v", lost)
		}
		b.write(ran(2, job.Running)...)
		if got, lost := taken(t, r, 5*time.Second); !slices.Equal(got, []string{"2-1"}) || lost != feed.None {
			t.Errorf("then: %v, %v", got, lost)
		}
	})
}
