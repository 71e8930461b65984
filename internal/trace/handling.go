package trace

import (
	"context"
	"encoding/hex"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// maxStatus is the characters of an error that a span keeps.
const maxStatus = 500

// Handling begins the span of a handler when its task is traced, and returns the
// context for the handler and what ends the span. The context carries the span as the
// library of OpenTelemetry has it, and the task's Trace names it.
func (t *Tracer) Handling(ctx context.Context, task *handler.Task) (context.Context, func(err error)) {
	above, ok := parse(task.Trace)
	if !ok || !above.IsSampled() {
		return ctx, func(error) {}
	}
	name := task.Name
	if name == "" {
		name = string(task.Kind)
	}
	//nolint:spancheck // the function that is returned ends it
	ctx, span := t.tracer.Start(otel.ContextWithRemoteSpanContext(ctx, above), "handle "+name,
		otel.WithSpanKind(otel.SpanKindServer), otel.WithAttributes(
			attribute.Int64("orth.job_id", task.JobID), attribute.Int64("orth.run_id", task.RunID),
			attribute.Int64("orth.attempt_id", task.AttemptID), attribute.String("orth.handler_kind", string(task.Kind)),
		))
	own := span.SpanContext()
	task.Trace = "00-" + own.TraceID().String() + "-" + own.SpanID().String() + "-01"
	return ctx, func(err error) { //nolint:spancheck // it ends the span
		if err != nil {
			span.SetStatus(codes.Error, job.Clean(err.Error(), maxStatus))
		}
		span.End()
	}
}

// parse reads a trace context.
func parse(text string) (otel.SpanContext, bool) {
	if !job.ValidTrace(text) {
		return otel.SpanContext{}, false
	}
	c := otel.SpanContextConfig{Remote: true}
	var flags [1]byte
	for _, part := range []struct {
		to   []byte
		text string
	}{{c.TraceID[:], text[3:35]}, {c.SpanID[:], text[36:52]}, {flags[:], text[53:]}} {
		if _, err := hex.Decode(part.to, []byte(part.text)); err != nil {
			return otel.SpanContext{}, false
		}
	}
	c.TraceFlags = otel.TraceFlags(flags[0])
	return otel.NewSpanContext(c), true
}
