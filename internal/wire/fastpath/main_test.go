package fastpath

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lockedText is a log.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// standard returns net/http's server for a handler, with limits that no test reaches.
func standard(h http.Handler, l io.Writer) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: time.Minute, ReadTimeout: time.Minute, IdleTimeout: time.Minute, ErrorLog: log.New(l, "", 0),
	}
}

// piecemeal is a listener whose connections give at most so many bytes a read.
type piecemeal struct {
	net.Listener

	most *atomic.Int64
}

func (p piecemeal) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return smallReads{c.(stream), int(p.most.Load())}, nil
}

type smallReads struct {
	stream

	most int
}

func (s smallReads) Read(p []byte) (int, error) { return s.stream.Read(p[:min(len(p), s.most)]) }

// twins are a fast server and one of net/http for the same handler. Their sockets are
// Unix', where an answer is not lost when its connection is closed before all was read.
type twins struct {
	fast, slow string
	most       atomic.Int64
}

func newTwins(tb testing.TB, h http.Handler) *twins {
	tb.Helper()
	w := new(twins)
	w.most.Store(1 << 20)
	dir := tb.TempDir()
	serve := func(name string, server interface {
		Serve(l net.Listener) error
		Close() error
	},
	) string {
		path := filepath.Join(dir, name)
		l, err := net.Listen("unix", path)
		if err != nil {
			tb.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(piecemeal{l, &w.most}) }()
		tb.Cleanup(func() {
			_ = server.Close()
			if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
				tb.Errorf("Serve: %v", err)
			}
		})
		return path
	}
	w.fast = serve("fast", New(Config{HTTP: standard(h, io.Discard)}))
	w.slow = serve("slow", standard(h, io.Discard))
	return w
}

// converse sends bytes on a connection, then its end, and returns all that comes.
func converse(tb testing.TB, path string, sent []byte) []byte {
	tb.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.Write(sent) // a server may close before it has read all
		_ = c.(*net.UnixConn).CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if errors.Is(err, net.ErrClosed) || err != nil && strings.Contains(err.Error(), "timeout") {
		tb.Errorf("after %q: %v", got, err)
	}
	<-done
	return got
}

// aDate is the date of an answer. Behind an answer whose end is not where it says, it may
// come in a body.
var aDate = regexp.MustCompile(`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT`)

// transcript records answers in one form however they are framed and ordered. Dates are
// left out, and must be there.
func transcript(tb testing.TB, answers []byte) string {
	tb.Helper()
	var text strings.Builder
	r := bufio.NewReader(bytes.NewReader(aDate.ReplaceAll(answers, []byte("Sat, 21 Nov 2026 12:00:00 GMT"))))
	for {
		if _, err := r.Peek(1); err != nil {
			return text.String()
		}
		response, err := http.ReadResponse(r, &http.Request{Method: http.MethodPost})
		if err != nil {
			fmt.Fprintf(&text, "no answer: %v\n", err)
			return text.String()
		}
		body, err := io.ReadAll(response.Body)
		fmt.Fprintf(&text, "%s %s, length %d, %v, close %v\n", response.Proto, response.Status, response.ContentLength, response.TransferEncoding, response.Close)
		if response.Header.Get("Date") == "" && (!response.Close || response.StatusCode < 400) {
			text.WriteString("no date\n")
		}
		response.Header.Del("Date")
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range response.Header {
				if !yield(name) {
					return
				}
			}
		}) {
			fmt.Fprintf(&text, "%s: %q\n", name, response.Header[name])
		}
		fmt.Fprintf(&text, "%q, %v\n", body, err)
	}
}

// mirror answers with what it sees of the request, in the way that its path asks for.
func mirror(w http.ResponseWriter, r *http.Request) {
	var seen strings.Builder
	if r.URL.Path != "/unread" {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(&seen, "body %q, %v\n", body, err)
	}
	fmt.Fprintf(&seen, "%s %q %#v %s %d.%d host %q length %d coding %v close %v trailer %v\n%q\n", r.Method, r.RequestURI, *r.URL, r.Proto,
		r.ProtoMajor, r.ProtoMinor, r.Host, r.ContentLength, r.TransferEncoding, r.Close, r.Trailer, r.Header)
	text, h := seen.String(), w.Header()
	switch r.URL.Path {
	case "/declared":
		h.Set("Content-Length", fmt.Sprint(len(text)))
		h.Set("Connection", "keep-alive")
	case "/typed":
		h["Content-Type"], h["Odd"], h["bad name"] = []string{"text/html;charset=UTF-8"}, []string{" a\r\nb ", "\t", ""}, []string{"x"}
		w.WriteHeader(299)
		h.Set("Late", "too late")
	case "/large":
		text = strings.Repeat("0123456789", 10_000)
		h.Set("Content-Length", fmt.Sprint(len(text)))
	case "/long":
		text = strings.Repeat("0123456789", 1000)
	case "/pieces":
		for range 700 {
			_, _ = io.WriteString(w, "<p>12345")
		}
	case "/short":
		h.Set("Content-Length", fmt.Sprint(len(text)+1))
	case "/beyond":
		h.Set("Content-Length", "5")
		_, _ = io.WriteString(w, "12345")
	case "/empty":
		text = ""
	case "/encoded":
		h.Set("Content-Encoding", "x")
	case "/dated":
		h.Set("Date", "yesterday")
	case "/nothing":
		h.Set("Content-Length", "7")
		w.WriteHeader(http.StatusNoContent)
	case "/same":
		h.Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusNotModified)
	case "/close":
		h.Set("Connection", "close")
	case "/abort":
		panic(http.ErrAbortHandler)
	case "/panic":
		_, _ = io.WriteString(w, text)
		panic("on purpose")
	}
	_, _ = io.WriteString(w, text)
}
