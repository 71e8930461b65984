package call

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client answers as it is told.
type client func(req *http.Request) (*http.Response, error)

func (c client) Do(req *http.Request) (*http.Response, error) { return c(req) }

func TestDo(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("A")+" "+string(body))
		if !r.Close {
			t.Error("the connection is kept")
		}
	}))
	t.Cleanup(s.Close)
	got, err := Do(t.Context(), http.DefaultClient, Request{URL: s.URL, Body: []byte("x"), Header: http.Header{"A": {"b"}}})
	if err != nil || got.Status != 202 || string(got.Body) != "POST application/json; charset=utf-8 b x" {
		t.Errorf("%+v %s, %v", got, got.Body, err)
	}
	got, err = PostJSON(t.Context(), http.DefaultClient, s.URL, map[string]string{"a": "<&>"})
	if err != nil || !strings.HasSuffix(string(got.Body), `{"a":"<&>"}`+"\n") {
		t.Errorf("%s, %v", got.Body, err)
	}
	if _, err = PostJSON(t.Context(), http.DefaultClient, s.URL, func() {}); err == nil {
		t.Error("a function became JSON")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, test := range []struct {
		name    string
		ctx     context.Context
		request Request
		answer  client
		want    job.Kind
		says    string
	}{
		{"no request", t.Context(), Request{URL: "http://a.example/", Method: "B AD"}, nil, job.Invalid, "no request can be made"},
		{"rules", t.Context(), Request{URL: "http://a.example/"}, func(*http.Request) (*http.Response, error) {
			return nil, job.Errorf(job.Refused, "not a.example")
		}, job.Refused, "not a.example"},
		{"dial", t.Context(), Request{URL: "http://a.example/"}, func(*http.Request) (*http.Response, error) { return nil, dial }, job.Unreachable, "connection refused"},
		{"reset", t.Context(), Request{URL: "http://a.example/"}, func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "read", Err: errors.New("reset")}
		}, job.Unavailable, "gave no answer"},
		{"late", over, Request{URL: "http://a.example/"}, func(*http.Request) (*http.Response, error) { return nil, over.Err() }, job.Unavailable, "in time"},
		{"half", t.Context(), Request{URL: "http://a.example/"}, func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))}, nil
		}, job.Unavailable, "broke off"},
	} {
		if _, err := Do(test.ctx, test.answer, test.request); !job.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %s %v", test.name, job.KindOf(err), err)
		}
	}
}

// endless is a body without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func (*endless) Close() error { return nil }

func TestAnswerIsBounded(t *testing.T) {
	t.Parallel()
	body := &endless{}
	got, err := Do(t.Context(), client(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
	}), Request{URL: "http://a.example/"})
	if err != nil || len(got.Body) != maxAnswer || body.read > 2*maxAnswer {
		t.Errorf("%d bytes kept, %d read, %v", len(got.Body), body.read, err)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]job.Kind{
		200: "", 202: "", 204: "", 301: job.Refused, 307: job.Refused, 400: job.Refused, 401: job.Refused, 404: job.Refused, 408: job.Unavailable,
		410: job.Refused, 425: job.Unavailable, 429: job.Full, 500: job.Unavailable, 501: job.Unavailable, 599: job.Unavailable,
	} {
		if got := job.KindOf(Answer{Status: status}.Judge()); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
	err := Answer{Status: 400, Body: []byte("a\n b" + strings.Repeat("c", 1000))}.Judge()
	if text := err.Error(); !strings.Contains(text, "(400: a bccc") || len(text) > 300 || !strings.Contains(text, "…") {
		t.Error(text)
	}
	var into struct{ A int }
	if !(Answer{Body: []byte(`{"a":1}`)}).JSON(&into) || into.A != 1 || (Answer{Body: []byte("x")}).JSON(&into) {
		t.Error("JSON")
	}
}
