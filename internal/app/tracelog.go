package app

import (
	"context"
	"log/slog"
)

// traceLog adds the trace to lines about a run that is traced.
type traceLog struct {
	slog.Handler
	traceOf func(run int64) string
	run     int64 // of all lines; 0 when they are about no run yet
}

// Handle implements slog.Handler.
func (h traceLog) Handle(ctx context.Context, r slog.Record) error {
	run := h.run
	r.Attrs(func(a slog.Attr) bool {
		if id, ok := runOf(a); ok {
			run = id
		}
		return run == 0
	})
	if trace := h.traceOf(run); trace != "" {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", trace))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h traceLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		if id, ok := runOf(a); ok {
			h.run = id
		}
	}
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

// WithGroup implements slog.Handler.
func (h traceLog) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

// runOf returns the run that an attribute names.
func runOf(a slog.Attr) (int64, bool) {
	if a.Key != "run_id" || a.Value.Kind() != slog.KindInt64 {
		return 0, false
	}
	return a.Value.Int64(), true
}
