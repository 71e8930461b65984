package native

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// attemptRef names an attempt, and with the instant the folder of its log.
type attemptRef struct {
	attempt     int64
	triggeredAt time.Time
}

// appendAttempts appends the question what is known of attempts.
func appendAttempts(dst []byte, refs []attemptRef) []byte {
	return append(appendItems(dst, `{"attempts":`, refs, func(dst []byte, r attemptRef) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, r.attempt)
		return append(appendInstant(dst, `,"triggered_at":`, r.triggeredAt), '}')
	}), '}')
}

// decodeAttempts reads the question. Errors are Invalid.
func decodeAttempts(body []byte) ([]attemptRef, error) {
	var refs []attemptRef
	err := whole(body, func(s *scanner, name string) (err error) {
		if name != "attempts" {
			return s.Skip()
		}
		refs, err = list(s, name, maxAttempts, s.attemptRef)
		return err
	})
	return refs, err
}

func (s *scanner) attemptRef() (attemptRef, error) {
	var r attemptRef
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			r.attempt, err = s.id(name)
		case fieldTriggered:
			r.triggeredAt, err = s.Instant(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && r.attempt == 0 {
		err = missing(fieldAttempt)
	}
	return r, err
}

// attemptState is what an executor knows of an attempt.
type attemptState struct {
	attempt int64
	state   string // one of the attempt… names, or one that is not known yet
	rid     bool   // of one that has ended: nothing of it is on its way
}

// appendAttemptStates appends the answer to a question about attempts, and to a
// cancel.
func appendAttemptStates(dst []byte, states []attemptState) []byte {
	return append(appendItems(dst, `{"attempts":`, states, func(dst []byte, a attemptState) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, a.attempt)
		dst = jsontext.AppendTextField(dst, `,"state":`, a.state)
		return append(appendTruth(dst, `,"rid":`, a.rid), '}')
	}), '}')
}

// decodeAttemptStates reads the answer. Errors are Invalid.
func decodeAttemptStates(body []byte) ([]attemptState, error) {
	var states []attemptState
	err := whole(body, func(s *scanner, name string) (err error) {
		if name != "attempts" {
			return s.Skip()
		}
		states, err = list(s, name, maxAttempts, s.attemptState)
		return err
	})
	return states, err
}

func (s *scanner) attemptState() (attemptState, error) {
	var a attemptState
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			a.attempt, err = s.id(name)
		case "state":
			a.state, err = s.wordStr()
		case "rid":
			a.rid, err = s.Boolean(name)
		default:
			err = s.Skip()
		}
		return err
	})
	return a, err
}

// cancelRequest asks for the end of attempts.
type cancelRequest struct {
	attempts []int64
	reason   string
}

func appendCancel(dst []byte, c cancelRequest) []byte {
	dst = appendIDs(dst, `{"attempts":`, c.attempts)
	return append(appendText(dst, `,"reason":`, c.reason), '}')
}

// decodeCancel reads the request. Errors are Invalid.
func decodeCancel(body []byte) (cancelRequest, error) {
	var c cancelRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "attempts":
			c.attempts, err = s.ids(name, maxAttempts)
		case "reason":
			c.reason, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	c.reason = job.Clean(c.reason, maxReason)
	return c, err
}

// maxReason is the characters of a reason.
const maxReason = 500

// appendJob appends the question whether a job is busy.
func appendJob(dst []byte, jobID int64) []byte {
	return append(jsontext.AppendIntField(dst, `{"job":`, jobID), '}')
}

// decodeJob reads the question. Errors are Invalid.
func decodeJob(body []byte) (jobID int64, err error) {
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

// flag is the one truth value that some messages have, under its name.
func appendFlag(dst []byte, name string, value bool) []byte {
	return append(jsontext.AppendBoolField(dst, `{"`+name+`":`, value), '}')
}

// decodeFlag reads one. Errors are Invalid.
func decodeFlag(body []byte, flag string) (value bool, err error) {
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
	flagBusy     = "busy"
	flagOn       = "on"
	flagDraining = "draining"
)

// beatAnswer is how an executor is.
type beatAnswer struct {
	draining bool
	load     *job.Load // nil when it does not report one
}

func appendBeatAnswer(dst []byte, b beatAnswer) []byte {
	dst = jsontext.AppendBoolField(dst, `{"draining":`, b.draining)
	if b.load != nil {
		dst = appendLoad(dst, `,"load":`, *b.load)
	}
	return append(dst, '}')
}

// decodeBeatAnswer reads the answer. Errors are Invalid.
func decodeBeatAnswer(body []byte) (beatAnswer, error) {
	var b beatAnswer
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "draining":
			b.draining, err = s.Boolean(name)
		case "load":
			b.load, err = s.load()
		default:
			err = s.Skip()
		}
		return err
	})
	return b, err
}
