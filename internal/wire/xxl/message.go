package xxl

import (
	"math"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// The small messages: registrations, job ids, log requests and log pages.

// registration is what registry and registryRemove carry.
type registration struct {
	group, key, value string
}

func (r registration) encode() []byte {
	dst := jsontext.AppendTextField(nil, `{"registryGroup":`, r.group)
	dst = jsontext.AppendTextField(dst, `,"registryKey":`, r.key)
	dst = jsontext.AppendTextField(dst, `,"registryValue":`, r.value)
	return append(dst, '}')
}

func decodeRegistration(body []byte) (registration, error) {
	var r registration
	s := scan(body)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "registryGroup":
			r.group, err = s.Str()
		case "registryKey":
			r.key, err = s.Str()
		case "registryValue":
			r.value, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	return r, err
}

// encodeJobID returns the body of idleBeat and kill.
func encodeJobID(jobID int64) []byte {
	return append(jsontext.AppendIntField(nil, `{"jobId":`, jobID), '}')
}

func decodeJobID(body []byte) (int64, error) {
	var jobID int64
	s := scan(body)
	err := s.Fields(func(name []byte) (err error) {
		if string(name) == "jobId" {
			jobID, err = s.Integer("jobId", math.MinInt32, math.MaxInt32)
			return err
		}
		return s.Skip()
	})
	if err == nil {
		err = s.End()
	}
	return jobID, err
}

// logRequest asks for a piece of a run log.
type logRequest struct {
	attempt int64
	at      time.Time
	from    int
}

// encode writes the date under the names of a dialect: the misspelt one is that of
// every release to 3.4, the other that of the next.
func (r logRequest) encode(dates []string) []byte {
	dst := []byte{'{'}
	for _, name := range dates {
		dst = append(append(append(dst, '"'), name...), `":`...)
		dst = append(strconv.AppendInt(dst, job.Millis(r.at), 10), ',')
	}
	dst = jsontext.AppendIntField(dst, `"logId":`, r.attempt)
	dst = jsontext.AppendIntField(dst, `,"fromLineNum":`, int64(r.from))
	return append(dst, '}')
}

func decodeLogRequest(body []byte) (logRequest, error) {
	var r logRequest
	s := scan(body)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case fieldDateShort, fieldDate:
			r.at, err = s.Instant(fieldDateShort)
		case "logId":
			r.attempt, err = s.Integer("logId", math.MinInt64, math.MaxInt64)
		case "fromLineNum":
			r.from, err = s.number("fromLineNum")
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	return r, err
}

// appendLogPage appends a page with the end flag under both names in use.
func appendLogPage(dst []byte, p job.LogPage) []byte {
	dst = jsontext.AppendIntField(dst, `{"fromLineNum":`, int64(p.From))
	dst = jsontext.AppendIntField(dst, `,"toLineNum":`, int64(p.To))
	dst = jsontext.AppendTextField(dst, `,"logContent":`, p.Text)
	if p.End {
		return append(dst, `,"isEnd":true,"end":true}`...)
	}
	return append(dst, `,"isEnd":false,"end":false}`...)
}

func decodeLogPage(body []byte) (job.LogPage, error) {
	var p job.LogPage
	s := scan(body)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "fromLineNum":
			p.From, err = s.number("fromLineNum")
		case "toLineNum":
			p.To, err = s.number("toLineNum")
		case "logContent":
			p.Text, err = s.Str()
		case "isEnd", "end":
			var end bool
			end, err = s.Boolean("isEnd")
			p.End = p.End || end
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	return p, err
}
