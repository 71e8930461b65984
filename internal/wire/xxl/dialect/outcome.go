package dialect

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
	MaxSendMessage = 50_000 // characters
	sendCutMark    = "..."
)

// CutMessage returns what a callback carries of a message.
func CutMessage(text string) string {
	if len(text) <= MaxSendMessage {
		return text
	}
	seen := 0
	for i := range text {
		if seen == MaxSendMessage {
			return text[:i] + sendCutMark
		}
		seen++
	}
	return text
}

// HeaderTakes, in an answer of a server of Orth, names the fields that it takes beyond
// those of the dialect: "log", the whole run log of an attempt, in an item of a callback.
const (
	HeaderTakes = "Orth-Takes"
	FieldLog    = "log"
)

// AppendOutcome appends one item of a callback, with its log when the server takes logs.
func AppendOutcome(dst []byte, s *Speech, o job.Outcome, logs bool) []byte {
	dst = jsontext.AppendIntField(dst, `{"logId":`, o.AttemptID)
	dst = append(append(append(dst, `,"`...), s.OutcomeDate...), `":`...)
	dst = strconv.AppendInt(dst, job.Millis(o.TriggeredAt), 10)
	dst = jsontext.AppendIntField(dst, `,"handleCode":`, int64(StateCode(o.State)))
	if o.Message != "" {
		text := o.Message
		if o.State != job.Succeeded {
			text = s.Ends.Message(text)
		}
		dst = jsontext.AppendTextField(dst, `,"handleMsg":`, CutMessage(text))
	}
	if logs && o.Log != "" && len(o.Log) <= job.MaxOutcomeLog {
		dst = jsontext.AppendTextField(dst, `,"log":`, o.Log)
	}
	return append(dst, '}')
}

// DecodeOutcomes reads a callback: the array, or the object around it that
// releases after 3.4 send. Items that name no attempt are left out, and those that
// are not understood are failures. Errors are Invalid: the body is no JSON, no list,
// or too much. EndedAt is for the receiver's clock to set.
func DecodeOutcomes(body []byte) ([]job.Outcome, error) {
	s := Scan(body)
	out := make([]job.Outcome, 0, min(len(body)/minItem, MaxSendItems))
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
func (s *Scanner) outcome() (job.Outcome, error) {
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
		case FieldLog:
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
	o.State = CodeState(code)
	if code <= 0 {
		o.Message = TextResultLost
	}
	return o, nil
}

// hint consumes an instant that no server needs: one that makes no sense is the
// zero time, for it must not cost a batch of outcomes.
func (s *Scanner) hint() (time.Time, error) {
	value, err := s.Raw()
	if err != nil {
		return time.Time{}, err
	}
	own := Scan(value)
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

func (s *Scanner) result() (result, error) {
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

// What one callback carries at most.
const (
	MaxSendItems = 50
	// MaxSendBytes keeps a callback far from any server's limit for bodies.
	MaxSendBytes = 1 << 20
	// A server of Orth is sent more items, because each callback waits for a transaction:
	// as many as a small request carries, which both sides handle without net/http.
	MaxSendMany  = 500
	MaxManyBytes = 60 << 10
	// OutcomeRoom is the bytes that most outcomes take.
	OutcomeRoom = 160
)

// AppendBatch appends the body of one callback to the first server, with the first n
// outcomes of the batch: at least one, and no more than fit.
func AppendBatch(dst []byte, s *Speech, batch []job.Outcome, logs bool) (body []byte, n int) {
	dst = s.openList(dst)
	start := len(dst)
	var failures []byte
	for ; n < len(batch) && n < MaxSendMany && (logs || n < MaxSendItems); n++ {
		before := len(dst)
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = AppendOutcome(dst, s, batch[n], logs)
		failures = appendFailure(failures, batch[n])
		size, over := len(dst)-start, n >= MaxSendItems
		if n > 0 && size > MaxSendBytes || over && (size > MaxManyBytes || len(failures) > MaxFailuresText) {
			dst = dst[:before]
			break
		}
	}
	return s.closeList(dst), n
}

// AppendOutcomes appends the body of one callback with all the outcomes.
func AppendOutcomes(dst []byte, s *Speech, outcomes []job.Outcome, logs bool) []byte {
	dst = s.openList(dst)
	for i, o := range outcomes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendOutcome(dst, s, o, logs)
	}
	return s.closeList(dst)
}
