package xxl

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// calls keeps what a fake was asked, one line each.
type calls struct {
	mu    sync.Mutex
	lines []string
}

func (c *calls) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// take returns the lines since the last take.
func (c *calls) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	return strings.Join(lines, "\n")
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// rarer shows the words that few tasks have.
func rarer(t job.Task) string {
	text := ""
	if t.Concurrency != 0 {
		text += fmt.Sprintf(" concurrency=%d", t.Concurrency)
	}
	if t.RunID != 0 || t.Try != 0 {
		text += fmt.Sprintf(" run=%d try=%d", t.RunID, t.Try)
	}
	if t.Labels != nil {
		text += fmt.Sprintf(" labels=%q", t.Labels)
	}
	if t.OnCrash != "" {
		text += " crash=" + string(t.OnCrash)
	}
	return text
}

// executorRoom is an executor whose answers depend on what it is asked: log
// ids 500 and up are refused in one way each, jobs from 70 on are busy but 77.
type executorRoom struct{ calls }

func (e *executorRoom) Accept(_ context.Context, t job.Task) error {
	e.add("accept attempt=%d job=%d %s %q source=%q@%s param=%q overlap=%s timeout=%s triggered=%s planned=%s shard=%d/%d%s",
		t.AttemptID, t.JobID, t.Handler.Kind, t.Handler.Name, t.Handler.Source, stamp(t.Handler.SourceAt),
		t.Param, t.Overlap, t.Timeout, stamp(t.TriggeredAt), stamp(t.PlannedAt), t.ShardIndex, t.ShardTotal, rarer(t))
	if t.Handler.Name == "nope" {
		return job.Errorf(job.Refused, "job handler [nope] not found.")
	}
	switch t.AttemptID {
	case 500:
		return fmt.Errorf("accept: %w", job.Errorf(job.Duplicate, "attempt 500 is known"))
	case 501:
		return fmt.Errorf("accept: %w", job.Errorf(job.Refused, "block strategy effect：Discard Later <b>&'="))
	case 502:
		return job.Errorf(job.Full, "10000 tasks of job 5 wait already")
	case 503:
		return job.Errorf(job.Unavailable, "the executor is stopping")
	case 504:
		return fmt.Errorf("open /secret/path: permission denied")
	case 505:
		return job.FieldErrorf("param", "is too long")
	case 506:
		return fmt.Errorf("accept: %w", job.Errorf(job.Ambiguous, "the disk failed in the commit"))
	}
	return nil
}

func (e *executorRoom) Busy(jobID int64) bool {
	e.add("busy job=%d", jobID)
	return jobID >= 70 && jobID != 77
}

func (e *executorRoom) Kill(_ context.Context, jobID int64, reason string) bool {
	e.add("kill job=%d %q", jobID, reason)
	return jobID >= 70 && jobID != 77
}

func (e *executorRoom) CancelAttempt(_ context.Context, attempt int64, reason string) (bool, error) {
	e.add("cancel attempt=%d %q", attempt, reason)
	return attempt == 7, nil
}

func (e *executorRoom) Knows(_ context.Context, attempt int64) (bool, error) {
	e.add("knows attempt=%d", attempt)
	if attempt == 9 {
		return false, job.Errorf(job.Unavailable, "the disk is away")
	}
	return attempt == 7, nil
}

// stoppingRoom is an executor that is about to end.
type stoppingRoom struct{ executorRoom }

func (s *stoppingRoom) Draining() bool { return true }

func (s *stoppingRoom) Accept(context.Context, job.Task) error {
	return job.Errorf(job.Unavailable, "the executor is stopping")
}

// plainRoom is an executor that cannot end one attempt alone.
type plainRoom struct{ Tasks }

// Read serves a log of four lines for attempt 1, the way the run log does.
func (e *executorRoom) Read(attempt int64, at time.Time, from int) (job.LogPage, error) {
	e.add("read attempt=%d at=%s from=%d", attempt, stamp(at), from)
	lines := []string{"one\n", "two <br>\n", "three \"3\"\n", "vi\uFFFDr\n"}
	switch {
	case attempt == 504:
		return job.LogPage{}, fmt.Errorf("read /secret/path: input/output error")
	case attempt != 1:
		return job.LogPage{From: from, Text: "readLog fail, logFile not exists", End: true}, nil
	case from > len(lines):
		return job.LogPage{From: from}, nil
	}
	return job.LogPage{From: from, To: len(lines), Text: strings.Join(lines[max(from, 1)-1:], "")}, nil
}

// serverRoom is a server: group "locked" and attempts from 500 on fail.
type serverRoom struct{ calls }

func (s *serverRoom) Register(_ context.Context, b job.Beat) error {
	text := "register " + b.Group + " " + b.Address
	if b.Features != nil {
		text += fmt.Sprintf(" %q", b.Features)
	}
	if b.Life.Incarnation != "" {
		text += " life " + showLife(b.Life)
	}
	s.add("%s", text)
	switch b.Group {
	case "locked":
		return fmt.Errorf("renew: %w", job.Errorf(job.Unavailable, "the database is away"))
	case "odd":
		return job.FieldErrorf("group", "has an odd name")
	}
	return nil
}

func (s *serverRoom) Deregister(_ context.Context, group, address string) error {
	s.add("deregister %s %s", group, address)
	return nil
}

func (s *serverRoom) CompleteAs(_ context.Context, _ job.Caller, outcomes []job.Outcome) error {
	for _, o := range outcomes {
		if o.EndedAt.IsZero() {
			s.add("an outcome without its end")
		}
		class := ""
		if o.Class != "" {
			class = fmt.Sprintf(" %s after %s", o.Class, o.RetryAfter)
		}
		s.add("complete attempt=%d %s triggered=%s %q%s", o.AttemptID, o.State, stamp(o.TriggeredAt), o.Message, class)
	}
	switch outcomes[0].AttemptID {
	case 500:
		return job.Errorf(job.Unavailable, "the disk is full")
	case 501:
		return fmt.Errorf("constraint failed in /secret/path")
	case 502:
		return job.Errorf(job.NotFound, "attempt 502 is unknown")
	}
	return nil
}

// adminSuccess is the answer to an unknown caller.
const adminSuccess = `{"code":200,"msg":"Success","data":null,"content":null,"success":true}`

// deny answers as a server to an unknown caller.
func deny(w http.ResponseWriter, text string) { newEnvelope(dialect.Classic().Payloads).deny(w, text) }
