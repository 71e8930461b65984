package alarm

import (
	"slices"
	"time"
)

// Silence suppresses messages for a time. Alarms are still recorded. Alarms that still fire
// at its end are sent then.
type Silence struct {
	ID        int64  `json:"id"`
	Namespace string `json:"namespace"`
	Comment   string `json:"comment"`
	// Rules are keys of rules; empty means all. Kinds and Scope are as in a Rule.
	Rules []string `json:"rules,omitempty"`
	Kinds []Kind   `json:"kinds,omitempty"`
	Scope Scope    `json:"scope,omitzero"`
	// The silence holds from From until Until. With Cron it has maintenance windows: it
	// holds for Length from each firing of Cron in Zone between From and Until. A zero
	// Until means no end.
	From   time.Time     `json:"from"`
	Until  time.Time     `json:"until,omitzero"`
	Cron   string        `json:"cron,omitempty"`
	Zone   string        `json:"zone,omitempty"`
	Length time.Duration `json:"length,omitempty"`

	CreatedAt time.Time `json:"created_at"`
}

// Holds reports whether the silence holds at now, and when that changes: its end when it
// holds, its next start when it does not, zero for never. Overlapping windows end with the
// last of them. A silence with an invalid schedule never holds.
func (s *Silence) Holds(now time.Time) (until time.Time, holds bool) {
	hold, err := s.pause().Compile()
	if err != nil {
		return time.Time{}, false
	}
	if until, holds = hold.At(now); !holds {
		until, _ = hold.Next(now)
	}
	return until, holds
}

// Fits reports whether the silence matches alarms of a rule and a kind, about a job of a
// group. An empty job key means the group alone.
func (s *Silence) Fits(namespace, rule string, kind Kind, jobKey, group string, labels map[string]string) bool {
	return s.Namespace == namespace &&
		(len(s.Rules) == 0 || slices.Contains(s.Rules, rule)) &&
		(len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind)) &&
		s.Scope.Fits(jobKey, group, labels)
}
