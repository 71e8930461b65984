package runner

import (
	"errors"
	"testing"
)

func TestRefusedRemembersTheLast(t *testing.T) {
	t.Parallel()
	r, reason := newRefused(), errors.New("busy")
	for attempt := range int64(3 * maxRefused) {
		r.addRefusal(attempt, reason)
	}
	if n := len(r.young) + len(r.old); n > maxRefused {
		t.Errorf("%d refusals are remembered, at most %d may be", n, maxRefused)
	}
	for attempt := int64(3*maxRefused - maxRefused/2); attempt < 3*maxRefused; attempt++ {
		if r.reason(attempt) == nil {
			t.Fatalf("attempt %d, one of the last %d, is forgotten", attempt, maxRefused/2)
		}
	}
	if r.reason(0) != nil || r.reason(-1) != nil {
		t.Error("an old refusal, or none, is remembered")
	}
}
