package post

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// liar is a peer that answers what a script writes, until the listener closes.
func liar(t *testing.T, script func(w io.Writer) error) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				if script(conn) == nil {
					_, _ = io.Copy(io.Discard, conn) // it keeps quiet until the other side has had enough
				}
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-ended
	})
	return "http://" + listener.Addr().String()
}

// forever writes a text, and then another one again and again until the reader closes.
func forever(first, again string) func(io.Writer) error {
	block := []byte(again)
	return func(w io.Writer) error {
		_, err := io.WriteString(w, first)
		for err == nil {
			_, err = w.Write(block)
		}
		return err
	}
}

func once(text string) func(io.Writer) error { return dripping(text, 0) }

// dripping writes a text, and then a byte after each pause; once when there is no pause.
func dripping(text string, pause time.Duration) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		for err == nil && pause > 0 {
			<-time.After(pause)
			_, err = io.WriteString(w, "x")
		}
		return err
	}
}

// S03: a peer that answers without end, slowly, or with a false length costs a call no more
// than 8 MiB and its time. Nothing is unpacked, and no redirect followed. The test is not
// parallel: others would use memory at the same time.
func TestLyingPeers(t *testing.T) {
	const (
		limit, most = 1 << 20, 8 << 20
		head        = "HTTP/1.1 200 OK\r\n"
		gigabytes   = 10 << 30
	)
	var canary atomic.Int64
	visited := liar(t, func(io.Writer) error { canary.Add(1); return nil })
	block := strings.Repeat("x", 64<<10)
	for _, c := range []struct {
		name    string
		script  func(io.Writer) error
		status  int  // 0 for none: the call fails
		endless bool // it fails only because the caller leaves, once the request is there
	}{
		{"10 GB as promised", forever(fmt.Sprintf(head+"Content-Length: %d\r\n\r\n", gigabytes), block), 0, false},
		{"no end and no length", forever(head+"\r\n", block), 0, false},
		{"chunks without end", forever(head+"Transfer-Encoding: chunked\r\n\r\n", "10000\r\n"+block+"\r\n"), 0, false},
		{"tiny chunks without end", forever(head+"Transfer-Encoding: chunked\r\n\r\n", strings.Repeat("1;"+strings.Repeat("e", 60)+"\r\nx\r\n", 1000)), 0, false},
		{"a chunk of 8 EiB", forever(head+"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", block), 0, false},
		{"headers without end", forever(head, strings.Repeat("X-A: b\r\n", 10_000)), 0, false},
		{"a header without end", forever(head+"X-A: ", block), 0, false},
		{"answers before the answer", forever("", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 2000)), 0, false},
		{"less than promised", once(fmt.Sprintf(head+"Content-Length: %d\r\n\r\nx", limit)), 0, true},
		{"a byte now and then", dripping(fmt.Sprintf(head+"Content-Length: %d\r\n\r\n", limit), 20*time.Millisecond), 0, true},
		{"nothing", once(""), 0, true},
		{"a bomb", once(head + "Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + strings.Repeat("\x1f", 20)), 200, false},
		{"another address", once("HTTP/1.1 302 Found\r\nLocation: " + visited + "/\r\nContent-Length: 0\r\n\r\n"), 302, false},
	} {
		for way, config := range map[string]Config{"lean": {}, "net/http": {Plain: true}} {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				config.Timeout = time.Minute
				p := New(config)
				defer p.Close()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				to, err := p.Find(liar(t, func(w io.Writer) error {
					if c.endless {
						time.AfterFunc(100*time.Millisecond, leave)
					}
					return c.script(w)
				}), "/run", "X: y\r\n")
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				status, text, err := p.Post(ctx, to, []byte("{}"), limit, nil)
				took := time.Since(began)
				runtime.ReadMemStats(&after)
				if status != c.status || (c.status == 0) != job.Is(err, job.Ambiguous) || len(text) > 20 {
					t.Errorf("status %d, %d bytes, %v", status, len(text), err)
				}
				if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
					t.Errorf("the call took %d bytes of memory", taken)
				}
				if took >= config.Timeout {
					t.Errorf("the call took %s", took)
				}
			})
		}
	}
	if n := canary.Load(); n != 0 {
		t.Errorf("the other address was called %d times", n)
	}
}
