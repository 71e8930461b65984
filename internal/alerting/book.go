package alerting

import (
	"context"
	"time"

	words "github.com/orthd/orth/alarm"
)

// Definitions provides rules, channels and silences.
type Definitions interface {
	// Definitions returns the current definitions. They may be some seconds old.
	Definitions(ctx context.Context) (words.Definitions, error)
}

// ruleSet indexes the definitions for a pass.
type ruleSet struct {
	version       int64
	rules         map[int64]*words.Rule    // enabled ones
	byNamespace   map[string][]*words.Rule // enabled ones of a namespace
	channels      map[int64]*words.Channel
	channelsByKey map[scoped]*words.Channel
	mailChannels  map[string]*words.Channel // the default e-mail channel of a namespace
	silences      []silenceState
}

// scoped is a key in a namespace.
type scoped struct{ namespace, key string }

// silenceState is a silence evaluated at the instant of the pass.
type silenceState struct {
	*words.Silence
	holds bool
	turn  time.Time // when holds changes; zero for never
}

func newRuleSet(d *words.Definitions, now time.Time) *ruleSet {
	b := &ruleSet{
		version: d.Version, rules: make(map[int64]*words.Rule), byNamespace: make(map[string][]*words.Rule),
		channels: make(map[int64]*words.Channel), channelsByKey: make(map[scoped]*words.Channel), mailChannels: make(map[string]*words.Channel),
	}
	for i := range d.Rules {
		if r := &d.Rules[i]; r.Enabled {
			b.rules[r.ID] = r
			b.byNamespace[r.Namespace] = append(b.byNamespace[r.Namespace], r)
		}
	}
	for i := range d.Channels {
		c := &d.Channels[i]
		b.channels[c.ID] = c
		b.channelsByKey[scoped{c.Namespace, c.Key}] = c
		if c.Default && c.Kind == words.Email {
			b.mailChannels[c.Namespace] = c
		}
	}
	for i := range d.Silences {
		s := &d.Silences[i]
		turn, holds := s.Holds(now)
		if holds || !turn.IsZero() {
			b.silences = append(b.silences, silenceState{s, holds, turn})
		}
	}
	return b
}

// ruleFor returns the rule of an alarm or an alarm group. It returns nil when the rule was
// deleted or disabled.
func (b *ruleSet) ruleFor(id int64, namespace string) *words.Rule {
	if id == mailRuleID {
		return mailRule(namespace)
	}
	return b.rules[id]
}

// mailRuleID is the id of the implicit rule of every job with its own addresses. That rule
// is not stored.
const mailRuleID = 0

// mailRule sends each bad end of a job to the addresses that the job names.
func mailRule(namespace string) *words.Rule {
	r := words.Rule{
		Namespace: namespace, Enabled: true, GroupBy: words.ByJob, Repeat: words.Never,
		Kinds: []words.Kind{words.KindFailed, words.KindTimedOut, words.KindLost},
	}
	r = r.WithDefaults()
	return &r
}
