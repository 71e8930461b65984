package xxl

import (
	"fmt"
	"testing"

	"github.com/orthd/orth/job"
)

// TestTargets: what was found is kept, up to a number, and errors are not.
func TestTargets(t *testing.T) {
	t.Parallel()
	found := targets{fields: fields(nil).add("X", "y")}
	first, err := found.find("http://h/base/", "/run")
	if err != nil || first.url.String() != "http://h/base/run" || first.lean == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, _ := found.find("http://h/base/", "/run"); again != first {
		t.Error("the same target was made twice")
	}
	if other, err := found.find("http://h/base/", "/beat"); err != nil || other == first {
		t.Errorf("another path has the same target: %v", err)
	}
	if odd, err := found.find("http://höst/", "/run"); err != nil || odd.lean != nil {
		t.Errorf("a name beyond ASCII: %+v, %v; want net/http", odd, err)
	}
	if _, err := found.find("nowhere", "/run"); !job.Is(err, job.Invalid) {
		t.Errorf("error of kind %q: %v", job.KindOf(err), err)
	}
	for n := range maxTargets + 10 {
		if _, err := found.find(fmt.Sprintf("http://h:%d/", n+1), "/run"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(found.known); n > maxTargets {
		t.Errorf("%d targets are kept, at most %d may be", n, maxTargets)
	}
}
