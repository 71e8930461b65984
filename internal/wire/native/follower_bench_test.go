package native

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// sink takes every line.
type sink struct{}

func (sink) Put(job.Caller, string, int64, job.LogPage) bool { return true }

// BenchmarkFollowedTasks brings the logs of short attempts, 20 lines each, to a server
// over a real connection, 50 at a time: as many end in a tenth of a second at 500 a
// second. write is what the lines themselves cost, push what bringing them does on both
// sides, door the part of it that is the server's.
func BenchmarkFollowedTasks(b *testing.B) {
	var door atomic.Int64
	handler := NewServerHandler(ServerConfig{Keys: signing.NewTokens(testToken), Chunks: sink{}, Self: "d"})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		handler.ServeHTTP(w, r)
		door.Add(int64(time.Since(began)))
	}))
	defer server.Close()
	var f *Follower
	logs, err := runlog.Open(b.TempDir(), runlog.Config{Changed: func(attempt int64) { f.Changed(attempt) }})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = logs.Close() }()
	f = NewFollower(FollowerConfig{Servers: []string{server.URL}, Token: testToken, Lines: logs, Attempts: newShelf()})
	defer f.courier.Close()
	at := time.Now()
	var write, push time.Duration
	attempt := int64(0)
	line := func(i int) string { return fmt.Sprintf("2026-11-21 19:16:19.%03d step %d of the work is done\n", i, i) }
	const together = 50
	b.ReportAllocs()
	for b.Loop() {
		for range together {
			attempt++
			began := time.Now()
			if err := f.Follow(Follow{Server: "d", Address: pushed, Attempt: attempt, TriggeredAt: at, From: 1, For: message.TaskFollow}); err != nil {
				b.Fatal(err)
			}
			push += time.Since(began)
			began = time.Now()
			w, err := logs.Create(attempt, at)
			if err != nil {
				b.Fatal(err)
			}
			for i := range 20 {
				_, _ = w.Write([]byte(line(i)))
			}
			_ = w.Close()
			write += time.Since(began)
			f.Ended(attempt, false)
		}
		began := time.Now()
		l := f.lanes[target{"d", pushed}]
		for again := true; again; {
			again, _ = l.round(b.Context())
		}
		push += time.Since(began)
		if f.count != 0 {
			b.Fatalf("%d are followed still", f.count)
		}
	}
	n := float64(b.N * together * 1000)
	b.ReportMetric(float64(write)/n, "µs-write/attempt")
	b.ReportMetric(float64(push)/n, "µs-push/attempt")
	b.ReportMetric(float64(door.Load())/n, "µs-door/attempt")
}
