package native

import (
	"math"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// logRequest asks for a page of an attempt's log.
type logRequest struct {
	attempt     int64
	triggeredAt time.Time
	from        int // the first line, from 1 on
}

func appendLogRequest(dst []byte, r logRequest) []byte {
	dst = jsontext.AppendIntField(dst, `{"attempt":`, r.attempt)
	dst = appendInstant(dst, `,"triggered_at":`, r.triggeredAt)
	return append(jsontext.AppendIntField(dst, `,"from":`, int64(r.from)), '}')
}

// decodeLogRequest reads the request. Errors are Invalid.
func decodeLogRequest(body []byte) (logRequest, error) {
	var r logRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldAttempt:
			r.attempt, err = s.id(name)
		case fieldTriggered:
			r.triggeredAt, err = s.Instant(name)
		case "from":
			r.from, err = s.line(name)
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

// line consumes a number of a line, which callers may give as less than 1.
func (s *scanner) line(name string) (int, error) {
	n, err := s.Integer(name, math.MinInt32, math.MaxInt32)
	return int(n), err
}

func appendLogPage(dst []byte, p job.LogPage) []byte {
	dst = jsontext.AppendIntField(dst, `{"from":`, int64(p.From))
	dst = jsontext.AppendIntField(dst, `,"to":`, int64(p.To))
	dst = jsontext.AppendTextField(dst, `,"text":`, p.Text)
	return append(jsontext.AppendBoolField(dst, `,"end":`, p.End), '}')
}

// decodeLogPage reads the answer. Errors are Invalid.
func decodeLogPage(body []byte) (job.LogPage, error) {
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
