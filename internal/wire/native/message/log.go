package message

import (
	"math"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// LogRequest asks for a page of an attempt's log.
type LogRequest struct {
	Attempt     int64
	TriggeredAt time.Time
	From        int // the first line, from 1 on
}

// AppendLogRequest writes a request for lines of a log.
func AppendLogRequest(dst []byte, r LogRequest) []byte {
	dst = jsontext.AppendIntField(dst, `{"attempt":`, r.Attempt)
	dst = appendInstant(dst, `,"triggered_at":`, r.TriggeredAt)
	return append(jsontext.AppendIntField(dst, `,"from":`, int64(r.From)), '}')
}

// DecodeLogRequest reads the request. Errors are Invalid.
func DecodeLogRequest(body []byte) (LogRequest, error) {
	var r LogRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldAttempt:
			r.Attempt, err = s.id(name)
		case fieldTriggered:
			r.TriggeredAt, err = s.Instant(name)
		case "from":
			r.From, err = s.line(name)
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

// line consumes a number of a line, which callers may give as less than 1.
func (s *scanner) line(name string) (int, error) {
	n, err := s.Integer(name, math.MinInt32, math.MaxInt32)
	return int(n), err
}

// AppendLogPage writes lines of a log.
func AppendLogPage(dst []byte, p job.LogPage) []byte {
	dst = jsontext.AppendIntField(dst, `{"from":`, int64(p.From))
	dst = jsontext.AppendIntField(dst, `,"to":`, int64(p.To))
	dst = jsontext.AppendTextField(dst, `,"text":`, p.Text)
	return append(jsontext.AppendBoolField(dst, `,"end":`, p.End), '}')
}

// DecodeLogPage reads the answer. Errors are Invalid.
func DecodeLogPage(body []byte) (job.LogPage, error) {
	var p job.LogPage
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "from":
			p.From, err = s.line(name)
		case "to":
			p.To, err = s.line(name)
		case "text":
			p.Text, err = s.Str()
		case "end":
			p.End, err = s.Boolean(name)
		default:
			err = s.Skip()
		}
		return err
	})
	return p, err
}
