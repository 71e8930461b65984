// Package slack sends alarms to incoming webhooks of Slack.
//
// It knows the form of their messages, what has to be escaped in them, and what
// their answers mean. It must never know rules or how often something is tried. A
// channel and a message come in; a request goes out.
package slack

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/job"
)

// Limits of a message: characters of its header and of a section, and the number of
// sections.
const (
	maxHead     = 150
	maxSection  = 3000
	maxSections = 6
)

// Kind is the kind of channel.
type Kind struct {
	Client call.Client
}

// Fields returns the fields of the channel.
func (Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "url", Secret: true, Needed: true, Place: true, Check: form.Address, Doc: "the address of the webhook, as https://hooks.slack.com/services/…"},
		{Name: "mention", Check: form.AtMost(20, checkMention), Doc: "whom to call by name: here, channel, or ids as U012AB3CD of a user and S012AB3CD of a group, with commas between them"},
	}
}

// Check checks a channel.
func (k Kind) Check(c alarm.Channel) error {
	_, err := form.Read(k.Fields(), c)
	return err
}

// webhookMessage is the body that a webhook accepts. Notifications show Text.
type webhookMessage struct {
	Text   string  `json:"text"`
	Blocks []block `json:"blocks"`
}

type block struct {
	Type string `json:"type"`
	Text text   `json:"text"`
}

type text struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// Send sends a message once.
func (k Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	v, err := form.Read(k.Fields(), c)
	if err != nil {
		return err
	}
	answer, err := call.PostJSON(ctx, k.Client, v["url"], compose(m, form.List(v["mention"])))
	if err != nil {
		return err
	}
	return judge(answer)
}

// compose builds the message: the title as header, the mentions, the text in plain
// sections, and the link.
func compose(m alarm.Message, mention []string) webhookMessage {
	title := alarmtext.Line(m.Title)
	out := webhookMessage{
		Text:   escape(title),
		Blocks: []block{{"header", text{Type: "plain_text", Text: first(title, maxHead)}}},
	}
	if line := mentions(mention); line != "" {
		out.Text += " " + line
		out.Blocks = append(out.Blocks, block{"section", text{Type: "mrkdwn", Text: line}})
	}
	rest := alarmtext.Clean(m.Text)
	for i := 0; rest != "" && i < maxSections; i++ {
		part := section(rest)
		rest = strings.TrimPrefix(rest[len(part):], "\n")
		if i == maxSections-1 && rest != "" {
			part = first(part+rest, maxSection)
		}
		if strings.TrimSpace(part) != "" {
			out.Blocks = append(out.Blocks, block{"section", text{Type: "plain_text", Text: part}})
		}
	}
	if m.Link != "" {
		link := "<" + escape(strings.ReplaceAll(alarmtext.Line(m.Link), "|", "%7C")) + ">"
		out.Blocks = append(out.Blocks, block{"section", text{Type: "mrkdwn", Text: link, Verbatim: true}})
	}
	return out
}

// section returns the part of a text that fits a section, up to the end of a line if
// possible.
func section(s string) string {
	if utf8.RuneCountInString(s) <= maxSection {
		return s
	}
	end := 0
	for range maxSection {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if line := strings.LastIndexByte(s[:end], '\n'); line > 0 {
		return s[:line]
	}
	return s[:end]
}

// first returns at most n characters, with an ellipsis when the text is longer.
func first(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// escape escapes a text so that Slack finds no link, user or channel in it.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

func mentions(list []string) string {
	var all []string
	for _, one := range list {
		switch {
		case one == "here" || one == "channel":
			all = append(all, "<!"+one+">")
		case strings.HasPrefix(one, "S"):
			all = append(all, "<!subteam^"+one+">")
		default:
			all = append(all, "<@"+one+">")
		}
	}
	return strings.Join(all, " ")
}

func checkMention(entry string) error {
	if entry == "here" || entry == "channel" {
		return nil
	}
	if len(entry) < 2 || len(entry) > 32 || !strings.ContainsAny(entry[:1], "UWS") || strings.Trim(entry, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return job.Errorf(job.Invalid, "%q is neither here nor channel nor an id as U012AB3CD", entry)
	}
	return nil
}

// judge converts a response. Slack returns "ok", or one word for the error. Compatible
// services return {"ok":true} or {"success":true}.
func judge(answer call.Answer) error {
	word := alarmtext.Cut(alarmtext.Line(string(answer.Body)), 100)
	var said struct {
		OK      bool `json:"ok"`
		Success bool `json:"success"`
	}
	switch {
	case answer.Status == http.StatusOK && (word == "ok" || answer.JSON(&said) && (said.OK || said.Success)):
		return nil
	case answer.Status == http.StatusOK:
		return job.Errorf(job.Refused, "the answer is not that of a webhook of Slack: look at the address")
	case word == "rate_limited" || word == "message_limit_exceeded":
		return job.Errorf(job.Full, "Slack has had too many messages (%d: %s)", answer.Status, word)
	case word == "no_service" || word == "no_service_id" || word == "no_team" || word == "team_disabled" || word == "invalid_token" || word == "no_active_hooks":
		return job.Errorf(job.Refused, "the webhook of Slack is gone or switched off (%d: %s): make a new one and give its address", answer.Status, word)
	default:
		return answer.Judge()
	}
}
