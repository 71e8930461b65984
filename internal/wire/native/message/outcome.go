package message

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// maxSentMessage is the characters of an outcome's message on the wire: more than
// a server keeps.
const maxSentMessage = 50_000

// AppendOutcomes appends the request that brings outcomes.
func AppendOutcomes(dst []byte, outcomes []job.Outcome) []byte {
	return append(appendItems(dst, `{"outcomes":`, outcomes, appendOutcome), '}')
}

func appendOutcome(dst []byte, o job.Outcome) []byte {
	dst = jsontext.AppendIntField(dst, `{"attempt":`, o.AttemptID)
	dst = appendInstant(dst, `,"triggered_at":`, o.TriggeredAt)
	dst = jsontext.AppendTextField(dst, `,"state":`, string(o.State))
	dst = appendText(dst, `,"message":`, job.Clean(o.Message, maxSentMessage))
	dst = appendInstant(dst, `,"ended_at":`, o.EndedAt)
	dst = appendText(dst, `,"class":`, string(o.Class))
	dst = appendDuration(dst, `,"retry_after":`, o.RetryAfter)
	if len(o.Log) <= job.MaxOutcomeLog {
		dst = appendText(dst, `,"log":`, o.Log)
	}
	return append(dst, '}')
}

// DecodeOutcomes reads the request. Errors are Invalid. The outcomes share no
// memory with body.
func DecodeOutcomes(body []byte) ([]job.Outcome, error) {
	var outcomes []job.Outcome
	err := whole(body, func(s *scanner, name string) (err error) {
		if name != "outcomes" {
			return s.Skip()
		}
		outcomes, err = list(s, name, MaxOutcomes, s.outcome)
		return err
	})
	return outcomes, err
}

// outcome consumes one outcome. An unknown state is a failure whose text names it: an
// attempt must not stay open because its end has a new name. An unknown class counts for
// nothing.
func (s *scanner) outcome() (job.Outcome, error) {
	var o job.Outcome
	var state string
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			o.AttemptID, err = s.id(name)
		case fieldTriggered:
			o.TriggeredAt, err = s.Instant(name)
		case "state":
			state, err = s.wordStr()
		case "message":
			o.Message, err = s.Str()
		case "ended_at":
			o.EndedAt, err = s.Instant(name)
		case "class":
			var class string
			class, err = s.wordStr()
			if c := retry.Class(class); c.Known() {
				o.Class = c
			}
		case "retry_after":
			var after time.Duration
			after, err = s.duration(name)
			o.RetryAfter = min(after, retry.MaxDelayCap)
		case "log":
			o.Log, err = s.Str()
			if len(o.Log) > job.MaxOutcomeLog {
				o.Log = "" // it is asked for
			}
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return job.Outcome{}, err
	case o.AttemptID == 0:
		return job.Outcome{}, missing(fieldAttempt)
	case state == "":
		return job.Outcome{}, missing("state")
	}
	if o.State = job.State(state); !o.State.Final() {
		o.State = job.Failed
		o.Message = "it ended as " + Shorten(state) + ", which this server does not know; " + o.Message
	}
	return o, nil
}
