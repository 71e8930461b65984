package handler

import (
	"context"
	"io"
	"log/slog"
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

// stamped puts the time before each write; slog writes one line at a time.
type stamped struct{ task *Task }

func (s stamped) Write(p []byte) (int, error) {
	_, _ = io.WriteString(s.task.output, s.task.stamp()+string(p))
	return len(p), nil
}
