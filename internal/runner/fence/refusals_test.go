package fence

import (
	"errors"
	"testing"
)

func TestRefusedRemembersTheLast(t *testing.T) {
	t.Parallel()
	r, reason := NewRefusals(), errors.New("busy")
	for attempt := range int64(3 * maxRefused) {
		r.Add(attempt, reason)
	}
	if n := len(r.young) + len(r.old); n > maxRefused {
		t.Errorf("%d refusals are remembered, at most %d may be", n, maxRefused)
	}
	for attempt := int64(3*maxRefused - maxRefused/2); attempt < 3*maxRefused; attempt++ {
		if r.Reason(attempt) == nil {
			t.Fatalf("attempt %d, one of the last %d, is forgotten", attempt, maxRefused/2)
		}
	}
	if r.Reason(0) != nil || r.Reason(-1) != nil {
		t.Error("an old refusal, or none, is remembered")
	}
}
