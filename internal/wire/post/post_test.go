package post

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// try posts once.
func try(t *testing.T, c Config, address string) error {
	t.Helper()
	p := New(c)
	t.Cleanup(p.Close)
	to, err := p.Find(address, "/run", "X: y\r\n")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = p.Post(t.Context(), to, []byte("{}"), 1<<10, nil)
	return err
}

// staleTransport plays net/http with a pool of connections that the peer has
// closed: each call is given one and fails before a byte leaves, or after.
type staleTransport struct {
	stale int  // how many calls fail
	leak  bool // a byte leaves first
	fresh bool // the connections are new
	calls int
}

func (s *staleTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls++
	near, far := net.Pipe()
	defer near.Close()
	conn := &countedConn{Conn: near}
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: conn, Reused: !s.fresh})
	if s.calls > s.stale {
		_ = far.Close()
		return &http.Response{
			StatusCode: http.StatusOK, ContentLength: 12, Body: io.NopCloser(strings.NewReader(`{"code":200}`)),
		}, nil
	}
	if s.leak {
		go func() { _, _ = io.CopyN(io.Discard, far, 1); _ = far.Close() }()
	} else {
		_ = far.Close()
	}
	_, err := conn.Write([]byte("POST"))
	return nil, err
}

func TestStaleConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transport staleTransport
		calls     int
		kind      job.Kind
	}{
		"sent again on another":  {staleTransport{stale: 2}, 3, ""},
		"all are stale":          {staleTransport{stale: 100}, 1 + maxResends, job.Unreachable},
		"a new one is no use":    {staleTransport{stale: 100, fresh: true}, 1, job.Unreachable},
		"never after a byte":     {staleTransport{stale: 1, leak: true}, 1, job.Ambiguous},
		"never on a fresh one":   {staleTransport{stale: 1, leak: true, fresh: true}, 1, job.Ambiguous},
		"no stale one, one call": {staleTransport{}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := try(t, Config{Transport: &c.transport}, "http://127.0.0.1/")
			if job.KindOf(err) != c.kind || c.transport.calls != c.calls {
				t.Errorf("after %d calls error of kind %q: %v; want %q after %d", c.transport.calls, job.KindOf(err), err, c.kind, c.calls)
			}
		})
	}
}

// roundTripper is a transport that knows nothing of hooks.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestForeignTransport: without proof that nothing left, it may have.
func TestForeignTransport(t *testing.T) {
	t.Parallel()
	for want, err := range map[job.Kind]error{
		job.Ambiguous:   io.ErrUnexpectedEOF,
		job.Unreachable: &net.OpError{Op: "dial", Err: errors.New("refused")},
	} {
		transport := roundTripper(func(*http.Request) (*http.Response, error) { return nil, err })
		if got := try(t, Config{Transport: transport}, "http://h/"); !job.Is(got, want) || !errors.Is(got, err) {
			t.Errorf("error of kind %q: %v; want %q", job.KindOf(got), got, want)
		}
	}
	gone := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(gone.Close)
	if err := try(t, Config{Transport: &http.Transport{}}, gone.URL); !job.Is(err, job.Ambiguous) {
		t.Errorf("error of kind %q: %v", job.KindOf(err), err)
	}
}

// TestWantedHeaders: both ways to a peer give the headers that are wanted.
func TestWantedHeaders(t *testing.T) {
	t.Parallel()
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Orth-Time", "7")
		_, _ = io.WriteString(w, r.Header.Get("X-More"))
	}))
	t.Cleanup(peer.Close)
	for _, plain := range []bool{false, true} {
		p := New(Config{Plain: plain})
		t.Cleanup(p.Close)
		to, err := p.Find(peer.URL, "/x", "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Ask(t.Context(), to, &Question{
			Extras: Fields(nil).Add("X-More", "m"), Limit: 100, Want: []string{"orth-signature", "orth-time"},
		})
		if err != nil || got.Status != http.StatusOK || string(got.Text) != "m" || !slices.Equal(got.Got, []string{"", "7"}) {
			t.Errorf("plain %v: %+v, %v", plain, got, err)
		}
		got, err = p.Ask(t.Context(), to, &Question{Limit: 100, Want: []string{"orth-signature"}})
		if err != nil || got.Got != nil {
			t.Errorf("plain %v: %+v, %v; want no header", plain, got, err)
		}
	}
}

// What a name leads to is judged when the connection is made, by both ways that requests
// go, and nothing is connected.
func TestAddressesAreJudgedAtDial(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		var judged atomic.Int64
		p := New(Config{Timeout: 20 * time.Second, Plain: plain, Control: func(_, address string, _ syscall.RawConn) error {
			judged.Add(1)
			return fmt.Errorf("%s is nowhere", address)
		}})
		t.Cleanup(p.Close)
		target, err := p.Find("http://localhost:"+port, "/beat", "")
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = p.Post(t.Context(), target, nil, 100, nil)
		if !job.Is(err, job.Unreachable) || !strings.Contains(err.Error(), "is nowhere") || judged.Load() == 0 || asked.Load() != 0 {
			t.Errorf("plain %t: %v; judged %d, asked %d", plain, err, judged.Load(), asked.Load())
		}
	}
}
