package xxl

import (
	"math"
	"unicode/utf8"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// executorSuccess is an executor's reply without a payload; executors leave null
// fields out.
const executorSuccess = `{"code":200,"msg":"Success"}`

// appendExecutorRefusal appends an executor's refusal.
func appendExecutorRefusal(dst []byte, text string) []byte {
	return append(jsontext.AppendTextField(dst, `{"code":500,"msg":`, text), '}')
}

// appendPayload appends an executor's success that carries a JSON value, under
// the name that admins up to 3.2 read and under that of the later ones.
func appendPayload(dst, value []byte) []byte {
	dst = append(append(dst, `{"code":200,"msg":"Success","data":`...), value...)
	dst = append(append(dst, `,"content":`...), value...)
	return append(dst, '}')
}

// reply is the envelope of every answer.
type reply struct {
	code    int64
	text    string
	payload []byte // data, or content; nil when both are null or absent
	known   string // of an attempt that was asked for: see headerKnown
}

// decodeReply reads an envelope of any release. It fails, as Invalid, when the text is no
// object or has no code: then its meaning is unknown. payload aliases body.
func decodeReply(body []byte) (reply, error) {
	var (
		r       reply
		hasCode bool
		content []byte
		s       = scan(body)
	)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "code":
			hasCode = s.Peek() != 'n'
			r.code, err = s.Integer("code", math.MinInt32, math.MaxInt32)
		case "msg":
			r.text, err = s.Str()
		case "data":
			r.payload, err = s.Raw()
		case "content":
			content, err = s.Raw()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err == nil && !hasCode {
		err = job.Errorf(job.Invalid, "the answer has no code")
	}
	if err != nil {
		return reply{}, err
	}
	if r.payload == nil || string(r.payload) == jsontext.Null {
		r.payload = content
	}
	if string(r.payload) == jsontext.Null {
		r.payload = nil
	}
	return r, nil
}

// maxShown is the bytes of a foreign text that go into a message of ours.
const maxShown = 500

// short cuts a foreign text to what a message may show.
func short(text string) string {
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + job.CutMark
}
