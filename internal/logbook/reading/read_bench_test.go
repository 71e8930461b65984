package reading

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// longLog is an index and memory with one log of equal chunks; the text of a chunk is made
// again each time it is read.
type longLog struct {
	*library
	lines, each int
	texts       atomic.Int64
}

func (l *longLog) Logs(context.Context, []int64) ([]logbook.Log, error) {
	return []logbook.Log{{Attempt: 10, State: logbook.Whole, Lines: l.lines}}, nil
}

func (l *longLog) Chunks(_ context.Context, _ int64, from, limit int) ([]logbook.Chunk, error) {
	var found []logbook.Chunk
	for first := (from-1)/l.each*l.each + 1; first <= l.lines && len(found) < limit; first += l.each {
		found = append(found, logbook.Chunk{Attempt: 10, FirstLine: first, Lines: min(l.each, l.lines-first+1)})
	}
	return found, nil
}

func (l *longLog) Text(_ context.Context, c logbook.Chunk) (string, error) {
	l.texts.Add(1)
	return strings.Repeat(fmt.Sprintf("%079d\n", c.FirstLine), c.Lines), nil
}

// BenchmarkMillionLines reads pages of a log of 1,000,000 lines of 80 bytes at places
// all over it, looks through all of it, and has 20 viewers read all of it at the same
// time. On two busy cores a page of 1,000 lines takes 0.2 ms, a search 0.3 s, and the 20
// viewers together need 20 MiB more of the heap.
func BenchmarkMillionLines(b *testing.B) {
	l := &longLog{library: newLibrary(), lines: 1_000_000, each: 800}
	r := NewReader(ReaderConfig{Index: l, Memory: l, Origin: l})
	b.Run("page", func(b *testing.B) {
		place := 0
		for b.Loop() {
			place = (place + 777_777) % l.lines
			if page, err := r.Page(b.Context(), done, 1, place+1, 1000); err != nil || page.To < page.From {
				b.Fatal(page, err)
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			found, err := r.Search(b.Context(), done, job.LogSearch{Text: "999201$", Regexp: true, Hits: 1000, For: 30 * time.Second})
			if err != nil || len(found.Hits) != 800 || !found.Complete {
				b.Fatal(found, err)
			}
		}
	})
	b.Run("viewers", func(b *testing.B) {
		var before, during runtime.MemStats
		for b.Loop() {
			runtime.GC()
			runtime.ReadMemStats(&before)
			var viewing sync.WaitGroup
			for range 20 {
				viewing.Go(func() {
					never := func(context.Context) (bool, error) { return true, nil }
					if err := r.Follow(b.Context(), done, 1, 1, never, func(job.LogPage) error { return nil }); err != nil {
						b.Error(err)
					}
				})
			}
			most := uint64(0)
			watched := make(chan struct{})
			go func() {
				viewing.Wait()
				close(watched)
			}()
			for over := false; !over; {
				select {
				case <-watched:
					over = true
				case <-time.After(20 * time.Millisecond):
					runtime.ReadMemStats(&during)
					most = max(most, during.HeapInuse)
				}
			}
			b.ReportMetric(float64(most-min(before.HeapInuse, most))/(1<<20), "MiB")
		}
	})
}
