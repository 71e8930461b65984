package alarm

import (
	"slices"
	"time"
)

// Silence holds messages back for a time: alarms are recorded, and nobody is told.
// What still is the case when it ends is told then.
type Silence struct {
	ID        int64  `json:"id"`
	Namespace string `json:"namespace"`
	Comment   string `json:"comment"`
	// Rules are keys of rules; empty means all. Kinds and Scope as in a Rule.
	Rules []string `json:"rules,omitempty"`
	Kinds []Kind   `json:"kinds,omitempty"`
	Scope Scope    `json:"scope,omitzero"`
	// From and Until are when it holds. With Cron it is a maintenance window: it
	// holds for Length from each firing of Cron in Zone on that lies between them,
	// and a zero Until is no end.
	From   time.Time     `json:"from"`
	Until  time.Time     `json:"until,omitzero"`
	Cron   string        `json:"cron,omitempty"`
	Zone   string        `json:"zone,omitempty"`
	Length time.Duration `json:"length,omitempty"`

	CreatedAt time.Time `json:"created_at"`
}

// Holds reports whether the silence holds at an instant, and when that changes: the
// end when it does, the next begin when it does not; zero for never. Where windows
// overlap it is the end of the one that ends last. A silence that cannot be read
// holds nothing back.
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

// Fits reports whether the silence is about alarms of a rule and a kind, about a job
// of a group, or about the group alone when the job's key is empty.
func (s *Silence) Fits(namespace, rule string, kind Kind, jobKey, group string, labels map[string]string) bool {
	return s.Namespace == namespace &&
		(len(s.Rules) == 0 || slices.Contains(s.Rules, rule)) &&
		(len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind)) &&
		s.Scope.Fits(jobKey, group, labels)
}
