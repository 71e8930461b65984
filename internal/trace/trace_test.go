package trace

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a collector that keeps what it is sent.
type sink struct {
	*httptest.Server

	mu    sync.Mutex
	spans map[string]*wire.Span
	who   map[string]string // attributes of the resource
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{spans: map[string]*wire.Span{}, who: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s got %d bytes: %v", r.URL.Path, len(body), err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, of := range request.GetResourceSpans() {
			for _, a := range of.GetResource().GetAttributes() {
				s.who[a.GetKey()] = a.GetValue().GetStringValue()
			}
			for _, scope := range of.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					s.spans[span.GetName()] = span
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	return s
}

// running returns a tracer, and what ends it and waits for its spans.
func running(t *testing.T, c Config) (*Tracer, func()) {
	t.Helper()
	tracer, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	stop := lifecycletest.Start(t, tracer.Run)
	return tracer, stop
}

// TestRunIsATrace follows a run from the plan into the code of a Go handler on an
// executor: two tracers that share nothing but the trace context.
func TestRunIsATrace(t *testing.T) {
	t.Parallel()
	s := newSink(t)
	server, end := running(t, Config{Endpoint: s.URL, Ratio: 1, Service: "orth-server", Key: []byte("key")})
	executor, endOther := running(t, Config{Endpoint: s.URL, Service: "orth-executor"})

	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	server.Record(&Span{Name: "plan", Run: 7, Begin: at, End: at.Add(time.Millisecond)})
	server.Record(&Span{Name: "dispatch", Run: 7, Attempt: 70, Call: true, Begin: at, End: at, Error: "refused"})
	server.Record(&Span{Name: "attempt", Run: 7, Attempt: 70, Whole: true, Begin: at, End: at.Add(time.Second)})
	server.Record(&Span{
		Name: "run", Run: 7, Whole: true, Begin: at, End: at.Add(time.Second),
		Facts: []Fact{{Name: "orth.run_id", Number: 7}, {Name: "orth.outcome", Text: "succeeded"}, {Name: "empty", Text: ""}},
	})
	task := handler.NewTask(handler.TaskConfig{Task: job.Task{
		AttemptID: 70, RunID: 7, JobID: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: "pay"}, Trace: server.Context(7, 70),
	}})
	ctx, done := executor.Handling(t.Context(), task)
	inside := otel.SpanContextFromContext(ctx)
	done(errors.New("no money"))
	end()
	endOther()

	s.mu.Lock()
	defer s.mu.Unlock()
	trace := server.TraceOf(7)
	for name, above := range map[string]string{"run": "", "plan": "run", "attempt": "run", "dispatch": "attempt", "handle pay": "attempt"} {
		span := s.spans[name]
		if span == nil {
			t.Fatalf("there is no span %s", name)
		}
		want := ""
		if above != "" {
			want = hex.EncodeToString(s.spans[above].GetSpanId())
		}
		if got := hex.EncodeToString(span.GetTraceId()); got != trace {
			t.Errorf("%s is of the trace %s, not %s", name, got, trace)
		}
		if got := hex.EncodeToString(span.GetParentSpanId()); got != want {
			t.Errorf("%s is below %q, not below %s %s", name, got, above, want)
		}
	}
	run := s.spans["run"]
	if got := time.Duration(run.GetEndTimeUnixNano() - run.GetStartTimeUnixNano()); got != time.Second {
		t.Errorf("the run took %v", got)
	}
	if len(run.GetAttributes()) != 2 {
		t.Errorf("the run has %v", run.GetAttributes())
	}
	if bad := s.spans["dispatch"]; bad.GetStatus().GetMessage() != "refused" || bad.GetKind() != wire.Span_SPAN_KIND_CLIENT {
		t.Errorf("the call is %v", bad)
	}
	handled := s.spans["handle pay"]
	if codes.Code(handled.GetStatus().GetCode()) == codes.Unset || handled.GetStatus().GetMessage() != "no money" {
		t.Errorf("the handler ended with %v", handled.GetStatus())
	}
	own := hex.EncodeToString(handled.GetSpanId())
	if inside.SpanID().String() != own || !strings.Contains(task.Trace, trace+"-"+own) {
		t.Errorf("the handler of span %s saw %s and %s", own, inside.SpanID(), task.Trace)
	}
	if s.who["service.name"] == "" || s.who["telemetry.sdk.name"] == "" {
		t.Errorf("the resource says %v", s.who)
	}
	if stats := server.Stats(); stats != (Stats{Sent: 4}) {
		t.Errorf("the server's spans: %+v", stats)
	}
}

