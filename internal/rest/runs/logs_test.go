package runs_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestLogRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const hits = `{"hits":[{"run_id":"5","attempt":1,"line":7,"text":"a\\x07","before":["b\\x00"],"after":["c"]}],` +
		`"complete":false,"next":"8","note":"enough","lines":9,"logs":1}`
	const none = `{"hits":[],"complete":true,"lines":0,"logs":0}`
	const page = `{"from":1,"to":2,"next":3,"text":"one\ntwo\n","done":false}`
	for _, c := range []struct{ request, call, want string }{
		{"GET /runs/5/log?tail=3&limit=2", "log 5 attempt 0 from 1 tail 3 limit 2", page},
		{"GET /runs/5/log?at=2030-01-31T09:00:00%2B01:00", "log 5 attempt 0 from 1 tail 0 limit 1000 at 2030-01-31T08:00:00Z", page},
		{
			"GET /runs/5/log/search?text=x", "search 5 attempt 0 {Text:x Regexp:false Fold:false From:0 Backward:false Hits:100 Context:0 For:5s}", hits,
		},
		{
			"GET /runs/5/log/search?text=x%2B&regexp=true&fold=true&from=9&backward=true&limit=3&context=2&for=30s&attempt=2&raw=true",
			"search 5 attempt 2 {Text:x+ Regexp:true Fold:true From:9 Backward:true Hits:3 Context:2 For:30s}",
			strings.NewReplacer(`a\\x07`, `a\u0007`, `b\\x00`, `b\u0000`).Replace(hits),
		},
		{
			"GET /jobs/report/log/search?text=x&namespace=team&before=7&state=failed&since=2030-01-31T08:00:00Z&until=2030-01-31T09:00:00Z",
			"search team/report {LogSearch:{Text:x Regexp:false Fold:false From:0 Backward:false Hits:100 Context:0 For:5s} Job:0 Before:7 State:failed " +
				"Since:2030-01-31 08:00:00 +0000 UTC Until:2030-01-31 09:00:00 +0000 UTC}",
			none,
		},
	} {
		resttest.WantRoute(t, f, server, c.request, "", 200, c.call, c.want)
	}
	for request, field := range map[string]string{
		"/runs/5/log?tail=3&at=2030-01-31T09:00:00Z":  "tail",
		"/runs/5/log?limit=1001":                      "limit",
		"/runs/5/log?at=yesterday":                    "at",
		"/runs/5/log/search":                          "text",
		"/runs/5/log/search?text=x&for=31s":           "for",
		"/runs/5/log/search?text=x&for=soon":          "for",
		"/runs/5/log/search?text=x&context=21":        "context",
		"/runs/9999999999999999999/log/search?text=x": "id",
		"/jobs/report/log/search?text=x&since=x":      "since",
		"/runs/5/log/download?ansi=maybe":             "ansi",
		"/runs/5/log/stream?from=0":                   "from",
	} {
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1"+request, "")
		if response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", request, response.StatusCode, body)
		}
	}
}

// TestLogIsShownSafely: control characters of logs reach only those who ask for them.
func TestLogIsShownSafely(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Lines: "\x1b[31mred\x1b[0m\n\x1b[2Jgone\x00\xff\n"}
	server := resttest.Serve(t, f, nil)
	for query, want := range map[string]string{
		"":          `"text":"\u001b[31mred\u001b[0m\n\\x1b[2Jgone\\x00\\xff\n"`,
		"?raw=true": `"text":"\u001b[31mred\u001b[0m\n\u001b[2Jgone\u0000` + "\\ufffd" + `\n"`,
	} {
		if _, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log"+query, ""); !strings.Contains(body, want) {
			t.Errorf("%s: %s, want %s", query, body, want)
		}
	}
}

func TestLogStream(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/stream?only=true", "")
	resttest.WantHeaders(t, response)
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" || response.StatusCode != http.StatusOK {
		t.Errorf("%d %s", response.StatusCode, got)
	}
	want := ": orth\n\n" +
		"event: attempt\ndata: {\"number\":1,\"id\":\"99\",\"address\":\"http://10.0.0.1:9999\"}\n\n" +
		"event: lines\nid: 1:2\ndata: {\"attempt\":1,\"from\":1,\"to\":2,\"text\":\"one\\ntwo\\\\x00\\n\"}\n\n" +
		"event: end\ndata: {\"state\":\"succeeded\",\"final\":true}\n\n"
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("run 5\nfollow 5 {Attempt:0 From:1 Only:true}", f.Called()); diff != "" {
		t.Error(diff)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/runs/5/log/stream?from=4", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+resttest.Token)
	for last, want := range map[string]string{
		"2:17": "run 5\nfollow 5 {Attempt:2 From:18 Only:false}", "9999999999:1": "", "x": "", "1:": "",
	} {
		r.Header.Set("Last-Event-ID", last)
		response, _ := resttest.Do(t, server, r)
		if called := f.Called(); called != want || want == "" && response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("behind %s: %d, asked %q, want %q", last, response.StatusCode, called, want)
		}
	}
}

