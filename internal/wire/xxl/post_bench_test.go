//go:build unix

package xxl

import (
	"bytes"
	"net"
	"net/http/httptest"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
)

// BenchmarkRun is the round trip of one task on kept connections, both ends in
// this process: by the lean client and by net/http, to our handler behind the fast
// path and behind net/http, and to a peer that does as little as may be, so that what
// is left is the client. All have their turn in the same run; on a shared machine only
// their ratio means something.
func BenchmarkRun(b *testing.B) {
	room := new(idleRoom)
	handler := NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room})
	standard := httptest.NewServer(handler)
	b.Cleanup(standard.Close)
	for _, peer := range []struct{ name, address string }{
		{"fastpath", "http://" + fastServer(b, handler)}, {"handler", standard.URL}, {"bare", bareExecutor(b)},
	} {
		for _, way := range []string{"net-http", "lean"} {
			client := NewExecutorClient(ClientConfig{Token: "tok", Plain: way == "net-http"})
			b.Cleanup(client.Close)
			for _, callers := range []int{1, 16, 64} {
				b.Run(peer.name+"/"+way+"/"+strconv.Itoa(callers), func(b *testing.B) {
					runs(b, client, peer.address, callers)
				})
			}
		}
	}
}

// runs sends b.N tasks from so many callers.
func runs(b *testing.B, client *ExecutorClient, address string, callers int) {
	b.Helper()
	task := sampleTask()
	var group sync.WaitGroup
	b.ReportAllocs()
	before := processor(b)
	b.ResetTimer()
	for caller := range callers {
		group.Go(func() {
			for range (b.N + caller) / callers {
				if err := client.Run(b.Context(), address, task); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64((processor(b)-before).Nanoseconds())/1000/float64(b.N), "cpu-µs/run")
}

// bareExecutor answers every request with success and reads none of it.
func bareExecutor(b *testing.B) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() { bareAnswers(conn) })
		}
	})
	b.Cleanup(func() {
		_ = listener.Close()
		group.Wait()
	})
	return "http://" + listener.Addr().String()
}

func bareAnswers(conn net.Conn) {
	defer conn.Close()
	answer := []byte("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: " + strconv.Itoa(len(dialect.ExecutorSuccess)) +
		"\r\nContent-Type: text/html;charset=UTF-8\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n\r\n" + dialect.ExecutorSuccess)
	request, got := make([]byte, 64<<10), 0
	end := []byte(sampleRun[len(sampleRun)-8:])
	for {
		n, err := conn.Read(request[got:])
		if err != nil {
			return
		}
		if got += n; bytes.HasSuffix(request[:got], end) {
			got = 0
			if _, err := conn.Write(answer); err != nil {
				return
			}
		}
	}
}

// processor returns the processor time of this process.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
