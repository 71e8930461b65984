package alarm

import (
	"slices"
	"time"
)

// ChannelKind is the transport of a channel. The values are part of the database and the
// API.
type ChannelKind string

// The kinds of channels.
const (
	Email     ChannelKind = "email"     // SMTP
	Webhook   ChannelKind = "webhook"   // a custom HTTP request, signed
	DingTalk  ChannelKind = "dingtalk"  // a DingTalk group robot
	Feishu    ChannelKind = "feishu"    // a Feishu or Lark robot
	WeCom     ChannelKind = "wecom"     // a WeCom group robot
	Slack     ChannelKind = "slack"     // an incoming webhook
	PagerDuty ChannelKind = "pagerduty" // events of version 2, as others take them too
)

// ChannelKinds returns every kind.
func ChannelKinds() []ChannelKind {
	return []ChannelKind{Email, Webhook, DingTalk, Feishu, WeCom, Slack, PagerDuty}
}

// Known reports whether k is a valid kind.
func (k ChannelKind) Known() bool { return slices.Contains(ChannelKinds(), k) }

// Channel is a destination of messages.
type Channel struct {
	ID        int64       `json:"id"`
	Namespace string      `json:"namespace"`
	Key       string      `json:"key"`
	Title     string      `json:"title,omitempty"`
	Kind      ChannelKind `json:"kind"`
	Enabled   bool        `json:"enabled"`
	// Default makes the channel carry mails to the addresses that jobs name themselves. At
	// most one channel of a namespace may be the default, and its kind must be Email.
	Default bool `json:"default,omitempty"`
	// Settings are the public settings of its kind. Secrets are write-only: passwords,
	// tokens, and addresses that contain a credential. The kind defines which names exist.
	Settings map[string]string `json:"settings,omitempty"`
	Secrets  map[string]string `json:"-"`
	// SecretNames are the names of the secrets that are set.
	SecretNames []string `json:"secrets,omitempty"`
	// Language is the language of its messages: "en" or "zh". It defaults to en.
	Language string `json:"language,omitempty"`
	// Template renders title and text of a message. Empty parts use the default templates.
	Template Template `json:"template,omitzero"`
	// PerMinute limits the messages a minute, 1..600; zero means 20. Messages over the
	// limit are combined and sent later.
	PerMinute int `json:"per_minute,omitempty"`

	// OKAt is the time of the last delivery. FailedAt and Failure are the time and the
	// error of the last failure. Failures counts failures in a row.
	OKAt     time.Time `json:"ok_at,omitzero"`
	FailedAt time.Time `json:"failed_at,omitzero"`
	Failure  string    `json:"failure,omitempty"`
	Failures int       `json:"failures,omitempty"`

	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Template holds the texts of a message, in Go's text/template over a [Message].
type Template struct {
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}
