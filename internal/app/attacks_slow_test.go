package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"
)

// S08: who sends a body slowly, or stops in the middle of one, is hung up on within the
// limit, also over 400 connections, while others are answered. The limits are checked as every server has them, and
// are a twentieth of that while the test runs.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true})
	if err != nil {
		t.Fatal(err)
	}
	if w := s.web; w.ReadHeaderTimeout != 5*time.Second || w.ReadTimeout != 30*time.Second || w.IdleTimeout != 90*time.Second || w.MaxHeaderBytes != 16<<10 {
		t.Errorf("a server gives a request %s for its head, %s in all, and %d bytes of headers; %s between two", w.ReadHeaderTimeout, w.ReadTimeout, w.MaxHeaderBytes, w.IdleTimeout)
	}
	const scale = 20 // 30 s become 1.5 s
	s.web.ReadHeaderTimeout, s.web.ReadTimeout, s.web.IdleTimeout = s.web.ReadHeaderTimeout/scale, s.web.ReadTimeout/scale, s.web.IdleTimeout/scale
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	until(t, "the server is ready", func() bool { status, _ := ask(t, s, "/readyz", "", ""); return status == http.StatusOK })
	const each = 100 // of four kinds
	heads := slowRequests(s)
	closed := make(chan string, each*len(heads))
	began := time.Now()
	for what, head := range heads {
		for range each {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			go func() { closed <- drip(conn, what, head, began) }()
		}
	}
	othersAreServed(t, s)
	for range cap(closed) {
		if wrong := <-closed; wrong != "" {
			t.Error(wrong)
		}
	}
}

// othersAreServed asks a server for something while others keep it busy: half of the
// answers are there soon, for a machine may stand still during one.
func othersAreServed(t *testing.T, s *Server) {
	t.Helper()
	var waited []time.Duration
	for range 50 {
		began := time.Now()
		if r := askAPI(t, s, http.MethodGet, "/jobs", ""); r.StatusCode != http.StatusOK {
			t.Errorf("meanwhile: %d %s", r.StatusCode, r.body)
		}
		waited = append(waited, time.Since(began))
	}
	slices.Sort(waited)
	t.Logf("half of the others waited %s at most, and all %s", waited[25], waited[49])
	if waited[25] > soonAnswered {
		t.Errorf("half of the others waited %s and longer", waited[25])
	}
}

// slowRequests are the beginnings of requests whose bodies come slowly: to the wire, and
// to what there is not. The API has a limit of its own, which its own tests try.
func slowRequests(s *Server) map[string]string {
	with := func(path, token, length string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n%s\r\n\r\n", path, s.listener.Addr(), token, length)
	}
	wire := "XXL-JOB-ACCESS-TOKEN: " + madeFor(s, "g")
	return map[string]string{
		"a callback":                with("/api/callback", wire, "Content-Length: 1000000"),
		"a callback of a stranger":  with("/api/callback", "X: y", "Content-Length: 1000000"),
		"a callback without length": with("/api/registry", wire, "Transfer-Encoding: chunked") + "5\r\n[",
		"nothing that there is":     with("/nothing", "X: y", "Content-Length: 1000000"),
	}
}

// drip sends the beginning of a request and then a byte now and then, and says what was
// wrong: the other side has to hang up.
func drip(conn net.Conn, what, head string, began time.Time) string {
	defer conn.Close()
	const most = time.Minute // the limit is 1.5 s, and machines are busy
	_ = conn.SetDeadline(began.Add(most))
	hungUp := make(chan struct{})
	go func() {
		defer close(hungUp)
		_, _ = io.Copy(io.Discard, conn)
	}()
	_, _ = io.WriteString(conn, head)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-hungUp:
			if took := time.Since(began); took >= most {
				return fmt.Sprintf("%s: nobody hung up within %s", what, took)
			}
			return ""
		case <-tick.C:
			_, _ = io.WriteString(conn, " ")
		}
	}
}
