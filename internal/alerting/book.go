package alerting

import (
	"context"
	"time"

	words "github.com/orthd/orth/alarm"
)

// Definitions is where rules, channels and silences come from.
type Definitions interface {
	// Definitions returns what is defined, not more than some seconds old.
	Definitions(ctx context.Context) (words.Definitions, error)
}

// book is the definitions as a pass looks them up.
type book struct {
	version  int64
	rules    map[int64]*words.Rule    // enabled ones
	of       map[string][]*words.Rule // enabled ones of a namespace
	channels map[int64]*words.Channel
	keys     map[scoped]*words.Channel
	mail     map[string]*words.Channel // the default e-mail channel of a namespace
	silences []hush
}

// scoped is a key in a namespace.
type scoped struct{ namespace, key string }

// hush is a silence as it stands at the instant of the pass.
type hush struct {
	*words.Silence
	holds bool
	turn  time.Time // when that changes; zero for never
}

func newBook(d *words.Definitions, now time.Time) *book {
	b := &book{
		version: d.Version, rules: make(map[int64]*words.Rule), of: make(map[string][]*words.Rule),
		channels: make(map[int64]*words.Channel), keys: make(map[scoped]*words.Channel), mail: make(map[string]*words.Channel),
	}
	for i := range d.Rules {
		if r := &d.Rules[i]; r.Enabled {
			b.rules[r.ID] = r
			b.of[r.Namespace] = append(b.of[r.Namespace], r)
		}
	}
	for i := range d.Channels {
		c := &d.Channels[i]
		b.channels[c.ID] = c
		b.keys[scoped{c.Namespace, c.Key}] = c
		if c.Default && c.Kind == words.Email {
			b.mail[c.Namespace] = c
		}
	}
	for i := range d.Silences {
		s := &d.Silences[i]
		turn, holds := s.Holds(now)
		if holds || !turn.IsZero() {
			b.silences = append(b.silences, hush{s, holds, turn})
		}
	}
	return b
}

// rule returns the rule of an alarm or a bunch, and nil when it is gone or switched
// off.
func (b *book) rule(id int64, namespace string) *words.Rule {
	if id == mailRuleID {
		return mailRule(namespace)
	}
	return b.rules[id]
}

// mailRuleID is the id of the rule that every job with addresses of its own has: it
// is stored nowhere.
const mailRuleID = 0

// mailRule mails each bad end of a job to the addresses that the job names.
func mailRule(namespace string) *words.Rule {
	r := words.Rule{
		Namespace: namespace, Enabled: true, GroupBy: words.ByJob, Repeat: words.Never,
		Kinds: []words.Kind{words.KindFailed, words.KindTimedOut, words.KindLost},
	}
	r = r.WithDefaults()
	return &r
}
