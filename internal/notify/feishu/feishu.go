// Package feishu sends alarms to the robots of Feishu and Lark groups.
//
// It knows the form of their cards, how they are signed, and what their answers
// mean. It must never know rules or how often something is tried. A channel and a
// message come in; a request goes out.
//
// What a job said stands in cards as plain text, in which the service looks for no
// markup: nothing has to be escaped.
package feishu

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/job"
)

// maxText bounds the text of a card, in bytes. A request may have 20 KiB, in which line
// feeds and quotes take two bytes each.
const maxText = 9 << 10

// Kind is the kind of channel.
type Kind struct {
	Client call.Client
}

// Fields returns the fields of the channel.
func (Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "url", Secret: true, Needed: true, Place: true, Check: form.Address, Doc: "the robot's address, as https://open.feishu.cn/open-apis/bot/v2/hook/… or the same at open.larksuite.com"},
		{Name: "secret", Secret: true, Doc: "the robot's key for signatures; empty when it asks for none"},
	}
}

// Check checks a channel.
func (k Kind) Check(c alarm.Channel) error {
	_, err := form.Read(k.Fields(), c)
	return err
}

// robotMessage is the body that the robot accepts.
type robotMessage struct {
	Timestamp string `json:"timestamp,omitempty"`
	Sign      string `json:"sign,omitempty"`
	Type      string `json:"msg_type"`
	Card      card   `json:"card"`
}

type card struct {
	Config   config    `json:"config"`
	Header   header    `json:"header"`
	Elements []element `json:"elements"`
}

type config struct {
	Wide bool `json:"wide_screen_mode"`
}

type header struct {
	Title    text   `json:"title"`
	Template string `json:"template"`
}

type element struct {
	Tag     string   `json:"tag"`
	Text    *text    `json:"text,omitempty"`
	Actions []button `json:"actions,omitempty"`
}

type button struct {
	Tag  string `json:"tag"`
	Text text   `json:"text"`
	URL  string `json:"url"`
	Type string `json:"type"`
}

type text struct {
	Tag     string `json:"tag"`
	Content string `json:"content"`
}

func plain(s string) text { return text{"plain_text", s} }

// Send sends a message once.
func (k Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	v, err := form.Read(k.Fields(), c)
	if err != nil {
		return err
	}
	body := compose(m)
	if v["secret"] != "" {
		body.Timestamp, body.Sign = signRequest(v["secret"], time.Now())
	}
	answer, err := call.PostJSON(ctx, k.Client, v["url"], body)
	if err != nil {
		return err
	}
	return judge(answer)
}

func compose(m alarm.Message) robotMessage {
	said := plain(alarmtext.Cut(alarmtext.Clean(m.Text), maxText))
	elements := []element{{Tag: "div", Text: &said}}
	if m.Link != "" {
		label := "Open"
		if m.Language == alarm.Chinese {
			label = "查看"
		}
		elements = append(elements, element{Tag: "action", Actions: []button{{"button", plain(label), m.Link, "default"}}})
	}
	return robotMessage{
		Type: "interactive",
		Card: card{Config: config{Wide: true}, Header: header{plain(alarmtext.Line(m.Title)), colourOf(m)}, Elements: elements},
	}
}

// colourOf returns the colour of a card's header.
func colourOf(m alarm.Message) string {
	switch {
	case m.Test || m.Severity == alarm.Info && m.State == alarm.Firing:
		return "blue"
	case m.State == alarm.Resolved:
		return "green"
	case m.Severity == alarm.Critical:
		return "red"
	default:
		return "orange"
	}
}

// signRequest returns the request time, in seconds, and its signature: the HMAC-SHA256 of the
// empty text, with the time, a line feed and the secret as key.
func signRequest(secret string, now time.Time) (stamp, signature string) {
	stamp = strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(stamp+"\n"+secret))
	return stamp, base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// judge converts a response. A refusal has status 200 or 400 and a code, which is more
// specific than the status.
func judge(answer call.Answer) error {
	var said struct {
		Code    *int   `json:"code"`
		Message string `json:"msg"`
	}
	if !answer.JSON(&said) || said.Code == nil {
		if err := answer.Judge(); err != nil {
			return err
		}
		return job.Errorf(job.Refused, "the answer is not that of a robot of Feishu: look at the address")
	}
	text := alarmtext.Cut(alarmtext.Line(said.Message), 200)
	switch code := *said.Code; {
	case code == 0:
		return answer.Judge()
	case code == 11232 || code == 11233 || answer.Status == 429: // too often
		return job.Errorf(job.Full, "Feishu has had too many messages (%d: %s)", code, text)
	case answer.Status >= 500:
		return job.Errorf(job.Unavailable, "Feishu is in trouble (%d: %s)", code, text)
	case code == 19021: // the signature, or its time
		return job.Errorf(job.Refused, "Feishu refuses the message (%d: %s): compare the secret and the server's clock", code, text)
	default:
		return job.Errorf(job.Refused, "Feishu refuses the message (%d: %s)", code, text)
	}
}
