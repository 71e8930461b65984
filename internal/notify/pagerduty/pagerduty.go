// Package pagerduty sends alarms as events of PagerDuty's Events API, version 2, and
// to other services that take the same.
//
// It knows the form of events, how one event ends what another began, and what
// answers mean. It must never know rules or how often something is tried. A channel
// and a message come in; a request goes out.
package pagerduty

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/internal/notify/form"
)

// Limits of an event, in bytes.
const (
	maxDedup   = 255
	maxSummary = 1024
	maxText    = 16 << 10
)

// Kind is the kind of channel.
type Kind struct {
	Client call.Client
}

// Fields returns the fields of the channel.
func (Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "routing_key", Secret: true, Needed: true, Doc: "the integration key of the service"},
		{Name: "url", Place: true, Default: "https://events.pagerduty.com/v2/enqueue", Check: form.Address, Doc: "where events go; https://events.eu.pagerduty.com/v2/enqueue for accounts in the EU, or that of another service"},
		{Name: "source", Default: "orth", Doc: "what the events name as their source"},
	}
}

// Check checks a channel.
func (k Kind) Check(c alarm.Channel) error {
	_, err := form.Read(k.Fields(), c)
	return err
}

// event is the body of a request. A resolve event has no payload.
type event struct {
	RoutingKey string   `json:"routing_key"`
	Action     string   `json:"event_action"`
	Dedup      string   `json:"dedup_key"`
	Client     string   `json:"client,omitempty"`
	ClientURL  string   `json:"client_url,omitempty"`
	Links      []link   `json:"links,omitempty"`
	Payload    *payload `json:"payload,omitempty"`
}

type link struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

type payload struct {
	Summary   string  `json:"summary"`
	Source    string  `json:"source"`
	Severity  string  `json:"severity"`
	Timestamp string  `json:"timestamp,omitempty"`
	Group     string  `json:"group,omitempty"`
	Component string  `json:"component,omitempty"`
	Class     string  `json:"class,omitempty"`
	Details   details `json:"custom_details"`
}

type details struct {
	Text      string   `json:"text"`
	Namespace string   `json:"namespace"`
	Rule      string   `json:"rule"`
	Alarms    int      `json:"alarms"`
	Events    int      `json:"events"`
	Reasons   []reason `json:"reasons,omitempty"`
	More      int      `json:"more_reasons,omitempty"`
	Log       []string `json:"log,omitempty"`
}

type reason struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Run   int64  `json:"run,omitempty"`
}

// Send sends a message once.
func (k Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	v, err := form.Read(k.Fields(), c)
	if err != nil {
		return err
	}
	e := compose(m, v["source"])
	e.RoutingKey = v["routing_key"]
	answer, err := call.PostJSON(ctx, k.Client, v["url"], e)
	if err != nil {
		return err
	}
	return answer.Judge()
}

func compose(m alarm.Message, source string) event {
	e := event{Action: "trigger", Dedup: dedupOf(m)}
	if m.State == alarm.Resolved {
		e.Action = "resolve"
		return e
	}
	e.Client = "Orth"
	if href := alarmtext.Line(m.Link); href != "" {
		e.ClientURL, e.Links = href, []link{{href, "Orth"}}
	}
	if href := alarmtext.Line(m.AlarmLink); href != "" {
		e.Links = append(e.Links, link{href, "Alarm"})
	}
	e.Payload = &payload{
		Summary: alarmtext.Cut(alarmtext.Line(m.Title), maxSummary), Source: source, Severity: severityOf(m.Severity),
		Group: alarmtext.Line(m.Group), Details: detailsOf(m),
	}
	if !m.At.IsZero() {
		e.Payload.Timestamp = m.At.UTC().Format(time.RFC3339Nano)
	}
	if len(m.Items) > 0 {
		e.Payload.Component, e.Payload.Class = alarmtext.Line(m.Items[0].Job), string(m.Items[0].Kind)
	}
	return e
}

func detailsOf(m alarm.Message) details {
	d := details{
		Text: alarmtext.Cut(alarmtext.Clean(m.Text), maxText), Namespace: m.Namespace, Rule: alarmtext.Line(m.Rule),
		Alarms: m.Alarms, Events: m.Events, More: m.More,
	}
	for _, r := range m.Reasons {
		d.Reasons = append(d.Reasons, reason{alarmtext.Line(r.Text), r.Count, r.Run})
	}
	for _, line := range m.Log {
		d.Log = append(d.Log, alarmtext.Clean(line))
	}
	return d
}

// dedupOf returns the dedup key, which links a resolve event to its trigger. A long key
// becomes its hash.
func dedupOf(m alarm.Message) string {
	key := m.Dedup
	if key == "" {
		key = m.ID
	}
	if len(key) <= maxDedup {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func severityOf(s alarm.Severity) string {
	switch s {
	case alarm.Info, alarm.Critical:
		return string(s)
	default:
		return string(alarm.Warning)
	}
}
