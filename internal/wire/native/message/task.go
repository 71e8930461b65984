package message

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// Arrival is one task as it is brought.
type Arrival struct {
	job.Task

	Follow bool // its log is to be brought
	// StartIn is how long after the request came the task begins at the earliest; it
	// travels as whole microseconds.
	StartIn time.Duration
}

// TasksRequest brings tasks.
type TasksRequest struct {
	Server  string // that follows logs; empty when it follows none
	Address string // the executor's, as that server names it
	// Within is how long after it was signed the sender of the request waits for the
	// answer; 0 when it is unknown.
	Within time.Duration
	Tasks  []Arrival
}

// AppendTasks appends the request.
func AppendTasks(dst []byte, r TasksRequest) []byte {
	dst = AppendWithin(AppendFollower(append(dst, '{'), r.Server, r.Address), r.Within)
	return append(appendItems(dst, `"tasks":`, r.Tasks, AppendTask), '}')
}

// AppendFollower appends the server that follows the logs of tasks, and a comma; nothing
// without one.
func AppendFollower(dst []byte, server, address string) []byte {
	if server == "" && address == "" {
		return dst
	}
	dst = jsontext.AppendTextField(dst, `"server":`, server)
	return append(jsontext.AppendTextField(dst, `,"address":`, address), ',')
}

// AppendWithin appends how long the sender waits, and a comma; nothing when that is
// unknown.
func AppendWithin(dst []byte, within time.Duration) []byte {
	if within <= 0 {
		return dst
	}
	return append(jsontext.AppendIntField(dst, `"within":`, within.Milliseconds()), ',')
}

// AppendTask appends one task.
func AppendTask(dst []byte, t Arrival) []byte {
	dst = jsontext.AppendIntField(dst, `{"attempt":`, t.AttemptID)
	dst = appendNumber(dst, `,"job":`, t.JobID)
	dst = appendNumber(dst, `,"run":`, t.RunID)
	dst = appendNumber(dst, `,"try":`, int64(t.Try))
	dst = jsontext.AppendTextField(dst, `,"handler":{"kind":`, string(t.Handler.Kind))
	dst = appendText(dst, `,"name":`, t.Handler.Name)
	dst = appendText(dst, `,"source":`, t.Handler.Source)
	dst = appendInstant(dst, `,"source_at":`, t.Handler.SourceAt)
	dst = append(dst, '}')
	dst = appendText(dst, `,"param":`, t.Param)
	if len(t.Labels) > 0 {
		dst = append(dst, `,"labels":{`...)
		for i, key := range slices.Sorted(maps.Keys(t.Labels)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsontext.AppendText(dst, key), ':')
			dst = jsontext.AppendText(dst, t.Labels[key])
		}
		dst = append(dst, '}')
	}
	dst = appendText(dst, `,"overlap":`, string(t.Overlap))
	dst = appendNumber(dst, `,"concurrency":`, int64(max(t.Concurrency, 0)))
	dst = appendDuration(dst, `,"timeout":`, t.Timeout)
	dst = appendInstant(dst, `,"triggered_at":`, t.TriggeredAt)
	dst = appendInstant(dst, `,"planned_at":`, t.PlannedAt)
	dst = appendNumber(dst, `,"shard_index":`, int64(t.ShardIndex))
	dst = appendNumber(dst, `,"shard_total":`, int64(max(t.ShardTotal, 1)))
	dst = appendText(dst, `,"on_crash":`, string(t.OnCrash))
	dst = appendText(dst, `,"trace":`, t.Trace)
	dst = appendNumber(dst, `,"start_in":`, t.StartIn.Microseconds())
	return append(appendTruth(dst, `,"follow":`, t.Follow), '}')
}

// DecodeTasks reads the request. An Invalid error is about the whole of it; CheckTask
// reports what is wrong with one task alone. The tasks share no memory with body.
func DecodeTasks(body []byte) (TasksRequest, error) {
	var r TasksRequest
	var room []Arrival
	if n := bytes.Count(body, []byte(`{"attempt":`)); n > 0 { // as AppendTask begins
		room = make([]Arrival, 0, min(n, MaxTasks))
	}
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldServer:
			r.Server, err = s.Str()
		case fieldAddress:
			r.Address, err = s.Str()
		case "within":
			r.Within, err = s.duration(name)
		case "tasks":
			r.Tasks, err = listInto(room[:0], s, name, MaxTasks, s.task)
		default:
			err = s.Skip()
		}
		return err
	})
	return r, err
}

