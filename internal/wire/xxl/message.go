package xxl

import (
	"math"
	"time"

	"github.com/orthd/orth/job"
)

// The small messages: registrations, job ids, log requests and log pages.

// registration is what registry and registryRemove carry.
type registration struct {
	group, key, value string
}

func (r registration) encode() []byte {
	dst := appendTextField(nil, `{"registryGroup":`, r.group)
	dst = appendTextField(dst, `,"registryKey":`, r.key)
	dst = appendTextField(dst, `,"registryValue":`, r.value)
	return append(dst, '}')
}

func decodeRegistration(body []byte) (registration, error) {
	var r registration
	s := scanner{src: body}
	err := s.fields(func(name []byte) (err error) {
		switch string(name) {
		case "registryGroup":
			r.group, err = s.str()
		case "registryKey":
			r.key, err = s.str()
		case "registryValue":
			r.value, err = s.str()
		default:
			err = s.skip(maxNesting)
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	return r, err
}

// encodeJobID returns the body of idleBeat and kill.
func encodeJobID(jobID int64) []byte {
	return append(appendIntField(nil, `{"jobId":`, jobID), '}')
}

func decodeJobID(body []byte) (int64, error) {
	var jobID int64
	s := scanner{src: body}
	err := s.fields(func(name []byte) (err error) {
		if string(name) == "jobId" {
			jobID, err = s.integer("jobId", math.MinInt32, math.MaxInt32)
			return err
		}
		return s.skip(maxNesting)
	})
	if err == nil {
		err = s.end()
	}
	return jobID, err
}

// logRequest asks for a piece of a run log.
type logRequest struct {
	attempt int64
	at      time.Time
	from    int
}

// encode writes the date under both names: the misspelt one is that of every
// release to 3.4, the other that of the next.
func (r logRequest) encode() []byte {
	dst := appendIntField(nil, `{"logDateTim":`, millis(r.at))
	dst = appendIntField(dst, `,"logDateTime":`, millis(r.at))
	dst = appendIntField(dst, `,"logId":`, r.attempt)
	dst = appendIntField(dst, `,"fromLineNum":`, int64(r.from))
	return append(dst, '}')
}

func decodeLogRequest(body []byte) (logRequest, error) {
	var r logRequest
	s := scanner{src: body}
	err := s.fields(func(name []byte) (err error) {
		switch string(name) {
		case "logDateTim", "logDateTime":
			r.at, err = s.instant("logDateTim")
		case "logId":
			r.attempt, err = s.integer("logId", math.MinInt64, math.MaxInt64)
		case "fromLineNum":
			r.from, err = s.number("fromLineNum")
		default:
			err = s.skip(maxNesting)
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	return r, err
}

// appendLogPage appends a page with the end flag under both names in use.
func appendLogPage(dst []byte, p job.LogPage) []byte {
	dst = appendIntField(dst, `{"fromLineNum":`, int64(p.From))
	dst = appendIntField(dst, `,"toLineNum":`, int64(p.To))
	dst = appendTextField(dst, `,"logContent":`, p.Text)
	if p.End {
		return append(dst, `,"isEnd":true,"end":true}`...)
	}
	return append(dst, `,"isEnd":false,"end":false}`...)
}

func decodeLogPage(body []byte) (job.LogPage, error) {
	var p job.LogPage
	s := scanner{src: body}
	err := s.fields(func(name []byte) (err error) {
		switch string(name) {
		case "fromLineNum":
			p.From, err = s.number("fromLineNum")
		case "toLineNum":
			p.To, err = s.number("toLineNum")
		case "logContent":
			p.Text, err = s.str()
		case "isEnd", "end":
			var end bool
			end, err = s.boolean("isEnd")
			p.End = p.End || end
		default:
			err = s.skip(maxNesting)
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	return p, err
}
