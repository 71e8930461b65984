package control

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// between starts a server and returns a client of it.
func between(t *testing.T, h http.Handler) *Caller {
	t.Helper()
	s := httptest.NewServer(h)
	c := &Caller{
		Peer: Peer{Program: "baker", Folder: "/srv", Things: "loaves", Command: "bake"},
		Base: s.URL, Token: redacted.New("of the house"), HTTP: NewHTTP(nil),
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

// order is what the tests send there and back.
type order struct {
	Name string `json:"name"`
}

// What is sent arrives as it is, with its token; so do errors, those inside only as an id.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := NewResponder("baker", 1, slog.New(slog.NewTextHandler(&log, nil)))
	c := between(t, r.Bounded(r.JSON(func(in *http.Request) (any, error) {
		if got := in.Header.Get("Authorization"); got != "Bearer of the house" {
			t.Errorf("the token is %q", got)
		}
		var o order
		if err := DecodeBody(in, &o); err != nil {
			return nil, err
		}
		switch o.Name {
		case "burnt":
			return nil, &job.Error{Kind: job.NotFound, Field: "name", Message: "is burnt", Hint: "bake another"}
		case "oven":
			return nil, errors.New("the fuse of the cellar")
		}
		return o, nil
	})))
	ask := func(name string) (o order, err error) {
		err = c.Call(t.Context(), http.MethodPost, "/", order{name}, &o)
		return o, err
	}
	if o, err := ask("<rye> & more"); err != nil || o.Name != "<rye> & more" {
		t.Errorf("%+v, %v", o, err)
	}
	_, err := ask("burnt")
	if known, ok := errors.AsType[*job.Error](err); !ok || *known != (job.Error{Kind: job.NotFound, Field: "name", Message: "is burnt", Hint: "bake another"}) {
		t.Errorf("the error is %#v", err)
	}
	_, err = ask("oven")
	if !job.Is(err, job.Internal) || strings.Contains(err.Error(), "fuse") || !strings.Contains(log.String(), "the fuse of the cellar") {
		t.Errorf("%v; the log: %s", err, &log)
	}
}

// A body that is not one JSON value of known fields is refused.
func TestDecodeBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ media, body, says string }{
		"a form":       {"text/plain", `{}`, "must be application/json"},
		"no type":      {"", `{}`, "must be application/json"},
		"a field":      {jsonType, `{"weight":1}`, "unknown field"},
		"two values":   {jsonType, `{} {}`, "stands behind"},
		"half a value": {jsonType, `{"name":`, "cannot be read"},
		"nothing":      {jsonType, ``, "cannot be read"},
	} {
		in := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(c.body))
		in.Header.Set("Content-Type", c.media)
		if err := DecodeBody(in, new(order)); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	in := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(` {"name":"rye"} `))
	in.Header.Set("Content-Type", jsonType+"; charset=utf-8")
	var o order
	if err := DecodeBody(in, &o); err != nil || o.Name != "rye" {
		t.Errorf("%+v, %v", o, err)
	}
}

// More requests than are possible are refused while the others go on, and a body is bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	r := NewResponder("baker", 1, nil)
	entered, goOn := make(chan struct{}), make(chan struct{})
	c := between(t, r.Bounded(r.JSON(func(in *http.Request) (any, error) {
		if in.Method == http.MethodGet {
			entered <- struct{}{}
			<-goOn
			return order{}, nil
		}
		return order{}, DecodeBody(in, new(order))
	})))
	ended := make(chan error, 1)
	go func() { ended <- c.Call(t.Context(), http.MethodGet, "/", nil, new(order)) }()
	<-entered
	if err := c.Call(t.Context(), http.MethodPost, "/", order{}, new(order)); !job.Is(err, job.Full) || !strings.Contains(err.Error(), "the baker answers 1 requests already") {
		t.Errorf("one more: %v", err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := c.Call(t.Context(), http.MethodPost, "/", order{strings.Repeat("x", MaxBody)}, new(order)); !job.Is(err, job.Invalid) {
		t.Errorf("a large body: %v", err)
	}
}

// A copy that breaks off is no copy; an error of the reader's own is told as it is.
func TestCopyOfAProgram(t *testing.T) {
	t.Parallel()
	r := NewResponder("baker", 1, nil)
	whole := strings.Repeat("crumb ", 30_000)
	c := between(t, r.Copy(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, whole)
		return err
	}))
	var got bytes.Buffer
	if err := c.Copy(t.Context(), "/", &got); err != nil || got.String() != whole {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
	full := errors.New("the shelf is full")
	if err := c.Copy(t.Context(), "/", refusing{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
	broken := between(t, r.Copy(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, whole)
		return errors.Join(err, errors.New("the mill stands still"))
	}))
	if err := broken.Copy(t.Context(), "/", io.Discard); !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("a copy that broke off: %v", err)
	}
	refused := between(t, r.Copy(func(context.Context, io.Writer) error { return job.Errorf(job.Conflict, "another copy is made") }))
	if err := refused.Copy(t.Context(), "/", io.Discard); !job.Is(err, job.Conflict) {
		t.Errorf("a copy that was refused: %v", err)
	}
}

type refusing struct{ err error }

// Write fails.
func (r refusing) Write([]byte) (int, error) { return 0, r.err }

// What is no such program is told from one that does not answer, and a change that may have been made from one that was not.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]http.HandlerFunc{
		"a page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>hello") },
		"half a value": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			_, _ = io.WriteString(w, "{")
		},
		"another location": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"too much": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			_, _ = io.Copy(w, io.LimitReader(endless{}, maxAnswer+1))
		},
	} {
		if err := between(t, say).Call(t.Context(), http.MethodGet, "/", nil, new(order)); !job.Is(err, job.Refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	silent := between(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	if err := silent.Call(t.Context(), http.MethodGet, "/", nil, new(order)); !job.Is(err, job.Unavailable) {
		t.Errorf("a question: %v", err)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut} {
		if err := silent.Call(t.Context(), method, "/", order{}, new(order)); !job.Is(err, job.Ambiguous) || !strings.Contains(err.Error(), "took the change") {
			t.Errorf("%s: %v", method, err)
		}
	}
	gone := &Caller{Peer: silent.Peer, Base: "http://127.0.0.1:1", HTTP: NewHTTP(nil)}
	if err := gone.Call(t.Context(), http.MethodPost, "/", order{}, new(order)); !job.Is(err, job.Unavailable) {
		t.Errorf("nobody listens: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := gone.Call(ended, http.MethodPost, "/", order{}, new(order)); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller has left: %v", err)
	}
}

type endless struct{}

// Read gives spaces.
func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}
