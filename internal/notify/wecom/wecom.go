// Package wecom sends alarms to the robots of WeCom groups.
//
// It knows the form of their messages and what their answers mean. It must never
// know rules or how often something is tried. A channel and a message come in; a
// request goes out.
package wecom

import (
	"context"
	"strings"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/job"
)

// maxText bounds a message, in bytes.
const maxText = 4096

// Kind is the kind of channel.
type Kind struct {
	Client call.Client
}

// Fields returns the fields of the channel.
func (Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "url", Secret: true, Needed: true, Place: true, Check: form.Address, Doc: "the robot's address, as https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…"},
		{Name: "users", Check: form.AtMost(20, checkUser), Doc: "ids of members to be called by name, with commas between them"},
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
}

type markdown struct {
	Content string `json:"content"`
}

// Send sends a message once.
func (k Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	v, err := form.Read(k.Fields(), c)
	if err != nil {
		return err
	}
	answer, err := call.PostJSON(ctx, k.Client, v["url"], compose(m, form.List(v["users"])))
	if err != nil {
		return err
	}
	return judge(answer)
}

// compose builds the message: the title in the colour of its state, the mentions, and as
// much of the text as fits.
func compose(m alarm.Message, users []string) robotMessage {
	colour := "warning"
	if m.State == alarm.Resolved {
		colour = "info"
	}
	head := "### <font color=\"" + colour + "\">" + alarmtext.Unmarked(alarmtext.Line(m.Title)) + "</font>\n"
	for _, user := range users {
		head += "<@" + user + ">"
	}
	head = alarmtext.Cut(strings.TrimSpace(head)+"\n", maxText)
	return robotMessage{Type: "markdown", Markdown: markdown{head + alarmtext.Cut(alarmtext.Unmarked(m.Text), maxText-len(head))}}
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
		return job.Errorf(job.Refused, "the answer is not that of a robot of WeCom: look at the address")
	}
	text := alarmtext.Cut(alarmtext.Line(said.Message), 200)
	switch *said.Code {
	case 0:
		return nil
	case 45009, 45033: // too often, too many at the same time
		return job.Errorf(job.Full, "WeCom has had too many messages (%d: %s)", *said.Code, text)
	case -1: // busy
		return job.Errorf(job.Unavailable, "WeCom is in trouble (%d: %s)", *said.Code, text)
	default:
		return job.Errorf(job.Refused, "WeCom refuses the message (%d: %s)", *said.Code, text)
	}
}

func checkUser(entry string) error {
	if len(entry) > 64 || strings.ContainsAny(entry, "<>@ ") {
		return job.Errorf(job.Invalid, "%q is no id of a member", entry)
	}
	return nil
}
