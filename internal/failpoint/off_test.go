//go:build !failpoints

package failpoint

import "testing"

// TestHitIsEmpty: without the tag no plan can kill.
func TestHitIsEmpty(t *testing.T) {
	t.Setenv("ORTH_FAILPOINTS", "here=kill")
	if n := testing.AllocsPerRun(10, func() { Hit("here") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
