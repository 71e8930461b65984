package sqlite

import (
	"strings"
	"testing"
)

// TestRebind wants no statement to have a LIMIT whose value SQLite's planner sees:
// it prepares such a statement anew whenever a value is bound.
func TestRebind(t *testing.T) {
	t.Parallel()
	limits := 0
	for name, query := range statements(t) {
		if bound := rebind(query); strings.Contains(bound, "LIMIT ?") {
			t.Errorf("%s: %s", name, bound)
		} else if strings.Contains(bound, "LIMIT +?") {
			limits++
		}
	}
	if limits == 0 {
		t.Error("no statement has a LIMIT")
	}
}