// task consumes one task.
func (s *scanner) task() (Arrival, error) {
	var t Arrival
	err := s.object(func(name string) (err error) {
		var text string
		switch name {
		case fieldAttempt:
			t.AttemptID, err = s.id(name)
		case "job":
			t.JobID, err = s.id(name)
		case "run":
			t.RunID, err = s.id(name)
		case "try":
			t.Try, err = s.count(name)
		case "handler":
			t.Handler, err = s.handler()
		case "param":
			t.Param, err = s.Str()
		case "labels":
			t.Labels, err = s.labels()
		case "overlap":
			text, err = s.wordStr()
			t.Overlap = job.Overlap(text)
		case "concurrency":
			t.Concurrency, err = s.count(name)
		case "timeout":
			t.Timeout, err = s.duration(name)
		case fieldTriggered:
			t.TriggeredAt, err = s.Instant(name)
		case "planned_at":
			t.PlannedAt, err = s.Instant(name)
		case "shard_index":
			t.ShardIndex, err = s.count(name)
		case "shard_total":
			t.ShardTotal, err = s.count(name)
		case "on_crash":
			text, err = s.wordStr()
			t.OnCrash = job.OnCrash(text)
		case "trace":
			if text, err = s.Str(); job.ValidTrace(text) {
				t.Trace = text
			}
		case "start_in":
			var in int
			in, err = s.count(name)
			t.StartIn = time.Duration(in) * time.Microsecond
		case "follow":
			t.Follow, err = s.Boolean(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && t.AttemptID == 0 {
		err = missing(fieldAttempt)
	}
	if t.Overlap == "" {
		t.Overlap = job.OverlapSerial
	}
	t.ShardTotal = max(t.ShardTotal, 1)
	return t, err
}

func (s *scanner) handler() (job.Handler, error) {
	var h job.Handler
	err := s.object(func(name string) (err error) {
		switch name {
		case "kind":
			var kind string
			kind, err = s.wordStr()
			h.Kind = job.HandlerKind(kind)
		case "name":
			h.Name, err = s.wordStr()
		case "source":
			h.Source, err = s.Str()
		case "source_at":
			h.SourceAt, err = s.Instant(name)
		default:
			err = s.Skip()
		}
		return err
	})
	return h, err
}

// labels consumes an object of texts; nil when there are none.
func (s *scanner) labels() (map[string]string, error) {
	var labels map[string]string
	err := s.object(func(name string) error {
		value, err := s.Str()
		if err != nil {
			return err
		}
		if labels == nil {
			labels = make(map[string]string)
		}
		if labels[name] = value; len(labels) > job.MaxLabels {
			return job.Errorf(job.Invalid, "labels has more than %d entries", job.MaxLabels)
		}
		return nil
	})
	return labels, err
}

// CheckTask reports why a task cannot be run by any executor of this version: the
// error is Refused, and its text is the answer.
func CheckTask(t *Arrival) error {
	switch {
	case !slices.Contains(job.HandlerKinds(), t.Handler.Kind):
		return job.Errorf(job.Refused, "handler kind %q is not known here", Shorten(string(t.Handler.Kind)))
	case t.Overlap != job.OverlapSerial && t.Overlap != job.OverlapDiscard && t.Overlap != job.OverlapCover &&
		t.Overlap != job.OverlapConcurrent:
		return job.Errorf(job.Refused, "overlap %q is not known here", Shorten(string(t.Overlap)))
	case t.OnCrash != "" && t.OnCrash != job.CrashReport && t.OnCrash != job.CrashRerun:
		return job.Errorf(job.Refused, "on_crash %q is not known here", Shorten(string(t.OnCrash)))
	case t.ShardIndex >= t.ShardTotal:
		return job.Errorf(job.Refused, "shard_index %d is not below shard_total %d", t.ShardIndex, t.ShardTotal)
	case t.Concurrency > job.MaxConcurrency:
		return job.Errorf(job.Refused, "concurrency %d is over %d", t.Concurrency, job.MaxConcurrency)
	case t.StartIn > job.MaxHold:
		return job.Errorf(job.Refused, "start_in is %d microseconds, at most %d are allowed",
			t.StartIn.Microseconds(), job.MaxHold.Microseconds())
	}
	return nil
}

// Shorten cuts what another side wrote for use in a sentence.
func Shorten(text string) string { return job.Clean(text, 80) }

// TaskAnswer is what an executor answers for one task.
type TaskAnswer struct {
	Attempt int64
	State   string // one of the task… names, or one that is not known yet
	Message string
}

// AppendTaskAnswers appends the answer to a request with tasks.
func AppendTaskAnswers(dst []byte, answers []TaskAnswer) []byte {
	return append(appendItems(dst, `{"answers":`, answers, func(dst []byte, a TaskAnswer) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, a.Attempt)
		dst = jsontext.AppendTextField(dst, `,"state":`, a.State)
		return append(appendText(dst, `,"message":`, a.Message), '}')
	}), '}')
}

// DecodeTaskAnswers reads the answer. Errors are Invalid.
func DecodeTaskAnswers(body []byte) ([]TaskAnswer, error) {
	var answers []TaskAnswer
	err := whole(body, func(s *scanner, name string) (err error) {
		if name != "answers" {
			return s.Skip()
		}
		answers, err = list(s, name, MaxTasks, s.taskAnswer)
		return err
	})
	return answers, err
}

func (s *scanner) taskAnswer() (TaskAnswer, error) {
	var a TaskAnswer
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			a.Attempt, err = s.id(name)
		case "state":
			a.State, err = s.wordStr()
		case "message":
			a.Message, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	return a, err
}

// Err returns what an answer for one task means.
func (a TaskAnswer) Err() error {
	text := job.Clean(a.Message, job.MaxMessage)
	if text == "" && a.State != TaskAccepted {
		text = "the executor answered " + Shorten(a.State) + " and no reason"
	}
	switch a.State {
	case TaskAccepted:
		return nil
	case TaskDuplicate:
		return &job.Error{Kind: job.Duplicate, Message: text}
	case TaskRefused:
		return &job.Error{Kind: job.Refused, Message: text}
	case TaskDiscarded:
		return job.Errorf(job.Refused, "%w: %s", job.ErrDiscarded, text)
	case TaskFull, TaskUnavailable:
		return &job.Error{Kind: job.Full, Message: text}
	}
	return &job.Error{Kind: job.Ambiguous, Message: text} // TaskUncertain, or a word of a later version
}
