package output

import (
	"slices"
	"strings"

	"github.com/orthd/orth/internal/terminal"
)

// stateColumns are the columns and names whose words are coloured.
var stateColumns = [...]string{"state", "status", "result", "health", "severity", "outcome", "enabled", "check"}

// tellsState reports whether a column or name says how something stands.
func tellsState(name string) bool { return slices.Contains(stateColumns[:], strings.ToLower(name)) }

// stateColours are the words of states, as they begin, with their colours.
var stateColours = [...]struct {
	colour terminal.Colour
	words  []string
}{
	{terminal.Green, []string{"succeeded", "ok", "started", "sent", "delivered", "finished", "healthy", "active", "yes"}},
	{terminal.Red, []string{"failed", "fail", "lost", "timed out", "unreachable", "critical", "dead", "firing", "broken", "expired", "revoked", "locked"}},
	{terminal.Yellow, []string{"waiting", "held", "warn", "left alone", "draining", "stopping", "by hand, silent", "overdue", "open", "disabled"}},
	{terminal.Blue, []string{"running", "dispatched", "queued", "planned", "pending"}},
	{terminal.Grey, []string{"cancelled", "skipped", "stopped", "closed", "ended", "manual", "redriven", "resolved", "no", "-"}},
}

// ColourOf returns the colour of the word of a state, plain for one that is unknown.
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
