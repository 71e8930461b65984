package saying

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRest(t *testing.T) {
	t.Parallel()
	want := []Said{
		{"more", []string{"2", "child-loop"}, "2 more of the kind child-loop are not told one by one"},
		{"more", []string{"30", "route-unknown"}, "30 more of the kind route-unknown are not told one by one"},
	}
	if diff := cmp.Diff(want, Rest{"route-unknown": 30, "child-loop": 2}.Said()); diff != "" {
		t.Error(diff)
	}
	if got := Rest(nil).Said(); len(got) != 0 {
		t.Errorf("nothing has become %v", got)
	}
}
