package alarm

import (
	"slices"
	"time"
)

// ChannelKind is how a channel carries messages. The values are stored and served
// as they are.
type ChannelKind string

// The kinds of channels.
const (
	Email     ChannelKind = "email"     // SMTP
	Webhook   ChannelKind = "webhook"   // an HTTP request of one's own making, signed
	DingTalk  ChannelKind = "dingtalk"  // a robot of a group
	Feishu    ChannelKind = "feishu"    // a robot of Feishu or Lark
	WeCom     ChannelKind = "wecom"     // a robot of a group of WeCom
	Slack     ChannelKind = "slack"     // an incoming webhook
	PagerDuty ChannelKind = "pagerduty" // events of version 2, as others take them too
)

// ChannelKinds returns every kind.
func ChannelKinds() []ChannelKind {
	return []ChannelKind{Email, Webhook, DingTalk, Feishu, WeCom, Slack, PagerDuty}
}

// Known reports whether k is one of the kinds above.
func (k ChannelKind) Known() bool { return slices.Contains(ChannelKinds(), k) }

// Channel is where messages go.
type Channel struct {
	ID        int64       `json:"id"`
	Namespace string      `json:"namespace"`
	Key       string      `json:"key"`
	Title     string      `json:"title,omitempty"`
	Kind      ChannelKind `json:"kind"`
	Enabled   bool        `json:"enabled"`
	// Default says that it carries the mails to the addresses that jobs name
	// themselves; at most one channel of a namespace, of kind Email.
	Default bool `json:"default,omitempty"`
	// Settings are what its kind needs and everybody may see; Secrets what nobody
	// may see again: passwords, tokens and addresses that are as good as one. The
	// kind says which there are.
	Settings map[string]string `json:"settings,omitempty"`
	Secrets  map[string]string `json:"-"`
	// SecretNames are the names of the secrets that are set.
	SecretNames []string `json:"secrets,omitempty"`
	// Language is that of its messages: "en" or "zh". Defaults to en.
	Language string `json:"language,omitempty"`
	// Template makes title and text of a message; empty parts mean the shipped
	// ones.
	Template Template `json:"template,omitzero"`
	// PerMinute is how many messages it carries in a minute, 1..600; zero means 20.
	// What is more is told together later.
	PerMinute int `json:"per_minute,omitempty"`

	// OKAt is when it last carried a message; FailedAt and Failure when and why it
	// last did not; Failures how often in a row.
	OKAt     time.Time `json:"ok_at,omitzero"`
	FailedAt time.Time `json:"failed_at,omitzero"`
	Failure  string    `json:"failure,omitempty"`
	Failures int       `json:"failures,omitempty"`

	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Template is the texts of a message, in Go's text/template over a [Message].
type Template struct {
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}
