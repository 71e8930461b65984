package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// scripted gives one error to every call, and part of a backup before it.
type scripted struct {
	Operations
	err     error
	part    string
	entered chan struct{} // told when Stats is called, which then waits for go
	goOn    chan struct{}
}

func (s *scripted) Stats(context.Context) ([]Counts, error) {
	if s.entered != nil {
		s.entered <- struct{}{}
		<-s.goOn
	}
	return []Counts{}, s.err
}

func (s *scripted) Backup(_ context.Context, w io.Writer) error {
	if s.part != "" {
		if _, err := io.WriteString(w, s.part); err != nil {
			return err
		}
	}
	return s.err
}

func TestErrorsCrossTheSocket(t *testing.T) {
	t.Parallel()
	for _, want := range []*job.Error{
		{Kind: job.Invalid, Field: "queue", Message: "is wrong", Hint: "write another"},
		{Kind: job.NotFound, Message: "there is none", Hint: "look"},
		{Kind: job.Conflict, Message: "it changed"},
		{Kind: job.Full, Message: "no room", Hint: "later"},
		{Kind: job.Unavailable, Message: "the disk is away"},
	} {
		c := serve(t, shortDir(t), &scripted{err: want})
		_, err := c.Stats(t.Context())
		if diff := cmp.Diff(error(want), err); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(error(want), c.Backup(t.Context(), io.Discard)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestInternalErrorsStayInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := &scripted{err: errors.New("secret detail")}
	w := httptest.NewRecorder()
	NewServer(o, slog.New(slog.NewTextHandler(&log, nil))).Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, statsPath, nil))
	var p api.Problem
	must(t, json.Unmarshal(w.Body.Bytes(), &p))
	if w.Code != 500 || p.Code != job.Internal || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "secret detail") || p.ID == "" || !strings.Contains(log.String(), p.ID) {
		t.Errorf("id %q, log %s", p.ID, &log)
	}
}

// TestBackupThatBreaksOff: a part must not pass for the whole.
func TestBackupThatBreaksOff(t *testing.T) {
	t.Parallel()
	c := serve(t, shortDir(t), &scripted{err: errors.New("disk"), part: strings.Repeat("x", 100_000)})
	var got bytes.Buffer
	wantKind(t, c.Backup(t.Context(), &got), job.Unavailable)
	c = serve(t, shortDir(t), &scripted{part: "all of it"})
	got.Reset()
	must(t, c.Backup(t.Context(), &got))
	if got.String() != "all of it" {
		t.Errorf("got %q", &got)
	}
}

func TestBusyServerRefuses(t *testing.T) {
	t.Parallel()
	o := &scripted{entered: make(chan struct{}), goOn: make(chan struct{})}
	c := serve(t, shortDir(t), o)
	results := make(chan error, maxAtOnce)
	for range maxAtOnce {
		go func() {
			_, err := c.Stats(t.Context())
			results <- err
		}()
		<-o.entered
	}
	_, err := c.Stats(t.Context())
	wantKind(t, err, job.Full)
	close(o.goOn)
	for range maxAtOnce {
		must(t, <-results)
	}
}

func TestWrongRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, mem.New(), Config{})
	for name, c := range map[string]struct {
		method, path, media, body string
		status                    int
		want                      string
	}{
		"path":          {"GET", "/nothing", "", "", 404, ""},
		"method":        {"DELETE", "/stats", "", "", 405, ""},
		"place":         {"GET", "/queues/tasks/items?limit=1", "", "", 422, "use one of scheduled"},
		"limit":         {"GET", "/queues/tasks/items?place=dead&limit=many", "", "", 422, `\"many\" is no number`},
		"after":         {"GET", "/queues/tasks/items?place=dead&limit=1&after=-1", "", "", 422, `\"-1\" is no number`},
		"key":           {"GET", "/queues/tasks/items/-4", "", "", 422, "is no id"},
		"media":         {"POST", "/queues/tasks/purge", "text/plain", `{"all":true}`, 422, "application/json"},
		"not JSON":      {"POST", "/queues/tasks/purge", jsonType, `all`, 422, "cannot be read"},
		"unknown field": {"POST", "/queues/tasks/purge", jsonType, `{"all":true,"force":true}`, 422, "force"},
		"two values":    {"POST", "/queues/tasks/purge", jsonType, `{"all":true}{"all":true}`, 422, "stands behind"},
		"too large":     {"POST", "/queues/tasks/purge", jsonType, `{"keys":["` + strings.Repeat("1", MaxBody) + `"]}`, 422, "too large"},
	} {
		w := httptest.NewRecorder()
		in := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		in.Header.Set("Content-Type", c.media)
		NewServer(r.direct, nil).Handler.ServeHTTP(w, in)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: status %d, %s", name, w.Code, w.Body)
		}
	}
}

func TestStrangerOnTheSocket(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		status      int
		media, body string
	}{
		{200, "text/html", "<p>hello"}, {200, jsonType, "{"}, {404, "text/plain", "404 page not found"}, {500, api.ProblemType, "no JSON"},
	} {
		dir := shortDir(t)
		l, err := Listen(dir)
		must(t, err)
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", answer.media)
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		s.Listener.Close()
		s.Listener = l
		s.Start()
		c, err := Dial(t.Context(), dir)
		must(t, err)
		_, err = c.Stats(t.Context())
		wantKind(t, err, job.Refused)
		wantKind(t, c.Backup(t.Context(), io.Discard), job.Refused)
		c.Close()
		s.Close()
	}
}

// FuzzSelection: whatever comes is a whole selection or an error of the caller.
func FuzzSelection(f *testing.F) {
	for _, text := range []string{`{"all":true}`, `{"keys":["1","2"]}`, `{"keys":[]}`, `{"keys":["x"]}`, `{"all":true} x`, `[`, `null`} {
		f.Add([]byte(text))
	}
	request := func(text []byte) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(text))
		r.Header.Set("Content-Type", jsonType)
		return r
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := decodeSelection(request(text))
		if err != nil {
			wantKind(t, err, job.Invalid)
			return
		}
		must(t, s.check())
		again, err := encode(s)
		must(t, err)
		back, err := decodeSelection(request(again))
		must(t, err)
		if s.All {
			s.Keys, back.Keys = nil, nil
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzQuery: what a listing understands survives the way back.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{"place=dead&limit=5&after=9", "place=scheduled&limit=200", "place=finished&limit=1", "limit=-1", "%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := decodeQuery("tasks", values)
		if err != nil {
			wantKind(t, err, job.Invalid)
			return
		}
		back, err := decodeQuery("tasks", encodeQuery(q))
		must(t, err)
		if q != back || q.Limit > MaxLimit || q.Place == queue.Remembered {
			t.Errorf("%+v became %+v", q, back)
		}
	})
}

// FuzzAbout: what is shown of any body is small JSON.
func FuzzAbout(f *testing.F) {
	for _, text := range []string{`{"a":"b"}`, `[[[[1]]]]`, `"` + strings.Repeat("é", 300) + `"`, strings.Repeat("[", 200) + strings.Repeat("]", 200), "1e999", "{} {}", "\xff"} {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"list":[` + strings.Repeat("1,", 500) + `1],"n":` + strings.Repeat("9", 100) + "}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		said, err := about(nil, "tasks", body)
		if err != nil {
			return
		}
		// Each value has at most a name and a text, and each character at most
		// six bytes.
		if !json.Valid(said) || len(said) > 2*maxValues*6*(maxText+maxName) {
			t.Errorf("%d bytes: %s", len(said), said)
		}
		if _, err := whole(body); err != nil {
			t.Error(err)
		}
	})
}