// TestNothingIsTraced: neither runs outside the ratio nor tasks without a context make
// spans.
func TestNothingIsTraced(t *testing.T) {
	t.Parallel()
	s := newSink(t)
	tracer, end := running(t, Config{Endpoint: s.URL, Key: []byte("key")})
	tracer.Record(&Span{Name: "run", Run: 7, Whole: true})
	for _, context := range []string{
		"", tracer.Context(7, 70), "nonsense", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
	} {
		task := handler.NewTask(handler.TaskConfig{Task: job.Task{Trace: context}})
		ctx, done := tracer.Handling(t.Context(), task)
		done(nil)
		if ctx != t.Context() || task.Trace != context {
			t.Errorf("%q: the task of nobody's trace is traced as %q", context, task.Trace)
		}
	}
	end()
	if len(s.spans) > 0 || tracer.Stats() != (Stats{}) {
		t.Errorf("there are spans: %v", s.spans)
	}
}

// TestCollectorAway: nothing waits for a collector, and what is lost is counted.
func TestCollectorAway(t *testing.T) {
	t.Parallel()
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer away.Close()
	var log strings.Builder
	c := Config{Endpoint: away.URL, Ratio: 1, Key: []byte("key"), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	tracer, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	const more = 10
	for i := range basketSize + more {
		tracer.Record(&Span{Name: "run", Run: int64(i + 1), Whole: true, Begin: time.Now(), End: time.Now()})
	}
	if stats := tracer.Stats(); stats != (Stats{Dropped: more, Waiting: basketSize}) {
		t.Errorf("before anything was sent: %+v", stats)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tracer.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if stats := tracer.Stats(); stats != (Stats{Dropped: more, Failed: basketSize}) {
		t.Errorf("after the end: %+v", stats)
	}
	if n := strings.Count(log.String(), "takes no spans"); n != 1 {
		t.Errorf("it was said %d times that the collector is away:\n%s", n, log.String())
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		{Endpoint: "127.0.0.1:4318"}, {Endpoint: "ftp://h"}, {Endpoint: "http://u:p@h"}, {Endpoint: "http://h", Ratio: 2}, {Ratio: -1},
	} {
		if _, err := New(t.Context(), c); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if Configured("http://h") != true {
		t.Error("an endpoint is none")
	}
}

// TestIDs: servers with one key agree, others do not, and the ratio holds.
func TestIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		one, other := newMaker([]byte("a"), 1), newMaker([]byte("a"), 0)
		alien := newMaker([]byte("b"), 1)
		id := rapid.Int64Min(1).Draw(r, "run")
		trace, span := one.runTrace(id)
		again, same := other.runTrace(id)
		foreign, _ := alien.runTrace(id)
		if trace != again || span != same || trace == foreign || !trace.IsValid() || !span.IsValid() {
			r.Fatalf("run %d: %s %s, again %s %s, with another key %s", id, trace, span, again, same, foreign)
		}
		if !one.traced(trace) || other.traced(trace) {
			r.Fatalf("run %d: all traces it %v, none does %v", id, one.traced(trace), other.traced(trace))
		}
		if span == one.attempt(id) {
			r.Fatalf("the run and the attempt %d are one span", id)
		}
	})
	tenth, traced := newMaker([]byte("a"), 0.1), 0
	for id := range int64(10_000) {
		if trace, _ := tenth.runTrace(id + 1); tenth.traced(trace) {
			traced++
		}
	}
	if traced < 850 || traced > 1150 {
		t.Errorf("of 10,000 runs %d are traced, not about 1,000", traced)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := parse(text)
		if ok != job.ValidTrace(text) {
			t.Errorf("%q: %v", text, ok)
		}
		if ok && (!c.IsValid() || c.TraceID().String() != job.TraceOf(text)) {
			t.Errorf("%q is %v", text, c)
		}
	})
}
