// Package dingtalk sends alarms to the robots of DingTalk groups.
//
// It knows the form of their messages, how they are signed, and what their answers
// mean. It must never know rules or how often something is tried. A channel and a
// message come in; a request goes out.
package dingtalk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/job"
)

// maxText bounds the text of a message, in bytes.
const maxText = 20000

// Kind is the kind of channel.
type Kind struct {
	Client call.Client
}

// Fields returns the fields of the channel.
func (Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "url", Secret: true, Needed: true, Place: true, Check: form.Address, Doc: "the robot's address, as https://oapi.dingtalk.com/robot/send?access_token=…"},
		{Name: "secret", Secret: true, Doc: "the robot's key for signatures, which begins with SEC; empty when it asks for none"},
		{Name: "mobiles", Check: form.AtMost(50, checkMobile), Doc: "telephone numbers of members to be called by name, with commas between them"},
	}
}

// Check checks a channel.
func (k Kind) Check(c alarm.Channel) error {
	_, err := form.Read(k.Fields(), c)
	return err
}

// robotMessage is the body that the robot accepts.
type robotMessage struct {
	Type     string   `json:"msgtype"`
	Markdown markdown `json:"markdown"`
	At       at       `json:"at"`
}

type markdown struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

type at struct {
	Mobiles []string `json:"atMobiles,omitempty"`
	All     bool     `json:"isAtAll"`
}

// Send sends a message once.
func (k Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	v, err := form.Read(k.Fields(), c)
	if err != nil {
		return err
	}
	address, err := signed(v["url"], v["secret"], time.Now())
	if err != nil {
		return err
	}
	answer, err := call.PostJSON(ctx, k.Client, address, compose(m, form.List(v["mobiles"])))
	if err != nil {
		return err
	}
	return judge(answer)
}

// compose builds the message. Each line ends with two spaces, because Markdown joins lines
// otherwise.
func compose(m alarm.Message, mobiles []string) robotMessage {
	title := alarmtext.Unmarked(alarmtext.Line(m.Title))
	head := "#### " + title + "\n\n"
	tail := ""
	for _, mobile := range mobiles {
		tail += " @" + mobile
	}
	if tail != "" {
		tail = "\n\n" + strings.TrimSpace(tail)
	}
	text := alarmtext.Cut(strings.ReplaceAll(alarmtext.Unmarked(m.Text), "\n", "  \n"), maxText-len(head)-len(tail))
	return robotMessage{
		Type: "markdown", Markdown: markdown{Title: title, Text: head + text + tail}, At: at{Mobiles: mobiles},
	}
}

// signed adds the request time, in milliseconds, and a signature to the address. The
// signature is the HMAC-SHA256 of the time, a line feed and the secret, with the secret as
// key.
func signed(address, secret string, now time.Time) (string, error) {
	if secret == "" {
		return address, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", job.FieldErrorf("secrets.url", "it is no address")
	}
	stamp := strconv.FormatInt(now.UnixMilli(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "\n" + secret))
	q := u.Query()
	q.Set("timestamp", stamp)
	q.Set("sign", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// judge converts a response. A refusal has status 200 too.
func judge(answer call.Answer) error {
	if err := answer.Judge(); err != nil {
		return err
	}
	var said struct {
		Code    *int   `json:"errcode"`
		Message string `json:"errmsg"`
	}
	if !answer.JSON(&said) || said.Code == nil {
		return job.Errorf(job.Refused, "the answer is not that of a robot of DingTalk: look at the address")
	}
	text := alarmtext.Cut(alarmtext.Line(said.Message), 200)
	switch *said.Code {
	case 0:
		return nil
	case 130101, 410100: // more than 20 messages in a minute
		return job.Errorf(job.Full, "DingTalk has had too many messages (%d: %s)", *said.Code, text)
	case -1: // busy
		return job.Errorf(job.Unavailable, "DingTalk is in trouble (%d: %s)", *said.Code, text)
	case 310000: // keywords, signature or addresses of the robot's security settings
		return job.Errorf(job.Refused, "DingTalk refuses the message (%d: %s): compare the secret and the robot's security settings", *said.Code, text)
	default:
		return job.Errorf(job.Refused, "DingTalk refuses the message (%d: %s)", *said.Code, text)
	}
}

func checkMobile(entry string) error {
	digits := strings.TrimPrefix(entry, "+")
	if len(digits) < 5 || len(digits) > 20 || strings.Trim(digits, "0123456789-") != "" {
		return job.Errorf(job.Invalid, "%q is no telephone number", entry)
	}
	return nil
}
