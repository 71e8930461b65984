// Package notify carries messages to people, over every kind of channel.
//
// It knows which kinds there are and what bounds a try. It must never know rules,
// when something is sent, or how often it is tried. A channel and a message come in;
// an error goes out, which says whether another try can help: Invalid and Refused
// mean that none can; Unreachable, Unavailable and Full that a later one may.
//
// No error has a secret of the channel in it, whatever the other side answers.
package notify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/notify/dingtalk"
	"github.com/orthd/orth/internal/notify/email"
	"github.com/orthd/orth/internal/notify/feishu"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/internal/notify/pagerduty"
	"github.com/orthd/orth/internal/notify/slack"
	"github.com/orthd/orth/internal/notify/webhook"
	"github.com/orthd/orth/internal/notify/wecom"
	"github.com/orthd/orth/job"
)

// shortest is the minimum length of a secret to mask in errors. A shorter one would mask
// unrelated words.
const shortest = 4

// maxError bounds the text of an error, in bytes.
const maxError = 1000

// Config configures the restrictions of channels.
type Config struct {
	// Allow names the hosts that channels may reach, mail servers too, in the form
	// of egress.Config. Defaults to any public host.
	Allow []string
	// Private allows private, loopback and link-local addresses too. Defaults to
	// false.
	Private bool
	// Timeout bounds a try, from the name lookup to the end of the response. Defaults to 10
	// s.
	Timeout time.Duration
}

// kind is the transport of one kind of channel.
type kind interface {
	Fields() []form.Field
	Check(c alarm.Channel) error
	Send(ctx context.Context, c alarm.Channel, m alarm.Message) error
}

// Set holds every kind of channel. It is safe for concurrent use, and starts no goroutines.
type Set struct {
	kinds   map[alarm.ChannelKind]kind
	timeout time.Duration
}

// New returns a set. An invalid entry of Allow is an Invalid error.
func New(c Config) (*Set, error) {
	if c.Timeout < 0 {
		return nil, job.FieldErrorf("timeout", "%s is negative: give the longest time a message may take", c.Timeout)
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	client, err := egress.New(egress.Config{
		Allow: c.Allow, Private: c.Private, AllowName: "--alarm-allow", PrivateName: "--alarm-allow-private", Timeout: c.Timeout, MaxRedirects: -1,
	})
	if err != nil {
		return nil, err
	}
	return &Set{timeout: c.Timeout, kinds: map[alarm.ChannelKind]kind{
		alarm.Email:     email.New(client),
		alarm.Webhook:   webhook.Kind{Client: client},
		alarm.DingTalk:  dingtalk.Kind{Client: client},
		alarm.Feishu:    feishu.Kind{Client: client},
		alarm.WeCom:     wecom.Kind{Client: client},
		alarm.Slack:     slack.Kind{Client: client},
		alarm.PagerDuty: pagerduty.Kind{Client: client},
	}}, nil
}

// Fields returns the fields of a kind of channel, in the order of a form; nil for an
// unknown kind.
func (s *Set) Fields(of alarm.ChannelKind) []alarm.Field {
	k, known := s.kinds[of]
	if !known {
		return nil
	}
	var fields []alarm.Field
	for _, f := range k.Fields() {
		fields = append(fields, alarm.Field{Name: f.Name, Secret: f.Secret, Needed: f.Needed, Place: f.Place, Default: f.Default, Doc: f.Doc})
	}
	return fields
}

// Check checks a channel's settings and secrets, which must be complete. An Invalid error
// names the field as settings.name or secrets.name.
func (s *Set) Check(c alarm.Channel) error {
	k, err := s.kindOf(c.Kind)
	if err != nil {
		return err
	}
	return k.Check(c)
}

// Send sends a message once. It returns after the timeout at the latest.
func (s *Set) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	k, err := s.kindOf(c.Kind)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return conceal(k.Send(ctx, c, m), c.Secrets)
}

func (s *Set) kindOf(name alarm.ChannelKind) (kind, error) {
	if k, known := s.kinds[name]; known {
		return k, nil
	}
	var names []string
	for _, known := range alarm.ChannelKinds() {
		names = append(names, string(known))
	}
	return nil, job.FieldErrorf("kind", "%q is no kind of channel: write one of %s", name, strings.Join(names, ", "))
}

// conceal removes the channel's secrets from an error, and their secret parts. The error's
// kind, field and text remain. A kind that does not decide about retries becomes
// Unavailable. The receiver may have written the text, so it is reduced to one clean line.
func conceal(err error, secrets map[string]string) error {
	if err == nil {
		return nil
	}
	var parts []string
	for _, secret := range secrets {
		parts = append(parts, secret, strings.TrimSpace(secret))
		if _, rest, ok := strings.Cut(secret, "://"); ok {
			_, secret, _ = strings.Cut(rest, "/") // the host of an address is public
		}
		for part := range strings.FieldsFuncSeq(secret, func(r rune) bool { return strings.ContainsRune(" \t\r\n/?&=:", r) }) {
			if telling(part) {
				parts = append(parts, part)
			}
		}
	}
	// Replace the longest first, so that no part of a secret remains.
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	e := &job.Error{Kind: job.KindOf(err), Message: err.Error()}
	if known, ok := errors.AsType[*job.Error](err); ok && known.Field != "" {
		e.Field, e.Message = known.Field, strings.TrimPrefix(e.Message, known.Field+": ")
	}
	for _, part := range parts {
		if len(part) >= shortest {
			e.Message = strings.ReplaceAll(e.Message, part, "***")
		}
	}
	e.Message = alarmtext.Cut(alarmtext.Line(e.Message), maxError)
	switch e.Kind {
	case job.Invalid, job.Refused, job.Unreachable, job.Unavailable, job.Full:
	default:
		e.Kind = job.Unavailable
	}
	return e
}

// telling reports whether a part of a secret may be secret. Words of its address and header
// names are not.
func telling(part string) bool {
	return len(part) >= 16 || len(part) >= 8 && strings.ContainsAny(part, "0123456789")
}
