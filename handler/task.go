package handler

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// stampLayout is the time that starts a line of the run log.
const stampLayout = "2006-01-02 15:04:05.000 "

// lineRoom is the room for a line of the run log; longer ones need more.
const lineRoom = 256

// Task is one run as its handler sees it. The fields are the handler's to
// read; the methods may be called from many goroutines, and still after the
// run has ended, when they do nothing.
type Task struct {
	AttemptID int64
	JobID     int64
	// RunID is the run that the attempt is for; 0 when the server's protocol
	// has no such word.
	RunID int64
	// Try is 1 for the run's first attempt; 0 when the server does not send it.
	Try int
	// Labels are the job's; nil when there are none. They must not be changed.
	Labels map[string]string
	// Kind is the kind of code that the task asks for.
	Kind job.HandlerKind
	// Name is the handler's registered name; empty for a script.
	Name  string
	Param string
	// Source is the script's text, and SourceAt when it last changed; both
	// are zero for a named handler.
	Source   string
	SourceAt time.Time
	// PlannedAt is the instant the run is for; zero when the server sends
	// none.
	PlannedAt time.Time
	// TriggeredAt is when the server sent the run.
	TriggeredAt time.Time
	// ShardIndex is 0..ShardTotal-1; ShardTotal is 1 unless the run is one
	// part of a broadcast.
	ShardIndex int
	ShardTotal int
	// Deadline is when the run's time is up; zero when it has no limit.
	Deadline time.Time
	// Trace is the trace context of the run, as the header traceparent of HTTP has it;
	// empty when the run is not traced. The handler's own spans belong below it.
	Trace string

	output lossy
	zone   *time.Location

	mu     sync.Mutex
	result string       // guarded by mu
	spare  []byte       // guarded by mu: for the next line; nil while one is made
	logger *slog.Logger // guarded by mu; nil until it is asked for
}

// TaskConfig is what a [Task] is made of.
type TaskConfig struct {
	// Task is what the server sent.
	Task job.Task
	// Deadline is when the run's time is up. Defaults to none.
	Deadline time.Time
	// Output is the run log. It must be safe for many goroutines. Defaults to
	// nowhere.
	Output io.Writer
	// Zone is the zone of the times in the run log. Defaults to time.Local.
	Zone *time.Location
}

// NewTask makes the Task that an executor hands to a handler. A test of a
// handler makes its own.
func NewTask(c TaskConfig) *Task {
	if c.Output == nil {
		c.Output = io.Discard
	}
	if c.Zone == nil {
		c.Zone = time.Local
	}
	return &Task{
		AttemptID:   c.Task.AttemptID,
		JobID:       c.Task.JobID,
		RunID:       c.Task.RunID,
		Try:         c.Task.Try,
		Labels:      c.Task.Labels,
		Kind:        c.Task.Handler.Kind,
		Name:        c.Task.Handler.Name,
		Param:       c.Task.Param,
		Source:      c.Task.Handler.Source,
		SourceAt:    c.Task.Handler.SourceAt,
		PlannedAt:   c.Task.PlannedAt,
		TriggeredAt: c.Task.TriggeredAt,
		ShardIndex:  c.Task.ShardIndex,
		ShardTotal:  max(c.Task.ShardTotal, 1),
		Deadline:    c.Deadline,
		Trace:       c.Task.Trace,
		output:      lossy{c.Output},
		zone:        c.Zone,
	}
}

// Log writes a line to the run log: the time, then the formatted text. Text of
// several lines is kept together.
func (t *Task) Log(format string, args ...any) {
	t.mu.Lock()
	line := t.spare
	t.spare = nil
	t.mu.Unlock()
	if line == nil {
		line = make([]byte, 0, lineRoom)
	}
	line = append(appendLine(t.stamp(line), format, args), '\n')
	_, _ = t.output.Write(line)
	if cap(line) == lineRoom {
		t.mu.Lock()
		t.spare = line[:0]
		t.mu.Unlock()
	}
}

// appendLine is fmt.Appendf. A format that has no verb but %s, for texts alone, is most of
// them, and costs less here.
func appendLine(line []byte, format string, args []any) []byte {
	begin, rest := len(line), format
	for n := 0; ; n++ {
		at := strings.IndexByte(rest, '%')
		if at < 0 && n == len(args) {
			return append(line, rest...)
		}
		if at < 0 || n == len(args) || !strings.HasPrefix(rest[at:], "%s") {
			break
		}
		text, ok := args[n].(string)
		if !ok {
			break
		}
		line = append(append(line, rest[:at]...), text...)
		rest = rest[at+len("%s"):]
	}
	return fmt.Appendf(line[:begin], format, args...)
}

// Logger returns a logger whose records become lines of the run log.
func (t *Task) Logger() *slog.Logger {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.logger == nil {
		t.logger = slog.New(newLogHandler(t))
	}
	return t.logger
}

// Output returns the run log itself: bytes are kept as they come, without a
// time. Its Write never fails, because a run must not end over its log.
func (t *Task) Output() io.Writer { return t.output }

// Result sets the text that a successful run reports. The last call counts. The run
// log has all of it, a server keeps the first [job.MaxMessage] characters.
func (t *Task) Result(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.result = text
}

// ResultText returns what Result was last given.
func (t *Task) ResultText() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.result
}

// stamp appends the time that starts a line.
func (t *Task) stamp(line []byte) []byte {
	return appendStamp(line, time.Now().In(t.zone))
}

// appendStamp appends an instant in the form of stampLayout.
func appendStamp(line []byte, at time.Time) []byte {
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	line = append(appendDigits(line, year, 4), '-')
	line = append(appendDigits(line, int(month), 2), '-')
	line = append(appendDigits(line, day, 2), ' ')
	line = append(appendDigits(line, hour, 2), ':')
	line = append(appendDigits(line, minute, 2), ':')
	line = append(appendDigits(line, second, 2), '.')
	return append(appendDigits(line, at.Nanosecond()/int(time.Millisecond), 3), ' ')
}

// appendDigits appends the last digits of a number that is not negative.
func appendDigits(line []byte, n, digits int) []byte {
	line = append(line, "0000"[:digits]...)
	for i := len(line) - 1; n > 0 && digits > 0; i, digits = i-1, digits-1 {
		line[i] = byte('0' + n%10)
		n /= 10
	}
	return line
}

// lossy hides the errors of a run log from the run that writes it.
type lossy struct{ to io.Writer }

func (l lossy) Write(p []byte) (int, error) {
	_, _ = l.to.Write(p)
	return len(p), nil
}

type contextKey struct{}

// NewContext returns a context that carries t.
func NewContext(ctx context.Context, t *Task) context.Context {
	return context.WithValue(ctx, contextKey{}, t)
}

// FromContext returns the Task that ctx was made for, and nil when there is
// none: for code that is called far below its handler.
func FromContext(ctx context.Context) *Task {
	t, _ := ctx.Value(contextKey{}).(*Task)
	return t
}
