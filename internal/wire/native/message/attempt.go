package message

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// AttemptRef names an attempt, and with the instant the folder of its log.
type AttemptRef struct {
	Attempt     int64
	TriggeredAt time.Time
}

// AppendAttempts appends the question what is known of attempts.
func AppendAttempts(dst []byte, refs []AttemptRef) []byte {
	return append(appendItems(dst, `{"attempts":`, refs, func(dst []byte, r AttemptRef) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, r.Attempt)
		return append(appendInstant(dst, `,"triggered_at":`, r.TriggeredAt), '}')
	}), '}')
}

// DecodeAttempts reads the question. Errors are Invalid.
func DecodeAttempts(body []byte) ([]AttemptRef, error) {
	var refs []AttemptRef
	err := whole(body, func(s *scanner, name string) (err error) {
		if name != "attempts" {
			return s.Skip()
		}
		refs, err = list(s, name, MaxAttempts, s.attemptRef)
		return err
	})
	return refs, err
}

func (s *scanner) attemptRef() (AttemptRef, error) {
	var r AttemptRef
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			r.Attempt, err = s.id(name)
		case fieldTriggered:
			r.TriggeredAt, err = s.Instant(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && r.Attempt == 0 {
		err = missing(fieldAttempt)
	}
	return r, err
}

// AttemptState is what an executor knows of an attempt.
type AttemptState struct {
	Attempt int64
	State   string // one of the attempt… names, or one that is not known yet
	Rid     bool   // of one that has ended: nothing of it is on its way
}

// AppendAttemptStates appends the answer to a question about attempts, and to a
// cancel.
func AppendAttemptStates(dst []byte, states []AttemptState) []byte {
	return append(appendItems(dst, `{"attempts":`, states, func(dst []byte, a AttemptState) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, a.Attempt)
		dst = jsontext.AppendTextField(dst, `,"state":`, a.State)
		return append(appendTruth(dst, `,"rid":`, a.Rid), '}')
	}), '}')
}

// DecodeAttemptStates reads the answer. Errors are Invalid.
func DecodeAttemptStates(body []byte) ([]AttemptState, error) {
	var states []AttemptState
	err := whole(body, func(s *scanner, name string) (err error) {
		if name != "attempts" {
			return s.Skip()
		}
		states, err = list(s, name, MaxAttempts, s.attemptState)
		return err
	})
	return states, err
}

func (s *scanner) attemptState() (AttemptState, error) {
	var a AttemptState
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			a.Attempt, err = s.id(name)
		case "state":
			a.State, err = s.wordStr()
		case "rid":
			a.Rid, err = s.Boolean(name)
		default:
			err = s.Skip()
		}
		return err
	})
	return a, err
}

// CancelRequest asks for the end of attempts.
type CancelRequest struct {
	Attempts []int64
	Reason   string
}

// AppendCancel writes a request to cancel attempts.
func AppendCancel(dst []byte, c CancelRequest) []byte {
	dst = appendIDs(dst, `{"attempts":`, c.Attempts)
	return append(appendText(dst, `,"reason":`, c.Reason), '}')
}

// DecodeCancel reads the request. Errors are Invalid.
func DecodeCancel(body []byte) (CancelRequest, error) {
	var c CancelRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "attempts":
			c.Attempts, err = s.ids(name, MaxAttempts)
		case "reason":
			c.Reason, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	c.Reason = job.Clean(c.Reason, MaxReason)
	return c, err
}

// MaxReason is the characters of a reason.
const MaxReason = 500

// AppendJob appends the question whether a job is busy.
func AppendJob(dst []byte, jobID int64) []byte {
	return append(jsontext.AppendIntField(dst, `{"job":`, jobID), '}')
}

// DecodeJob reads the question. Errors are Invalid.
func DecodeJob(body []byte) (jobID int64, err error) {
	err = whole(body, func(s *scanner, name string) (err error) {
		if name != "job" {
			return s.Skip()
		}
		jobID, err = s.id(name)
		return err
	})
	if err == nil && jobID == 0 {
		err = missing("job")
	}
	return jobID, err
}

// AppendFlag writes the one truth value that some messages have, under its name.
func AppendFlag(dst []byte, name string, value bool) []byte {
	return append(jsontext.AppendBoolField(dst, `{"`+name+`":`, value), '}')
}

// DecodeFlag reads one. Errors are Invalid.
func DecodeFlag(body []byte, flag string) (value bool, err error) {
	err = whole(body, func(s *scanner, name string) (err error) {
		if name != flag {
			return s.Skip()
		}
		value, err = s.Boolean(name)
		return err
	})
	return value, err
}

// The flags: whether a job is busy, whether to drain, whether one drains.
const (
	FlagBusy     = "busy"
	FlagOn       = "on"
	FlagDraining = "draining"
)

// BeatAnswer is how an executor is.
type BeatAnswer struct {
	Draining bool
	Load     *job.Load // nil when it does not report one
}

// AppendBeatAnswer writes what an executor answers to a beat.
func AppendBeatAnswer(dst []byte, b BeatAnswer) []byte {
	dst = jsontext.AppendBoolField(dst, `{"draining":`, b.Draining)
	if b.Load != nil {
		dst = appendLoad(dst, `,"load":`, *b.Load)
	}
	return append(dst, '}')
}

// DecodeBeatAnswer reads the answer. Errors are Invalid.
func DecodeBeatAnswer(body []byte) (BeatAnswer, error) {
	var b BeatAnswer
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "draining":
			b.Draining, err = s.Boolean(name)
		case "load":
			b.Load, err = s.load()
		default:
			err = s.Skip()
		}
		return err
	})
	return b, err
}
