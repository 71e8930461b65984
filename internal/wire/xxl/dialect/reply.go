package dialect

import (
	"math"
	"unicode/utf8"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// ExecutorSuccess is an executor's reply without a payload; executors leave null
// fields out.
const ExecutorSuccess = `{"code":200,"msg":"Success"}`

// AppendExecutorRefusal appends an executor's refusal.
func AppendExecutorRefusal(dst []byte, text string) []byte {
	return append(jsontext.AppendTextField(dst, `{"code":500,"msg":`, text), '}')
}

// AppendPayload appends an executor's success that carries a JSON value, under
// the name that admins up to 3.2 read and under that of the later ones.
func AppendPayload(dst, value []byte) []byte {
	dst = append(append(dst, `{"code":200,"msg":"Success","data":`...), value...)
	dst = append(append(dst, `,"content":`...), value...)
	return append(dst, '}')
}

// Reply is the envelope of every answer.
type Reply struct {
	Code    int64
	Text    string
	Payload []byte // data, or content; nil when both are null or absent
	Known   string // of an attempt that was asked for: see headerKnown
}

// DecodeReply reads an envelope of any release. It fails, as Invalid, when the text is no
// object or has no code: then its meaning is unknown. payload aliases body.
func DecodeReply(body []byte) (Reply, error) {
	var (
		r       Reply
		hasCode bool
		content []byte
		s       = Scan(body)
	)
	err := s.Fields(func(name []byte) (err error) {
		switch string(name) {
		case "code":
			hasCode = s.Peek() != 'n'
			r.Code, err = s.Integer("code", math.MinInt32, math.MaxInt32)
		case "msg":
			r.Text, err = s.Str()
		case "data":
			r.Payload, err = s.Raw()
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
		return Reply{}, err
	}
	if r.Payload == nil || string(r.Payload) == jsontext.Null {
		r.Payload = content
	}
	if string(r.Payload) == jsontext.Null {
		r.Payload = nil
	}
	return r, nil
}

// MaxShown is the bytes of a foreign text that go into a message of ours.
const MaxShown = 500

// Shorten cuts a foreign text to what a message may show.
func Shorten(text string) string {
	if len(text) <= MaxShown {
		return text
	}
	cut := MaxShown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + job.CutMark
}

// Is reports whether a reply carries a text, which is not empty. Executors of some releases
// have it as message, those of others as payload.
func (r Reply) Is(text string) bool {
	return text != "" && (r.Text == text || string(r.Payload) == `"`+text+`"`)
}
