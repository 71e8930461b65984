package xxl

import (
	"math"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// maxBatch is how many outcomes one callback may carry. Executors send all
// they have gathered; what is over this comes from no executor.
const maxBatch = 10_000

// minItem is about the bytes of the shortest item of a callback.
const minItem = 64

// What the dialect's executors cut a message to, and what ends one that was cut.
const (
	maxSendMessage = 50_000 // characters
	sendCutMark    = "..."
)

// cutMessage returns what a callback carries of a message.
func cutMessage(text string) string {
	if len(text) <= maxSendMessage {
		return text
	}
	seen := 0
	for i := range text {
		if seen == maxSendMessage {
			return text[:i] + sendCutMark
		}
		seen++
	}
	return text
}

// headerTakes, in an answer of a server of Orth, names the fields that it takes beyond
// those of the dialect: "log", the whole run log of an attempt, in an item of a callback.
const (
	headerTakes = "Orth-Takes"
	fieldLog    = "log"
)

// appendOutcome appends one item of a callback, with its log when the server takes logs.
func appendOutcome(dst []byte, s *Speech, o job.Outcome, logs bool) []byte {
	dst = jsontext.AppendIntField(dst, `{"logId":`, o.AttemptID)
	dst = append(append(append(dst, `,"`...), s.OutcomeDate...), `":`...)
	dst = strconv.AppendInt(dst, job.Millis(o.TriggeredAt), 10)
	dst = jsontext.AppendIntField(dst, `,"handleCode":`, int64(stateCode(o.State)))
	if o.Message != "" {
		text := o.Message
		if o.State != job.Succeeded {
			text = s.Ends.message(text)
		}
		dst = jsontext.AppendTextField(dst, `,"handleMsg":`, cutMessage(text))
	}
	if logs && o.Log != "" && len(o.Log) <= job.MaxOutcomeLog {
		dst = jsontext.AppendTextField(dst, `,"log":`, o.Log)
	}
	return append(dst, '}')
}

// decodeOutcomes reads a callback: the array, or the object around it that
// releases after 3.4 send. Items that name no attempt are left out, and those that
// are not understood are failures. Errors are Invalid: the body is no JSON, no list,
// or too much. EndedAt is for the receiver's clock to set.
func decodeOutcomes(body []byte) ([]job.Outcome, error) {
	s := scan(body)
	out := make([]job.Outcome, 0, min(len(body)/minItem, maxSendItems))
	list := func() error {
		return s.Items(func() error {
			if len(out) == maxBatch {
				return job.Errorf(job.Invalid, "more than %d items in one callback", maxBatch)
			}
			o, err := s.item()
			if err == nil && o.AttemptID > 0 {
				out = append(out, o)
			}
			return err
		})
	}
	var err error
	if s.Peek() == '{' {
		found := false
		err = s.Fields(func(name []byte) error {
			if string(name) != "callbackList" {
				return s.Skip()
			}
			found = true
			return list()
		})
		if err == nil && !found {
			err = job.Errorf(job.Invalid, "callbackList is missing")
		}
	} else {
		err = list()
	}
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// outcome consumes one item.
func (s *scanner) outcome() (job.Outcome, error) {
	var (
		o          job.Outcome
		code       int64
		inner      result
		hasMessage bool
	)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "logId":
			o.AttemptID, err = s.Integer("logId", math.MinInt64, math.MaxInt64)
		case fieldDateShort, fieldDate:
			o.TriggeredAt, err = s.hint()
		case "handleCode":
			code, err = s.Integer("handleCode", math.MinInt32, math.MaxInt32)
		case "handleMsg":
			var text []byte
			var isNull bool
			text, isNull, err = s.Text()
			o.Message, hasMessage = string(text), !isNull
		case "executeResult":
			inner, err = s.result()
		case fieldLog:
			var text []byte
			text, _, err = s.Text()
			if len(text) <= job.MaxOutcomeLog {
				o.Log = string(text)
			}
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return job.Outcome{}, err
	}
	if code == 0 {
		code = inner.code
	}
	if !hasMessage {
		o.Message = inner.message
	}
	o.State = codeState(code)
	if code <= 0 {
		o.Message = textResultLost
	}
	return o, nil
}

// hint consumes an instant that no server needs: one that makes no sense is the
// zero time, for it must not cost a batch of outcomes.
func (s *scanner) hint() (time.Time, error) {
	value, err := s.Raw()
	if err != nil {
		return time.Time{}, err
	}
	own := scan(value)
	if at, err := own.Instant(""); err == nil {
		return at, nil
	}
	return time.Time{}, nil
}

// result is how clients of release 2.2 wrap code and message.
type result struct {
	code    int64
	message string
}

func (s *scanner) result() (result, error) {
	if s.Peek() != '{' {
		return result{}, s.Skip()
	}
	var r result
	var content string
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "code":
			r.code, err = s.Integer("code", math.MinInt32, math.MaxInt32)
		case "msg":
			r.message, err = s.Str()
		case "content":
			content, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	if r.message == "" {
		r.message = content
	}
	return r, err
}
