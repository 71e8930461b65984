package native

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// taker accepts everything.
type taker struct{ worker }

func (*taker) AcceptAll(_ context.Context, tasks []*job.Task) []error {
	return make([]error, len(tasks))
}

// BenchmarkSend brings tasks to an executor over a real connection, both sides in
// this process: 256 at a time, as a dispatcher does, and one after the other.
func BenchmarkSend(b *testing.B) {
	for name, callers := range map[string]int{"together": 256, "alone": 1} {
		b.Run(name, func(b *testing.B) {
			t := new(taker)
			handler := NewExecutorHandler(ExecutorConfig{Keys: signing.NewTokens(testToken), Tasks: t, Attempts: t, Drainer: t, Logs: t})
			server := httptest.NewServer(handler)
			defer server.Close()
			client := NewExecutorClient(ClientConfig{Peer: func(string) (string, string) { return testToken, "" }})
			defer client.Close()
			var ids atomic.Int64
			b.ReportAllocs()
			if callers == 1 {
				for b.Loop() {
					if err := client.Send(b.Context(), server.URL, plainTask(ids.Add(1))); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			tasks := make([]job.Task, callers)
			for b.Loop() {
				for i := range tasks {
					tasks[i] = plainTask(ids.Add(1))
				}
				for _, err := range client.SendAll(b.Context(), server.URL, tasks) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*callers), "ns/task")
		})
	}
}
