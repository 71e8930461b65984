package service

import (
	"testing"
	"time"

	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
)

// BenchmarkExecutions is executions through a ledger on disk, build and sign, on a chain that answers at once.
func BenchmarkExecutions(b *testing.B) {
	w := newWorld(b)
	events := make([]observe.ThreadReady, b.N)
	for i := range events {
		events[i] = w.ready(w.put(b, i, now-1))
	}
	book, err := OpenLedger(b.TempDir(), ledger.Config{})
	if err != nil {
		b.Fatal(err)
	}
	h := w.enterWith(b, book, func(c *Config) { c.Watch = 10 * time.Millisecond })
	defer h.stop()
	b.ResetTimer()
	for rest := events; len(rest) > 0; {
		n := min(len(rest), mostAtOnce)
		if err := h.service.OfferAll(b.Context(), rest[:n]); err != nil {
			b.Fatal(err)
		}
		rest = rest[n:]
	}
	for range events {
		if d := <-h.settled; d.Outcome != Executed || d.Requests > 3 {
			b.Fatalf("it ended as %+v", d)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "executions/s")
}

// BenchmarkWire is how long it takes from the moment a thread is known to be due to the first byte sent, of 1,000 threads: 250 of them
// each second, or all in the same instant.
func BenchmarkWire(b *testing.B) {
	b.Run("spread", func(b *testing.B) {
		benchmarkWire(b, func(h *hall, events []observe.ThreadReady) {
			tick := time.NewTicker(4 * time.Millisecond)
			defer tick.Stop()
			for _, e := range events {
				if err := h.service.Offer(b.Context(), e); err != nil {
					b.Fatal(err)
				}
				<-tick.C
			}
		})
	})
	b.Run("at-once", func(b *testing.B) {
		benchmarkWire(b, func(h *hall, events []observe.ThreadReady) {
			if err := h.service.OfferAll(b.Context(), events); err != nil {
				b.Fatal(err)
			}
		})
	})
}

func benchmarkWire(b *testing.B, offer func(*hall, []observe.ThreadReady)) {
	b.Helper()
	for b.Loop() {
		w := newWorld(b)
		events := make([]observe.ThreadReady, 1000)
		for i := range events {
			events[i] = w.ready(w.put(b, i, now-1))
		}
		book, err := OpenLedger(b.TempDir(), ledger.Config{})
		if err != nil {
			b.Fatal(err)
		}
		h := w.enterWith(b, book, nil)
		offer(h, events)
		for range events {
			<-h.settled
		}
		q := h.stats(b).ToWire
		b.ReportMetric(float64(q.P50.Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(q.P99.Microseconds())/1000, "p99-ms")
		h.stop()
	}
}
