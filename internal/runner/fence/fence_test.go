package fence

import (
	"testing"
	"time"
)

// TestFenceOfTwoQuestions: one caller was told that the attempt is not here, another one got an
// error. The attempt stays out for the one that was told.
func TestFenceOfTwoQuestions(t *testing.T) {
	t.Parallel()
	f, now := New(), time.Now()
	for _, attempt := range []int64{1, 1, 2} {
		if err := f.Add(attempt, now); err != nil {
			t.Fatal(err)
		}
	}
	f.Remove(1)
	f.Remove(2)
	if !f.Contains(1) || f.Contains(2) {
		t.Errorf("kept out: %t, %t; want the first alone", f.Contains(1), f.Contains(2))
	}
	if err := f.Add(1, now.Add(FenceFor)); err != nil { // among the old ones by now
		t.Fatal(err)
	}
	f.Remove(1)
	f.Remove(3)
	if !f.Contains(1) {
		t.Error("an old one was let in by a later question that failed")
	}
}
