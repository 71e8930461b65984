package app

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/trace"
	"github.com/orthd/orth/job"
)

// Tracing selects the runs to trace, and the destination of their spans.
type Tracing struct {
	// Endpoint is the base URL of a collector that accepts OTLP over HTTP. Defaults to the
	// environment (OTEL_EXPORTER_OTLP_ENDPOINT); without one nothing is traced.
	Endpoint string
	// Ratio is how many of all runs are traced, from 0 to 1. Defaults to 0: none.
	Ratio float64
}

// spans makes spans of what happens to runs. A nil one makes none.
type spans struct{ to *trace.Tracer }

// newSpans connects to the collector; nil when there is none or nothing is to be traced.
// The key of the ids is kept with the other secrets of the server.
func (s *Server) newSpans() (*spans, error) {
	c := &s.config
	if c.Tracing.Ratio == 0 || !trace.Configured(c.Tracing.Endpoint) {
		if c.Tracing.Ratio < 0 || c.Tracing.Ratio > 1 {
			return nil, job.FieldErrorf("trace-ratio", "%v is not between 0 and 1", c.Tracing.Ratio)
		}
		return nil, nil //nolint:nilnil // a nil one makes no spans
	}
	key, err := credential.LoadOrCreate(filepath.Join(c.Data, "trace.key"))
	if err != nil {
		return nil, err
	}
	to, err := trace.New(context.Background(), trace.Config{
		Endpoint: c.Tracing.Endpoint, Ratio: c.Tracing.Ratio, Service: "orth-server", Version: c.Version,
		Key: []byte(key.Reveal()), Logger: c.Logger.With("room", "trace"),
	})
	if err != nil {
		return nil, err
	}
	return &spans{to}, nil
}

// parts returns the loop that brings spans away.
func (t *spans) parts() []lifecycle.Part {
	if t == nil {
		return nil
	}
	return []lifecycle.Part{{Name: "trace", Run: t.to.Run}}
}

// traceOf returns the trace of a run that is traced.
func (t *spans) traceOf(run int64) string {
	if t == nil {
		return ""
	}
	return t.to.TraceOf(run)
}

// samples returns the counters of spans.
func (t *spans) samples() []observe.Sample {
	stats := trace.Stats{}
	if t != nil {
		stats = t.to.Stats()
	}
	list := []observe.Sample{level("trace_spans_waiting", "Spans that are not yet sent.", float64(stats.Waiting))}
	for _, s := range []struct {
		result string
		n      int64
	}{{resultSent, stats.Sent}, {resultFailed, stats.Failed}, {"dropped", stats.Dropped}} {
		list = append(list, observe.Sample{
			Name: "trace_spans_total", Help: "Spans, by what became of them.", Counter: true, Value: float64(s.n),
			Labels: [][2]string{{"result", s.result}},
		})
	}
	return list
}

// sender returns the way to executors, with spans.
func (t *spans) sender(next dispatcher.Sender) dispatcher.Sender {
	if t == nil {
		return next
	}
	return tracedSender{next, t.to}
}

// tracedSender sends tasks with the trace that they belong to.
type tracedSender struct {
	next dispatcher.Sender
	to   *trace.Tracer
}

// Together implements dispatcher.Sender.
func (s tracedSender) Together(address string) int { return s.next.Together(address) }

// SendAll implements dispatcher.Sender.
func (s tracedSender) SendAll(ctx context.Context, address string, tasks []job.Task) []error {
	traced := false
	for i := range tasks {
		t := &tasks[i]
		t.Trace = s.to.Context(t.RunID, t.AttemptID)
		traced = traced || t.Trace != ""
	}
	began := time.Now()
	answers := s.next.SendAll(ctx, address, tasks)
	if !traced {
		return answers
	}
	ended := time.Now()
	for i := range tasks {
		if t := &tasks[i]; t.Trace != "" {
			s.to.Record(&trace.Span{
				Name: "dispatch", Run: t.RunID, Attempt: t.AttemptID, Call: true, Begin: began, End: ended, Error: inWords(answers[i]),
				Facts: []trace.Fact{{Name: "server.address", Text: address}, {Name: "orth.attempt_id", Number: t.AttemptID}, {Name: "orth.try", Number: int64(t.Try)}},
			})
		}
	}
	return answers
}

func inWords(err error) string {
	if err == nil {
		return ""
	}
	return job.Clean(err.Error(), maxLogged)
}

// handoff returns the way from the planner, with spans.
func (t *spans) handoff(next planner.Handoff) planner.Handoff {
	if t == nil {
		return next
	}
	return tracedHandoff{next, t.to}
}

// tracedHandoff makes spans of plans.
type tracedHandoff struct {
	planner.Handoff
	to *trace.Tracer
}

// Take implements planner.Handoff.
func (h tracedHandoff) Take(runs []job.Run) {
	now := time.Now()
	for i := range runs {
		h.planned(&runs[i], now)
	}
	h.Handoff.Take(runs)
}

// Offer implements planner.Handoff.
func (h tracedHandoff) Offer(moves []planner.Offered) {
	now := time.Now()
	for i := range moves {
		h.planned(moves[i].Run(), now)
	}
	h.Handoff.Offer(moves)
}

// planned makes the span of a run that was planned.
func (h tracedHandoff) planned(r *job.Run, now time.Time) {
	if h.to.TraceOf(r.ID) == "" {
		return
	}
	h.to.Record(&trace.Span{
		Name: "plan", Run: r.ID, Begin: earliest(r.CreatedAt, now), End: now,
		Facts: []trace.Fact{{Name: "orth.job_id", Number: r.JobID}, {Name: "orth.cause", Text: string(r.Cause)}},
	})
}

// ended makes spans of the end of an attempt, and of its run.
func (t *spans) ended(c *completer.Completion) {
	if t == nil || t.to.TraceOf(c.RunID) == "" {
		return
	}
	facts := []trace.Fact{
		{Name: "orth.run_id", Number: c.RunID}, {Name: "orth.job_id", Number: c.JobID}, {Name: "orth.cause", Text: string(c.Cause)},
	}
	due := c.TriggeredAt.Add(-c.Late)
	bad := func(s job.State) string {
		if s == job.Succeeded || s == job.Skipped {
			return ""
		}
		return string(s) + ": " + job.Clean(c.Message, maxLogged)
	}
	if !c.Waiting && !c.TriggeredAt.IsZero() {
		t.to.Record(&trace.Span{Name: "queue", Run: c.RunID, Begin: due, End: c.TriggeredAt, Facts: facts})
		t.to.Record(&trace.Span{
			Name: "attempt", Run: c.RunID, Attempt: c.AttemptID, Whole: true, Begin: c.TriggeredAt, End: c.EndedAt, Error: bad(c.Outcome),
			Facts: append(slices.Clip(facts),
				trace.Fact{Name: "orth.attempt_id", Number: c.AttemptID}, trace.Fact{Name: "orth.outcome", Text: string(c.Outcome)}),
		})
	}
	if c.RunState.Final() {
		t.to.Record(&trace.Span{
			Name: "run", Run: c.RunID, Whole: true, Begin: earliest(c.CreatedAt, due), End: c.EndedAt, Error: bad(c.RunState),
			Facts: append(facts, trace.Fact{Name: "orth.outcome", Text: string(c.RunState)}),
		})
	}
}

// earliest returns the earlier of two instants of which the first may be unknown.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
