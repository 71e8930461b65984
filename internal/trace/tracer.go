package trace

import (
	"context"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/orthd/orth/job"
)

// Config says which runs are traced, and where their spans go.
type Config struct {
	// Endpoint is the base URL of a collector that takes OTLP over HTTP, such as
	// http://127.0.0.1:4318. Defaults to what the environment says as OpenTelemetry
	// has it: OTEL_EXPORTER_OTLP_ENDPOINT and its like, which also name headers and
	// certificates.
	Endpoint string
	// Ratio is how many of all runs are traced, from 0 to 1. It counts for those
	// that begin here; an executor follows its servers.
	Ratio float64
	// Service names the program, and Version may be empty. OTEL_SERVICE_NAME and
	// OTEL_RESOURCE_ATTRIBUTES win.
	Service, Version string
	// Key makes the ids of traces from those of runs: servers of one installation
	// have the same one. Executors need none.
	Key []byte
	// Logger tells when the collector is away, and when it is back. Defaults to none.
	Logger *slog.Logger
}

// Configured reports whether spans have somewhere to go: an endpoint is named, here or
// in the environment.
func Configured(endpoint string) bool {
	return endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Tracer makes spans. Its methods never wait, and may be called by many goroutines.
type Tracer struct {
	ids    maker
	basket *basket
	tracer otel.Tracer
}

// New returns a Tracer whose spans leave while Run runs. Errors are Invalid.
func New(ctx context.Context, c Config) (*Tracer, error) {
	if c.Ratio < 0 || c.Ratio > 1 {
		return nil, job.FieldErrorf("trace-ratio", "%v is not between 0 and 1", c.Ratio)
	}
	to, err := newTarget(c.Endpoint)
	if err != nil {
		return nil, err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	exporter, err := otlptrace.New(ctx, newSender(to))
	if err != nil {
		return nil, job.Errorf(job.Invalid, "prepare the delivery of spans: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", c.Service), attribute.String("service.version", c.Version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, job.Errorf(job.Invalid, "read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	b := newBasket(exporter, c.Logger)
	provider := sdk.NewTracerProvider(
		sdk.WithResource(about), sdk.WithSampler(sdk.AlwaysSample()), sdk.WithIDGenerator(generator{}), sdk.WithSpanProcessor(b),
	)
	return &Tracer{
		ids: newMaker(c.Key, c.Ratio), basket: b,
		tracer: provider.Tracer("github.com/orthd/orth", otel.WithInstrumentationVersion(c.Version)),
	}, nil
}

// Run brings spans to the collector until ctx ends, and what is left then for a few
// seconds. Spans of an earlier or later time stay where they are.
func (t *Tracer) Run(ctx context.Context) error {
	t.basket.sendSpans(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
	defer cancel()
	return t.basket.exporter.Shutdown(last)
}

// Stats is what became of spans.
type Stats struct {
	// Sent were taken by the collector, Failed were not, and Dropped found no room.
	Sent, Failed, Dropped int64
	// Waiting is how many are not yet sent.
	Waiting int
}

// Stats returns what became of spans since the start.
func (t *Tracer) Stats() Stats {
	b := t.basket
	return Stats{Sent: b.sent.Load(), Failed: b.failed.Load(), Dropped: b.dropped.Load(), Waiting: len(b.spans)}
}

// TraceOf returns the trace of a run in hexadecimal digits, and empty for a run that
// is not traced.
func (t *Tracer) TraceOf(run int64) string {
	id, _ := t.ids.runTrace(run)
	if run <= 0 || !t.ids.traced(id) {
		return ""
	}
	return id.String()
}

// Context returns the trace context for what is done for an attempt of a run, as the
// header traceparent has it, and empty for a run that is not traced.
func (t *Tracer) Context(run, attempt int64) string {
	trace := t.TraceOf(run)
	if trace == "" {
		return ""
	}
	return "00-" + trace + "-" + t.ids.attempt(attempt).String() + "-01"
}

// Span is something that happened to a run.
type Span struct {
	Name string
	// Run is whose trace it is in. Attempt puts it below that attempt; zero puts it
	// below the run itself.
	Run, Attempt int64
	// Whole says that it is the run, or with an Attempt the attempt, and not a part.
	Whole bool
	// Call says that it is a call to another process.
	Call       bool
	Begin, End time.Time
	// Error is how it ended badly, empty when it did not.
	Error string
	Facts []Fact
}

// Fact is something that is known of a span. One without a text and a number is left
// out.
type Fact struct {
	Name   string
	Text   string
	Number int64
}

// Record makes a span of what has happened, when its run is traced.
func (t *Tracer) Record(s *Span) {
	trace, run := t.ids.runTrace(s.Run)
	if s.Run <= 0 || !t.ids.traced(trace) {
		return
	}
	ids, above := given{trace: trace}, run
	switch {
	case s.Whole && s.Attempt == 0:
		ids.span, above = run, otel.SpanID{}
	case s.Whole:
		ids.span = t.ids.attempt(s.Attempt)
	case s.Attempt != 0:
		above = t.ids.attempt(s.Attempt)
	}
	ctx := context.WithValue(context.Background(), givenKey{}, ids)
	if above.IsValid() {
		ctx = otel.ContextWithRemoteSpanContext(ctx, otel.NewSpanContext(otel.SpanContextConfig{
			TraceID: trace, SpanID: above, TraceFlags: otel.FlagsSampled, Remote: true,
		}))
	}
	kind := otel.SpanKindInternal
	if s.Call {
		kind = otel.SpanKindClient
	}
	_, span := t.tracer.Start(ctx, s.Name, otel.WithTimestamp(s.Begin), otel.WithSpanKind(kind), otel.WithAttributes(attributes(s.Facts)...))
	if s.Error != "" {
		span.SetStatus(codes.Error, s.Error)
	}
	span.End(otel.WithTimestamp(s.End))
}

// attributes returns facts as the library has them.
func attributes(facts []Fact) []attribute.KeyValue {
	list := make([]attribute.KeyValue, 0, len(facts))
	for _, f := range facts {
		switch {
		case f.Text != "":
			list = append(list, attribute.String(f.Name, f.Text))
		case f.Number != 0:
			list = append(list, attribute.Int64(f.Name, f.Number))
		}
	}
	return list
}
