package rest_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// deadlines notes until when an answer has to be read.
type deadlines struct {
	*httptest.ResponseRecorder
	write, read time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	if !at.IsZero() {
		d.read = at
	}
	return nil
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.write = at
	return nil
}

// An answer has to be read in its time.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	c := f.Config()
	c.Timeout = time.Minute
	handler, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/jobs", "/runs/5", "/nothing", "/openapi"} {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, guard.Prefix+path, nil)
		r.Header.Set("Authorization", "Bearer "+resttest.Token)
		before := time.Now()
		handler.ServeHTTP(d, r)
		if after := d.write.Sub(before); after < time.Minute || after > 2*time.Minute {
			t.Errorf("%s: the answer has to be read within %s", path, after)
		}
	}
}

// S08: a body has to come within 30 seconds, unless the configuration says otherwise.
func TestBodiesHaveTheirTime(t *testing.T) {
	t.Parallel()
	for given, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Minute: time.Minute} {
		f := &resttest.Fake{}
		c := f.Config()
		c.Timeout = given
		handler, err := rest.New(c)
		if err != nil {
			t.Fatal(err)
		}
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, guard.Prefix+"/jobs", strings.NewReader("{}"))
		r.Header.Set("Authorization", "Bearer "+resttest.Token)
		r.Header.Set("Content-Type", "application/json")
		before := time.Now()
		handler.ServeHTTP(d, r)
		if after := d.read.Sub(before); after < want || after > want+10*time.Second {
			t.Errorf("with a limit of %s a body has to come within %s", given, after)
		}
	}
}

// S08: who sends a body slowly is told so, and hung up on.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	c := f.Config()
	c.Timeout = 300 * time.Millisecond
	handler, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	for name, length := range map[string]string{"with a length": "Content-Length: 1000", "in chunks": "Transfer-Encoding: chunked"} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		_, _ = io.WriteString(conn, "POST "+guard.Prefix+"/jobs HTTP/1.1\r\nHost: "+server.Listener.Addr().String()+"\r\nAuthorization: Bearer "+resttest.Token+
			"\r\nContent-Type: application/json\r\n"+length+"\r\n\r\n")
		answer, err := io.ReadAll(conn) // until it is closed
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
			t.Errorf("%s: %v %s", name, err, answer)
		}
		_ = conn.Close()
	}
	if asked := f.Called(); asked != "" {
		t.Errorf("asked %q", asked)
	}
}
