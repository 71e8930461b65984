package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
)

// aRun makes a run in the memory and returns its id.
func aRun(t *testing.T, c *client.Client) api.ID {
	t.Helper()
	if _, err := c.CreateJob(t.Context(), newJob("first")); err != nil {
		t.Fatal(err)
	}
	run, err := c.Trigger(t.Context(), "first", api.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

func TestLogPage(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	id := aRun(t, c)
	for name, test := range map[string]struct {
		q    client.LogQuery
		want api.LogPage
	}{
		"the start": {client.LogQuery{Limit: 1}, api.LogPage{From: 1, To: 1, Next: 2, Text: "one\n"}},
		"the end":   {client.LogQuery{Tail: 1}, api.LogPage{From: 3, To: 3, Next: 4, Text: "three\x1b[31m\n"}},
		"a time":    {client.LogQuery{At: instant.Add(time.Second)}, api.LogPage{From: 2, To: 3, Next: 4, Text: "two <&>\nthree\x1b[31m\n"}},
		"behind it": {client.LogQuery{From: 4, Attempt: 1}, api.LogPage{From: 4, To: 3, Next: 4, Done: true, Kept: "whole"}},
	} {
		page, err := c.LogPage(t.Context(), id, test.q)
		if diff := cmp.Diff(test.want, page); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestSearchLogs(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	id := aRun(t, c)
	words := client.LogSearch{Text: "a&b", Regexp: true, Fold: true, Limit: 7, Context: 2, For: 2 * time.Second}
	found, err := c.SearchLog(t.Context(), id, client.RunLogSearch{LogSearch: words, Attempt: 2, From: 9, Backward: true})
	want := api.LogHits{Hits: []api.LogHit{{
		RunID: id, Attempt: 2, Line: 2, Before: []string{"one"},
		Text: "{Text:a&b Regexp:true Fold:true From:9 Backward:true Hits:7 Context:2 For:2s}",
	}}, Next: "3", Note: "enough"}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	found, err = c.SearchJobLogs(t.Context(), "first", client.JobLogSearch{
		LogSearch: words, State: job.Failed, Since: instant, Until: instant.Add(time.Hour), Before: "12",
	})
	const text = "default/first {LogSearch:{Text:a&b Regexp:true Fold:true From:0 Backward:false Hits:7 Context:2 For:2s} Job:0 Before:12 State:failed " +
		"Since:2030-01-31 08:00:00.123 +0000 UTC Until:2030-01-31 09:00:00.123 +0000 UTC}"
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Text != text || !found.Complete || found.Logs != 2 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestDownloadLog(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	id := aRun(t, c)
	for strip, want := range map[bool]string{false: "one\ntwo <&>\nthree\x1b[31m\n", true: "one\ntwo <&>\nthree\n"} {
		var got bytes.Buffer
		n, err := c.DownloadLog(t.Context(), id, 1, strip, &got)
		if err != nil || got.String() != want || n != int64(len(want)) {
			t.Errorf("%d bytes %q, %v", n, got.String(), err)
		}
	}
	if _, err := c.DownloadLog(t.Context(), 77, 0, false, io.Discard); !job.Is(err, job.NotFound) {
		t.Errorf("a run that is not: %v", err)
	}
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "half\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(cut.Close)
	if n, err := newClient(t, client.Config{Address: cut.URL}).DownloadLog(t.Context(), 1, 0, false, io.Discard); n != 5 || !job.Is(err, job.Ambiguous) {
		t.Errorf("a download that was cut: %d bytes, %v", n, err)
	}
	full := errors.New("no room")
	if _, err := c.DownloadLog(t.Context(), id, 1, false, failing{full}); !errors.Is(err, full) || job.Is(err, job.Ambiguous) {
		t.Errorf("a full disk: %v", err)
	}
}

// failing is a writer that cannot write.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// flaky breaks each connection after so many bytes, as long as there are some left to
// break.
type flaky struct {
	net.Listener
	breaks atomic.Int64
	after  int64
}

func (f *flaky) Accept() (net.Conn, error) {
	conn, err := f.Listener.Accept()
	if err != nil || f.breaks.Add(-1) < 0 {
		return conn, err
	}
	return &flakyConn{Conn: conn, left: f.after}, nil
}

type flakyConn struct {
	net.Conn
	left int64
}

func (c *flakyConn) Write(p []byte) (int, error) {
	if int64(len(p)) <= c.left {
		c.left -= int64(len(p))
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:c.left])
	c.left = 0
	_ = c.Conn.Close()
	return n, io.ErrClosedPipe
}

// TestFollowLogAcrossBreaks: wherever connections break, each line of each attempt
// comes once, and in order.
func TestFollowLogAcrossBreaks(t *testing.T) {
	t.Parallel()
	m := &memory{runs: []job.Run{{ID: 5, State: job.Succeeded}}}
	handler, err := rest.New(m.config())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		server := httptest.NewUnstartedServer(handler)
		// The first connection must do: who cannot reach a server at all is told.
		line := &flaky{Listener: server.Listener, after: rapid.Int64Range(1000, 20_000).Draw(r, "bytes")}
		line.breaks.Store(rapid.Int64Range(0, 3).Draw(r, "breaks"))
		server.Listener = line
		server.Start()
		defer server.Close()
		c, err := client.New(client.Config{Address: server.URL, Token: token})
		if err != nil {
			r.Fatal(err)
		}
		defer c.Close()
		from := rapid.IntRange(1, 30).Draw(r, "from")
		attempt, next, ended := 0, from, 0
		err = c.FollowLog(t.Context(), 5, client.LogFollow{From: from}, client.LogViewer{
			Begin: func(a api.LogAttempt) error {
				if a.Number != attempt+1 || attempt > 0 && next != 40*attempt+1 {
					return fmt.Errorf("attempt %d begins after line %d of attempt %d", a.Number, next-1, attempt)
				}
				if attempt > 0 {
					next = 1
				}
				attempt = a.Number
				return nil
			},
			Lines: func(l api.LogLines) error {
				for text := range strings.Lines(l.Text) {
					if want := fmt.Sprintf("line %d of %d\n", next, attempt); text != want {
						return fmt.Errorf("got %q, want %q", text, want)
					}
					next++
				}
				return nil
			},
			End: func(e api.LogEnd) error { ended++; return nil },
		})
		if err != nil || attempt != 5 || next != 201 || ended != 1 {
			r.Fatalf("attempt %d up to line %d, %d ends: %v", attempt, next-1, ended, err)
		}
	})
}

func TestFollowLogEnds(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	id := aRun(t, c)
	enough := errors.New("enough")
	err := c.FollowLog(t.Context(), id, client.LogFollow{}, client.LogViewer{Lines: func(api.LogLines) error { return enough }})
	if !errors.Is(err, enough) {
		t.Errorf("a viewer that has enough: %v", err)
	}
	if err := c.FollowLog(t.Context(), 77, client.LogFollow{}, client.LogViewer{}); !job.Is(err, job.NotFound) {
		t.Errorf("a run that is not: %v", err)
	}
	away := newClient(t, client.Config{Address: "http://127.0.0.1:1"})
	if err := away.FollowLog(t.Context(), id, client.LogFollow{}, client.LogViewer{}); !job.Is(err, job.Unreachable) {
		t.Errorf("a server that is away from the start: %v", err)
	}
	if err := c.FollowLog(t.Context(), id, client.LogFollow{Attempt: 2, From: 80, Only: true}, client.LogViewer{}); err != nil {
		t.Errorf("without a viewer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	if err := newClient(t, client.Config{Address: silent.URL}).FollowLog(ctx, id, client.LogFollow{}, client.LogViewer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a follower that is given up: %v", err)
	}
}

// TestFollowLogMeetsStrangers: what is no stream of Orth is said to be none, and a
// problem that stays is told.
func TestFollowLogMeetsStrangers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		media, body string
		kind        job.Kind
	}{
		"a page":          {"text/html", "<html>", job.Refused},
		"no JSON":         {"text/event-stream", "event: lines\ndata: {\n\n", job.Refused},
		"a final problem": {"text/event-stream", "event: problem\ndata: {\"code\":\"not_found\",\"detail\":\"gone\"}\n\n", job.NotFound},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			_, _ = io.WriteString(w, c.body)
		}))
		err := newClient(t, client.Config{Address: server.URL}).FollowLog(t.Context(), 5, client.LogFollow{}, client.LogViewer{})
		if !job.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

// FuzzFollowLog: whatever a server streams, the follower comes to an end.
func FuzzFollowLog(f *testing.F) {
	f.Add([]byte(": x\n\nevent: attempt\ndata: {\"number\":1}\n\nevent: lines\nid: 1:2\ndata: {\"attempt\":1,\"to\":2}\n\nevent: end\ndata: {}\n\n"))
	f.Add([]byte("event: problem\ndata: {\"code\":\"x\"}\n\ndata\n:\n\n"))
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(body)
	}))
	f.Cleanup(server.Close)
	c, err := client.New(client.Config{Address: server.URL})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	f.Fuzz(func(t *testing.T, b []byte) {
		body = b
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		began := time.Now()
		_ = c.FollowLog(ctx, 5, client.LogFollow{}, client.LogViewer{})
		if took := time.Since(began); took > time.Minute { // machines are busy
			t.Errorf("it took %s", took)
		}
	})
}
