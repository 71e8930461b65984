package app

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/trace"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// gathered are the names of spans by trace.
type gathered struct {
	mu    sync.Mutex
	spans map[string][]string
}

func (g *gathered) of(trace string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(slices.Values(g.spans[trace]))
}

// gather runs a collector until the test ends.
func gather(t *testing.T) (*gathered, string) {
	t.Helper()
	g := &gathered{spans: map[string][]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, of := range request.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					id := hex.EncodeToString(span.GetTraceId())
					g.spans[id] = append(g.spans[id], span.GetName())
				}
			}
		}
	}))
	t.Cleanup(server.Close)
	return g, server.URL
}

// TestRunIsTracedIntoItsHandler follows a run through the wire, in each protocol.
func TestRunIsTracedIntoItsHandler(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"native", "xxl-job-3.5"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			spans, url := gather(t)
			data := t.TempDir()
			s := beginWith(t, Config{Data: data, Listen: "127.0.0.1:0", Tracing: Tracing{Endpoint: url, Ratio: 1}})
			theirs, err := trace.New(t.Context(), trace.Config{Endpoint: url, Service: "orth-executor"})
			if err != nil {
				t.Fatal(err)
			}
			told := make(chan string, 1)
			runParts(t, theirs.Run, working(t, executor.Config{
				Servers: []string{s.URL()}, Group: "g", Dialect: dialect, Token: s.ExecutorToken().Reveal(), Listen: "127.0.0.1:0",
				Data: t.TempDir(), Around: theirs.Handling,
			}, func(_ context.Context, t *handler.Task) error { told <- t.Trace; return nil }).Run)
			c := s.Jobs()
			create(t, c, "pay", schedule.Spec{Kind: schedule.KindManual})
			run := trigger(t, c, "pay", "")
			id := s.spans.traceOf(run.ID)
			until(t, "all spans have come", func() bool { return len(spans.of(id)) == 5 })
			if got := strings.Join(spans.of(id), ", "); got != "attempt, dispatch, handle hello, queue, run" {
				t.Errorf("the trace has %s", got)
			}
			if seen := <-told; job.TraceOf(seen) != id {
				t.Errorf("the handler saw %s, the trace is %s", seen, id)
			}
			if page := scrape(t, s, "application/openmetrics-text"); !strings.Contains(page, `trace_id="`+id+`"`) {
				t.Error("the page has no example of the trace")
			}
			if matches, _ := filepath.Glob(filepath.Join(data, "trace.key")); len(matches) != 1 {
				t.Error("the key is not kept")
			}
		})
	}
}

// TestPlansAreTraced: what a schedule makes begins with its plan.
func TestPlansAreTraced(t *testing.T) {
	t.Parallel()
	spans, url := gather(t)
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Tracing: Tracing{Endpoint: url, Ratio: 1}})
	employ(t, s)
	create(t, s.Jobs(), "paced", schedule.Spec{Kind: schedule.KindEvery, Every: 100 * time.Millisecond, Count: 1})
	until(t, "the run has its spans", func() bool {
		return strings.Join(spans.of(s.spans.traceOf(1)), ", ") == "attempt, dispatch, plan, queue, run"
	})
}

// TestTracingIsOffByItself: without a collector, or with no ratio, nothing is made.
func TestTracingIsOffByItself(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := beginWith(t, Config{Data: data, Listen: "127.0.0.1:0", Tracing: Tracing{Endpoint: "http://127.0.0.1:1"}})
	if s.spans != nil || s.spans.traceOf(1) != "" || s.spans.parts() != nil {
		t.Error("there are traces that nobody asked for")
	}
	if matches, _ := filepath.Glob(filepath.Join(data, "trace.key")); len(matches) > 0 {
		t.Error("there is a key for nothing")
	}
	for _, bad := range []Tracing{{Ratio: -1}, {Ratio: 2}, {Ratio: 2, Endpoint: "http://h"}, {Ratio: 1, Endpoint: "h"}} {
		if _, err := New(Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Tracing: bad}); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// working returns an executor with the handler hello.
func working(t *testing.T, c executor.Config, hello func(context.Context, *handler.Task) error) *executor.Executor {
	t.Helper()
	e, err := executor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	e.Handle("hello", hello)
	return e
}

// runParts runs loops until the test ends.
func runParts(t *testing.T, loops ...func(context.Context) error) {
	t.Helper()
	ended := make(chan error, len(loops))
	for _, loop := range loops {
		go func() { ended <- loop(t.Context()) }()
	}
	t.Cleanup(func() {
		for range loops {
			if err := <-ended; err != nil {
				t.Errorf("a part stopped with %v", err)
			}
		}
	})
}