// TestLogStreamThatFails: what goes wrong before the first event is a problem like any
// other, and an event later.
func TestLogStreamThatFails(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Err: job.Errorf(job.NotFound, "there is no run 5")}
	server := resttest.Serve(t, f, nil)
	for _, path := range []string{"stream", "download"} {
		if response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/"+path, ""); response.StatusCode != http.StatusNotFound || !strings.Contains(body, "no run 5") {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	broken := resttest.Serve(t, f, func(c *rest.Config) { c.Runs, c.Logs = failingLog{&resttest.Fake{}}, failingLog{&resttest.Fake{}} })
	_, body := resttest.Send(t, broken, http.MethodGet, "/api/v1/runs/5/log/stream", "")
	if !strings.Contains(body, "event: problem\ndata: {") || !strings.Contains(body, `"code":"unavailable"`) || !strings.Contains(body, "its sum is wrong") {
		t.Errorf("the stream is %s", body)
	}
}

// failingLog is a catalog whose logs are damaged.
type failingLog struct{ *resttest.Fake }

var errDamage = job.Errorf(job.Unavailable, "its sum is wrong")

func (failingLog) FollowLog(context.Context, int64, queries.LogFollow, queries.LogViewer) error {
	return errDamage
}

func (f failingLog) Log(ctx context.Context, run int64, q queries.LogQuery) (job.LogPage, error) {
	if q.From > 1 {
		return job.LogPage{}, errDamage
	}
	return f.Fake.Log(ctx, run, q)
}

// TestLogStreams: there are so many at once, a place is free again when one ends, and
// all end when the server stops.
func TestLogStreams(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Follows: make(chan struct{})}
	stopping := make(chan struct{})
	server := resttest.Serve(t, f, func(c *rest.Config) { c.Streams, c.Stopping, c.Timeout = 1, stopping, 50*time.Millisecond })
	ended := make(chan string)
	go func() {
		_, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/stream", "")
		ended <- body
	}()
	<-f.Follows
	for _, path := range []string{"stream", "download"} {
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/"+path, "")
		if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "1 logs are followed") {
			t.Errorf("one more %s: %d %s", path, response.StatusCode, body)
		}
	}
	select {
	case body := <-ended:
		t.Errorf("the stream ended by itself: %s", body)
	case <-time.After(100 * time.Millisecond): // longer than a request may take
	}
	close(stopping)
	if body := <-ended; !strings.HasSuffix(body, "\\n\"}\n\n") || strings.Contains(body, "event: end") {
		t.Errorf("the stream that was stopped is %s", body)
	}
	f.Follows = nil
	if _, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/stream", ""); !strings.Contains(body, "event: end") {
		t.Errorf("the next one is %s", body)
	}
}

// TestLogStreamBeats: a stream without lines says every 15 s that it is there, and ends
// when its reader has gone.
func TestLogStreamBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &resttest.Fake{Follows: make(chan struct{})}
		handler, err := rest.New(f.Config())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/runs/5/log/stream", nil)
		r.Header.Set("Authorization", "Bearer "+resttest.Token)
		w := httptest.NewRecorder()
		over := make(chan struct{})
		go func() {
			defer close(over)
			handler.ServeHTTP(w, r)
		}()
		time.Sleep(time.Minute + time.Second)
		cancel()
		<-over
		if n := strings.Count(w.Body.String(), ": beat\n\n"); n != 4 {
			t.Errorf("there were %d beats in a minute", n)
		}
	})
}

func TestLogDownload(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, func(c *rest.Config) { c.Runs, c.Logs = shortLog{f}, shortLog{f} })
	for query, want := range map[string]string{
		"":                      "--- attempt 1 on http://1: failed\n\x1b[31mone\x1b[0m\n--- attempt 2 on http://2: succeeded\n\x1b[31mone\x1b[0m\n",
		"?attempt=2":            "\x1b[31mone\x1b[0m\n",
		"?attempt=1&ansi=strip": "one\n",
	} {
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/download"+query, "")
		resttest.WantHeaders(t, response)
		if body != want || response.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %q as %s", query, body, response.Header.Get("Content-Type"))
		}
		name := "run-5.log"
		if strings.Contains(query, "attempt") {
			name = "run-5-attempt-" + query[9:10] + ".log"
		}
		if got := response.Header.Get("Content-Disposition"); got != `attachment; filename="`+name+`"` {
			t.Errorf("%s: %s", query, got)
		}
	}
	if response, _ := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5/log/download?attempt=3", ""); response.StatusCode != http.StatusNotFound {
		t.Errorf("an attempt that is not: %d", response.StatusCode)
	}
}

// shortLog is a catalog with a run of two attempts, a line of log each.
type shortLog struct{ *resttest.Fake }

func (shortLog) Attempts(_ context.Context, run int64) ([]job.Attempt, error) {
	return []job.Attempt{
		{RunID: run, Number: 1, Address: "http://1", State: job.Failed}, {RunID: run, Number: 2, Address: "http://2", State: job.Succeeded},
	}, nil
}

func (shortLog) Log(_ context.Context, _ int64, q queries.LogQuery) (job.LogPage, error) {
	if q.From > 1 {
		return job.LogPage{From: q.From, To: q.From - 1, End: true}, nil
	}
	return job.LogPage{From: 1, To: 1, Text: "\x1b[31mone\x1b[0m\n"}, nil
}

// TestLogDownloadIsCut: a client sees that a download is not whole, and why.
func TestLogDownloadIsCut(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, func(c *rest.Config) { c.Runs, c.Logs = failingLog{&resttest.Fake{}}, failingLog{&resttest.Fake{}} })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/runs/5/log/download", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+resttest.Token)
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(bufio.NewReader(response.Body))
	if want := "one\ntwo\n[the rest cannot be read: its sum is wrong]\n"; string(text) != want || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it is %q, %v", text, err)
	}
}
