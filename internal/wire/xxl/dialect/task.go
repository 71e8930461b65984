package dialect

import (
	"math"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// AppendTask appends the request that starts t, in a dialect. All fields of it are
// always there: one client refuses a request that lacks any. An Invalid error means that the
// dialect cannot carry t.
func AppendTask(dst []byte, t *job.Task, s *Speech) ([]byte, error) {
	glue, ok := HandlerKindName(t.Handler.Kind)
	if !ok {
		return dst, job.Errorf(job.Invalid, "handler kind %q cannot be sent to this executor", t.Handler.Kind)
	}
	if t.JobID < 0 || t.JobID > math.MaxInt32 {
		return dst, job.Errorf(job.Invalid, "job id %d does not fit the executor's protocol (at most %d)",
			t.JobID, math.MaxInt32)
	}
	dst = jsontext.AppendIntField(dst, `{"jobId":`, t.JobID)
	dst = jsontext.AppendTextField(dst, `,"executorHandler":`, t.Handler.Name)
	dst = jsontext.AppendTextField(dst, `,"executorParams":`, t.Param)
	dst = jsontext.AppendTextField(dst, `,"executorBlockStrategy":`, OverlapName(t.Overlap))
	dst = jsontext.AppendIntField(dst, `,"executorTimeout":`, Seconds(t.Timeout))
	dst = jsontext.AppendIntField(dst, `,"logId":`, t.AttemptID)
	dst = jsontext.AppendIntField(dst, `,"logDateTime":`, job.Millis(t.TriggeredAt))
	dst = jsontext.AppendTextField(dst, `,"glueType":`, glue)
	dst = jsontext.AppendTextField(dst, `,"glueSource":`, t.Handler.Source)
	dst = jsontext.AppendIntField(dst, `,"glueUpdatetime":`, job.Millis(t.Handler.SourceAt))
	dst = jsontext.AppendIntField(dst, `,"broadcastIndex":`, int64(t.ShardIndex))
	dst = jsontext.AppendIntField(dst, `,"broadcastTotal":`, int64(max(t.ShardTotal, 1)))
	switch {
	case s.Concurrency && t.Overlap == job.OverlapConcurrent:
		dst = jsontext.AppendIntField(dst, `,"executorConcurrency":`, int64(concurrency(t.Concurrency)))
	case s.Planned:
		dst = jsontext.AppendIntField(dst, `,"executorConcurrency":`, 1)
	}
	if s.Planned && !t.PlannedAt.IsZero() {
		dst = jsontext.AppendIntField(dst, `,"scheduleTime":`, job.Millis(t.PlannedAt))
	}
	return append(dst, '}'), nil
}

// concurrency brings a number of concurrent runs into its limits. Executors of
// the Java fork end a job's runs over a 0.
func concurrency(n int) int { return min(max(n, 1), job.MaxConcurrency) }

// Seconds rounds a timeout up to the whole seconds that the wire carries.
func Seconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	whole := int64(d / time.Second)
	if d%time.Second != 0 {
		whole++
	}
	return min(whole, math.MaxInt32)
}

// DecodeTask reads the request that starts a task. A Refused error carries the
// text to answer with; every other one is Invalid. The task shares no memory
// with body.
func DecodeTask(body []byte) (job.Task, error) {
	var (
		t          job.Task
		glue       []byte
		glueAbsent = true
		s          = Scan(body)
	)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "jobId":
			t.JobID, err = s.Integer("jobId", math.MinInt32, math.MaxInt32)
		case "executorHandler":
			t.Handler.Name, err = s.Str()
		case "executorParams":
			t.Param, err = s.Str()
		case "executorBlockStrategy":
			var overlap []byte
			overlap, _, err = s.Text()
			t.Overlap = ParseOverlap(string(overlap))
		case "executorTimeout":
			t.Timeout, err = s.timeout("executorTimeout")
		case "logId":
			t.AttemptID, err = s.Integer("logId", math.MinInt64, math.MaxInt64)
		case fieldDate:
			t.TriggeredAt, err = s.Instant(fieldDate)
		case "glueType":
			glue, glueAbsent, err = s.Text()
		case "glueSource":
			t.Handler.Source, err = s.Str()
		case "glueUpdatetime":
			t.Handler.SourceAt, err = s.Instant("glueUpdatetime")
		case "broadcastIndex", "shardIndex":
			t.ShardIndex, err = s.count("broadcastIndex")
		case "broadcastTotal", "shardTotal":
			t.ShardTotal, err = s.count("broadcastTotal")
		case "executorConcurrency":
			t.Concurrency, err = s.number("executorConcurrency")
		case "scheduleTime":
			t.PlannedAt, err = s.Instant("scheduleTime")
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return job.Task{}, err
	}
	return finishTask(t, glue, glueAbsent)
}

// finishTask fills in what follows from several fields.
func finishTask(t job.Task, glue []byte, glueAbsent bool) (job.Task, error) {
	if glueAbsent {
		glue = []byte(jsontext.Null) // the text the peers answer with
	}
	kind, ok := ParseHandlerKind(string(glue))
	if !ok {
		return job.Task{}, job.Errorf(job.Refused, "glueType[%s] is not valid.", Shorten(string(glue)))
	}
	t.Handler.Kind = kind
	if kind == job.HandlerNamed { // servers send stale text along with names
		t.Handler.Source, t.Handler.SourceAt = "", time.Time{}
	} else {
		t.Handler.Name = ""
	}
	if t.Overlap == "" {
		t.Overlap = job.OverlapSerial
	}
	if t.Overlap == job.OverlapConcurrent {
		t.Concurrency = concurrency(t.Concurrency)
	} else {
		t.Concurrency = 0 // the Java fork sends 1 along with every overlap
	}
	t.ShardTotal = max(t.ShardTotal, 1)
	if t.ShardIndex >= t.ShardTotal {
		return job.Task{}, job.Errorf(job.Invalid, "broadcastIndex %d is not below broadcastTotal %d",
			t.ShardIndex, t.ShardTotal)
	}
	return t, nil
}

// timeout consumes a number of seconds; none is 0.
func (s *Scanner) timeout(name string) (time.Duration, error) {
	n, err := s.Integer(name, math.MinInt32, math.MaxInt32)
	return time.Duration(max(n, 0)) * time.Second, err
}

// count consumes a number that is never negative.
func (s *Scanner) count(name string) (int, error) {
	n, err := s.Integer(name, 0, math.MaxInt32)
	return int(n), err
}

// number consumes a number that callers may give as 0 or less.
func (s *Scanner) number(name string) (int, error) {
	n, err := s.Integer(name, math.MinInt32, math.MaxInt32)
	return int(n), err
}
