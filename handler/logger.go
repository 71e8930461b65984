package handler

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// logHandler writes records as lines of a run log: the time as [Task.Log]
// writes it, then level, message and attributes as key=value.
type logHandler struct{ slog.Handler }

func newLogHandler(t *Task) slog.Handler {
	return logHandler{slog.NewTextHandler(stamped{t}, nil)}
}

// Handle drops the record's own time, since the line starts with one.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Time = time.Time{}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}

// NewLogHandler returns a handler for a program's own logger, for example with
// slog.SetDefault: a record whose context belongs to a task becomes a line of
// its run log, and any other goes to fallback. Code below a handler then logs
// as it always did, with slog.InfoContext and its like.
func NewLogHandler(fallback slog.Handler) slog.Handler {
	return contextual{fallback: fallback}
}

// contextual decides at each record. What With and WithGroup were given is
// kept, because the task's handler is known only then.
type contextual struct {
	fallback slog.Handler
	steps    []func(slog.Handler) slog.Handler
}

// Enabled implements slog.Handler. A task's log takes all levels from Info on.
func (c contextual) Enabled(ctx context.Context, level slog.Level) bool {
	if t := FromContext(ctx); t != nil {
		return t.Logger().Enabled(ctx, level)
	}
	return c.fallback.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (c contextual) Handle(ctx context.Context, r slog.Record) error {
	t := FromContext(ctx)
	if t == nil {
		return c.fallback.Handle(ctx, r)
	}
	h := t.Logger().Handler()
	for _, step := range c.steps {
		h = step(h)
	}
	return h.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (c contextual) WithAttrs(attrs []slog.Attr) slog.Handler {
	return c.derive(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (c contextual) WithGroup(name string) slog.Handler {
	return c.derive(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (c contextual) derive(step func(slog.Handler) slog.Handler) slog.Handler {
	return contextual{fallback: step(c.fallback), steps: append(slices.Clip(c.steps), step)}
}

// stamped puts the time before each write; slog writes one line at a time.
type stamped struct{ task *Task }

func (s stamped) Write(p []byte) (int, error) {
	_, _ = s.task.output.Write(append(s.task.stamp(make([]byte, 0, len(stampLayout)+len(p))), p...))
	return len(p), nil
}
