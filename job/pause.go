package job

import "time"

// Limits of a Pause.
const (
	MaxPauses      = 1000 // of all namespaces together
	MaxPauseGroups = 64
	MaxPauseReason = 1000 // characters
	MinWindow      = time.Second
	MaxWindow      = 7 * 24 * time.Hour
)

// Pause holds jobs back: now and until a user lifts it, from one instant to another, or
// each time its window comes. A held job fires nothing by its schedule; when the pause
// ends, its misfire policy decides about the firings held back. Nothing else is held:
// existing runs continue, and so do retries, manual triggers, children, workflows and
// backfills.
type Pause struct {
	ID int64 `json:"id"`
	// Key is unique among all pauses.
	Key string `json:"key"`
	// Version grows by one at each change; writes compare it.
	Version int64 `json:"version,omitzero"`
	// Reason is shown to people wherever the pause has an effect.
	Reason string `json:"reason,omitempty"`
	// Namespace bounds the jobs that are held; empty means every namespace.
	Namespace string `json:"namespace,omitempty"`
	// Groups are the keys of groups whose jobs are held, in Namespace; none
	// means every group. At most [MaxPauseGroups].
	Groups []string `json:"groups,omitempty"`
	// From is when it begins. Until is when it ends, the instant itself
	// excluded; zero means when it is lifted.
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"`
	// Window makes it come again and again between From and Until.
	Window *Window `json:"window,omitempty"`

	CreatedAt time.Time `json:"created_at"`
}

// Window is a time of maintenance that comes again.
type Window struct {
	// Cron is when it begins, as in a schedule, on the clock of Zone, an IANA
	// name that defaults to "UTC". For is how long it lasts, 1 s..7 days.
	Cron string        `json:"cron"`
	Zone string        `json:"zone,omitempty"`
	For  time.Duration `json:"for"`
}
