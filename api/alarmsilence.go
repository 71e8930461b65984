package api

import (
	"time"

	"github.com/orthd/orth/alarm"
)

// AlarmSilence suppresses notifications for a time. Alarms are recorded, and those that
// still fire at its end are notified then.
type AlarmSilence struct {
	ID ID `json:"id" pattern:"^[0-9]+$"`
	NewAlarmSilence
	Active    bool `json:"active" doc:"Whether it holds messages back now."`
	EndsAt    Time `json:"ends_at,omitzero" format:"date-time" doc:"When the silence that is active ends, or its window does."`
	BeginsAt  Time `json:"begins_at,omitzero" format:"date-time" doc:"When a silence that is not active begins next; absent for one that is over."`
	CreatedAt Time `json:"created_at" format:"date-time"`
}

// NewAlarmSilence is a silence to be created.
type NewAlarmSilence struct {
	Namespace string       `json:"namespace,omitempty" doc:"Defaults to the namespace of the request."`
	Comment   string       `json:"comment" minLength:"1" maxLength:"200" doc:"Why notifications are silenced."`
	Rules     []string     `json:"rules,omitempty" maxItems:"64" nullable:"false" doc:"Keys of rules. Defaults to all, and the mails that jobs ask for."`
	Kinds     []alarm.Kind `json:"kinds,omitempty" nullable:"false" enum:"failed,timed_out,lost,streak,failure_rate,slow,not_started,missed,backlog,group_down,dead_letter" doc:"Only alarms of these kinds. Defaults to all."`
	Scope     AlarmScope   `json:"scope,omitzero" doc:"The alarms it applies to. Defaults to everything in the namespace."`
	From      Time         `json:"from,omitzero" format:"date-time" doc:"When it begins. Defaults to now."`
	Until     Time         `json:"until,omitzero" format:"date-time" doc:"When it ends. Needed unless there is a cron."`
	Cron      string       `json:"cron,omitempty" maxLength:"1024" example:"0 0 2 ? * SUN" doc:"Makes it a maintenance window that begins again and again between from and until."`
	Zone      string       `json:"zone,omitempty" maxLength:"100" example:"Asia/Shanghai" doc:"The IANA name of the zone of cron. Defaults to UTC."`
	Length    Duration     `json:"length,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"3h" doc:"How long each window lasts, at most 168h."`
}

// AlarmSilenceList is the silences of a namespace in order of id.
type AlarmSilenceList struct {
	Silences []AlarmSilence `json:"silences" nullable:"false"`
}

// FromAlarmSilence returns the silence as the API shows it at an instant.
func FromAlarmSilence(s alarm.Silence, now time.Time) AlarmSilence {
	shown := AlarmSilence{
		ID: ID(s.ID), CreatedAt: At(s.CreatedAt),
		NewAlarmSilence: NewAlarmSilence{
			Namespace: s.Namespace, Comment: s.Comment, Rules: s.Rules, Kinds: s.Kinds, Scope: AlarmScope(s.Scope),
			From: At(s.From), Until: At(s.Until), Cron: s.Cron, Zone: s.Zone, Length: Duration(s.Length),
		},
	}
	changes, holds := s.Holds(now)
	if shown.Active = holds; holds {
		shown.EndsAt = At(changes)
	} else {
		shown.BeginsAt = At(changes)
	}
	return shown
}

// Silence returns the silence that is described. Nothing is checked and no default
// is filled in here.
func (n NewAlarmSilence) Silence() alarm.Silence {
	return alarm.Silence{
		Namespace: n.Namespace, Comment: n.Comment, Rules: n.Rules, Kinds: n.Kinds, Scope: alarm.Scope(n.Scope),
		From: n.From.Time, Until: n.Until.Time, Cron: n.Cron, Zone: n.Zone, Length: time.Duration(n.Length),
	}
}
