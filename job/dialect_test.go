package job

import (
	"slices"
	"testing"
)

// TestDialectByReplaces: a weaker sight never takes the place of a stronger one, and
// the newest of two that are equal does.
func TestDialectByReplaces(t *testing.T) {
	t.Parallel()
	order := []DialectBy{"", DialectProbed, DialectSeen, DialectSet}
	for i, weak := range order {
		for j, strong := range order {
			if got := weak.Replaces(strong); got != (i >= j) {
				t.Errorf("%q replaces %q: %t", weak, strong, got)
			}
		}
	}
	if slices.Contains(Dialects(), "") || len(slices.Compact(slices.Sorted(slices.Values(Dialects())))) != len(Dialects()) {
		t.Errorf("a dialect has no name, or has it twice: %q", Dialects())
	}
}
