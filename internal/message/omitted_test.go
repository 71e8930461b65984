package message

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOmitted(t *testing.T) {
	t.Parallel()
	want := []Message{
		{"more", []string{"2", "child-loop"}, "2 more of kind child-loop are not listed"},
		{"more", []string{"30", "route-unknown"}, "30 more of kind route-unknown are not listed"},
	}
	if diff := cmp.Diff(want, Omitted{"route-unknown": 30, "child-loop": 2}.Messages()); diff != "" {
		t.Error(diff)
	}
	if got := Omitted(nil).Messages(); len(got) != 0 {
		t.Errorf("no omissions gave %v", got)
	}
}
