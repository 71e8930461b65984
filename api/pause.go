package api

import (
	"time"

	"github.com/orthd/orth/job"
)

// Pause holds schedules back: their firings during it are missed, and the misfire policy of
// each job decides about them afterwards. Nothing else is held.
type Pause struct {
	Key       string   `json:"key"`
	Version   int64    `json:"version" doc:"It grows by one at each change."`
	Reason    string   `json:"reason,omitempty"`
	Namespace string   `json:"namespace,omitempty" doc:"Only jobs of this namespace; absent means all."`
	Groups    []string `json:"groups,omitempty" nullable:"false" doc:"Only jobs of these groups; absent means all."`
	From      Time     `json:"from" format:"date-time"`
	Until     Time     `json:"until,omitzero" format:"date-time" doc:"Absent: until a user lifts it."`
	Window    *Window  `json:"window,omitempty" doc:"It comes again and again, between from and until."`
	Active    bool     `json:"active" doc:"Whether it holds jobs back now."`
	EndsAt    Time     `json:"ends_at,omitzero" format:"date-time" doc:"When the pause that is active ends."`
	BeginsAt  Time     `json:"begins_at,omitzero" format:"date-time" doc:"When a pause that is not active begins next."`
	CreatedAt Time     `json:"created_at" format:"date-time"`
}

// Window is a time of maintenance that comes again.
type Window struct {
	Cron string   `json:"cron" maxLength:"1024" example:"0 0 2 ? * SUN" doc:"When it begins."`
	Zone string   `json:"zone,omitempty" maxLength:"100" example:"Asia/Shanghai" doc:"The IANA name of the zone; absent means UTC."`
	For  Duration `json:"for" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"3h" doc:"How long it lasts, at most 168h."`
}

// NewPause is a pause to be written over the one of its key.
type NewPause struct {
	Reason    string   `json:"reason,omitempty" maxLength:"1000" doc:"Shown wherever the pause has an effect."`
	Namespace string   `json:"namespace,omitempty" doc:"Only jobs of this namespace. Defaults to all."`
	Groups    []string `json:"groups,omitempty" maxItems:"64" nullable:"false" doc:"Only jobs of these groups. Defaults to all."`
	From      Time     `json:"from,omitzero" format:"date-time" doc:"Defaults to now."`
	Until     Time     `json:"until,omitzero" format:"date-time" doc:"Absent: until a user lifts it."`
	Window    *Window  `json:"window,omitempty" doc:"It comes again and again, between from and until."`
	Version   int64    `json:"version,omitzero" minimum:"0" doc:"The version that the change is based on: a conflict when the pause has another one by now, or was lifted. Absent overwrites any version."`
}

// PauseList is all pauses in order of key.
type PauseList struct {
	Pauses []Pause `json:"pauses" nullable:"false"`
}

// Pause returns the pause to be written. Nothing is checked and no default is
// filled in here.
func (n NewPause) Pause(key string) job.Pause {
	p := job.Pause{
		Key: key, Version: n.Version, Reason: n.Reason, Namespace: n.Namespace, Groups: n.Groups, From: n.From.Time, Until: n.Until.Time,
	}
	if n.Window != nil {
		p.Window = &job.Window{Cron: n.Window.Cron, Zone: n.Window.Zone, For: time.Duration(n.Window.For)}
	}
	return p
}

// FromPause returns the pause as the API shows it, but for what it does now.
func FromPause(p job.Pause) Pause {
	shown := Pause{
		Key: p.Key, Version: p.Version, Reason: p.Reason, Namespace: p.Namespace, Groups: p.Groups,
		From: At(p.From), Until: At(p.Until), CreatedAt: At(p.CreatedAt),
	}
	if p.Window != nil {
		shown.Window = &Window{Cron: p.Window.Cron, Zone: p.Window.Zone, For: Duration(p.Window.For)}
	}
	return shown
}
