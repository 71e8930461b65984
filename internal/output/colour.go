package output

import (
	"slices"
	"strings"

	"github.com/orthd/orth/internal/terminal"
)

// stateColumns are the columns and row names with colored states.
var stateColumns = [...]string{"state", "status", "result", "health", "severity", "outcome", "enabled", "check"}

// isStateColumn reports whether a column or row name holds a state.
func isStateColumn(name string) bool { return slices.Contains(stateColumns[:], strings.ToLower(name)) }

// stateColours maps prefixes of states to colors.
var stateColours = [...]struct {
	colour terminal.Colour
	words  []string
}{
	{terminal.Green, []string{"succeeded", "ok", "started", "enabled", "sent", "delivered", "finished", "healthy", "active", "yes"}},
	{terminal.Red, []string{"failed", "fail", "lost", "timed out", "unreachable", "critical", "dead", "firing", "broken", "expired", "revoked", "locked"}},
	{terminal.Yellow, []string{"waiting", "held", "paused", "suspect", "warn", "circuit open", "draining", "stopping", "manual, not responding", "overdue", "open", "disabled"}},
	{terminal.Blue, []string{"running", "dispatched", "queued", "planned", "pending"}},
	{terminal.Grey, []string{"cancelled", "skipped", "stopped", "closed", "ended", "manual", "retried", "resolved", "no", "-"}},
}

// ColourOf returns the color of a state, plain for an unknown one.
func ColourOf(state string) terminal.Colour {
	for _, row := range stateColours {
		for _, word := range row.words {
			if rest, begins := strings.CutPrefix(state, word); begins && (rest == "" || strings.ContainsAny(rest[:1], " ,:;")) {
				return row.colour
			}
		}
	}
	return terminal.Plain
}
