package dialect

import (
	"math"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// The small messages: registrations, job ids, log requests and log pages.

// Registration is what registry and registryRemove carry.
type Registration struct {
	Group, Key, Value string
}

// Encode writes a registration.
func (r Registration) Encode() []byte {
	dst := jsontext.AppendTextField(nil, `{"registryGroup":`, r.Group)
	dst = jsontext.AppendTextField(dst, `,"registryKey":`, r.Key)
	dst = jsontext.AppendTextField(dst, `,"registryValue":`, r.Value)
	return append(dst, '}')
}

// DecodeRegistration reads a registration. Errors are Invalid.
func DecodeRegistration(body []byte) (Registration, error) {
	var r Registration
	s := Scan(body)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "registryGroup":
			r.Group, err = s.Str()
		case "registryKey":
			r.Key, err = s.Str()
		case "registryValue":
			r.Value, err = s.Str()
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

// EncodeJobID returns the body of idleBeat and kill.
func EncodeJobID(jobID int64) []byte {
	return append(jsontext.AppendIntField(nil, `{"jobId":`, jobID), '}')
}

// DecodeJobID reads the id of the job that a request is about. Errors are Invalid.
func DecodeJobID(body []byte) (int64, error) {
	var jobID int64
	s := Scan(body)
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

// LogRequest asks for a piece of a run log.
type LogRequest struct {
	Attempt int64
	At      time.Time
	From    int
}

// Encode writes the date under the names of a dialect: the misspelt one is that of
// every release to 3.4, the other that of the next.
func (r LogRequest) Encode(dates []string) []byte {
	dst := []byte{'{'}
	for _, name := range dates {
		dst = append(append(append(dst, '"'), name...), `":`...)
		dst = append(strconv.AppendInt(dst, job.Millis(r.At), 10), ',')
	}
	dst = jsontext.AppendIntField(dst, `"logId":`, r.Attempt)
	dst = jsontext.AppendIntField(dst, `,"fromLineNum":`, int64(r.From))
	return append(dst, '}')
}

// DecodeLogRequest reads a request for lines of a log. Errors are Invalid.
func DecodeLogRequest(body []byte) (LogRequest, error) {
	var r LogRequest
	s := Scan(body)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case fieldDateShort, fieldDate:
			r.At, err = s.Instant(fieldDateShort)
		case "logId":
			r.Attempt, err = s.Integer("logId", math.MinInt64, math.MaxInt64)
		case "fromLineNum":
			r.From, err = s.number("fromLineNum")
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

// AppendLogPage appends a page with the end flag under both names in use.
func AppendLogPage(dst []byte, p job.LogPage) []byte {
	dst = jsontext.AppendIntField(dst, `{"fromLineNum":`, int64(p.From))
	dst = jsontext.AppendIntField(dst, `,"toLineNum":`, int64(p.To))
	dst = jsontext.AppendTextField(dst, `,"logContent":`, p.Text)
	if p.End {
		return append(dst, `,"isEnd":true,"end":true}`...)
	}
	return append(dst, `,"isEnd":false,"end":false}`...)
}

// DecodeLogPage reads lines of a log. Errors are Invalid.
func DecodeLogPage(body []byte) (job.LogPage, error) {
	var p job.LogPage
	s := Scan(body)
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
