// Package email sends alarms as mail, over SMTP.
//
// It knows how a mail is made of a message, how it is handed to a server, and what
// the server's answers mean. It must never know rules or how often something is
// tried. A channel and a message come in; a mail goes out.
//
// The connection is encrypted unless the channel says otherwise, and a password is
// never sent over one that is not. When a server takes a mail for some of its
// addresses, and asks to come again for the others, the next try is for those alone;
// after a restart, or on another server, for all: a mail that comes twice has the
// same Message-ID.
package email

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Dialer connects to mail servers within the operator's rules.
type Dialer interface {
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

// Kind is the kind of channel. It is safe for concurrent use.
type Kind struct {
	dialer Dialer
	taken  *taken
}

// New returns the kind. It remembers which addresses have accepted a mail while others are
// pending.
func New(d Dialer) *Kind { return &Kind{dialer: d, taken: newTaken()} }

// Check checks a channel.
func (k *Kind) Check(c alarm.Channel) error {
	_, err := readSettings(c)
	return err
}

// Send sends a message once, to its own addresses, or to those of the channel when it has
// none.
func (k *Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	s, err := readSettings(c)
	if err != nil {
		return err
	}
	all := s.to
	if len(m.To) > 0 {
		all = m.To
	}
	if len(all) == 0 {
		return job.FieldErrorf("settings.to", "nobody is named who gets the mail: name an address")
	}
	if len(all) > maxAddresses {
		return job.Errorf(job.Refused, "the mail is for %d addresses, at most %d are possible", len(all), maxAddresses)
	}
	to, answers := k.openAddresses(c.ID, m.ID, all)
	if len(to) == 0 {
		return answers.verdict(len(all))
	}
	letter, err := compose(s, to, all, m)
	if err != nil {
		return err
	}
	talked, err := converse(ctx, k.dialer, s, to, letter)
	if err != nil {
		return err
	}
	answers.merge(talked)
	if len(answers.later) > 0 {
		k.taken.remember(c.ID, m.ID, talked.took)
	} else {
		k.taken.forget(c.ID, m.ID)
	}
	return answers.verdict(len(all))
}

// openAddresses returns the pending addresses, and the invalid ones.
func (k *Kind) openAddresses(channel int64, id string, all []string) (to []string, a answers) {
	for _, address := range all {
		parsed, err := parseAddress(address)
		switch {
		case err != nil:
			a.refused = append(a.refused, alarmtext.Line(address)+" is no address")
		case !k.taken.wasTaken(channel, id, parsed.Address):
			to = append(to, parsed.Address)
		}
	}
	return to, a
}

// answers are a server's replies for the addresses of one mail.
type answers struct {
	took    []string // accepted addresses
	later   []string // address: reply
	refused []string // the same
}

func (a *answers) merge(b answers) {
	a.took, a.later, a.refused = append(a.took, b.took...), append(a.later, b.later...), append(a.refused, b.refused...)
}

// verdict returns the result of a mail to a number of addresses.
func (a answers) verdict(all int) error {
	open := len(a.later) + len(a.refused)
	said := alarmtext.Cut(strings.Join(append(a.later, a.refused...), "; "), 600)
	switch {
	case open == 0:
		return nil
	case len(a.later) > 0:
		return job.Errorf(job.Unavailable, "the mail server asks to come again for %d of %s: %s", len(a.later), plural.Count(all, "address"), said)
	case open == all:
		return job.Errorf(job.Refused, "the mail server refuses every address: %s", said)
	default:
		return job.Errorf(job.Refused, "the mail server took the mail, but not for %d of %s: %s", open, plural.Count(all, "address"), said)
	}
}

// blame converts an error of a session. A reply with code 5yz is final; any other error may
// be temporary.
func blame(ctx context.Context, s settings, doing string, err error) error {
	if e, known := errors.AsType[*job.Error](err); known {
		return e
	}
	if code, text, answered := answerOf(err); answered {
		if code >= 500 && code <= 599 {
			return job.Errorf(job.Refused, "%s: the mail server refuses %s (%s)", s.host, doing, text)
		}
		return job.Errorf(job.Unavailable, "%s: the mail server cannot take %s now (%s)", s.host, doing, text)
	}
	if ctx.Err() != nil {
		return job.Errorf(job.Unavailable, "%s: the mail server did not answer in time", s.host)
	}
	if reason := mistrust(err); reason != "" {
		return job.Errorf(job.Refused, "%s: the certificate of the mail server is not trusted: %s", s.host, reason)
	}
	return job.Errorf(job.Unavailable, "%s: the mail server broke off at %s: %v", s.host, doing, err)
}
