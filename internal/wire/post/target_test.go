package post

import (
	"fmt"
	"testing"

	"github.com/orthd/orth/job"
)

// TestTargets: what was found is kept, up to a number, and errors are not.
func TestTargets(t *testing.T) {
	t.Parallel()
	const head = "X: y\r\n"
	var found targets
	first, err := found.find("http://h/base/", "/run", head)
	if err != nil || first.URL.String() != "http://h/base/run" || first.lean == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, _ := found.find("http://h/base/", "/run", head); again != first {
		t.Error("the same target was made twice")
	}
	if other, err := found.find("http://h/base/", "/beat", head); err != nil || other == first {
		t.Errorf("another path has the same target: %v", err)
	}
	if other, err := found.find("http://h/base/", "/run", ""); err != nil || other == first {
		t.Errorf("other lines have the same target: %v", err)
	}
	if odd, err := found.find("http://höst/", "/run", head); err != nil || odd.lean != nil {
		t.Errorf("a name beyond ASCII: %+v, %v; want net/http", odd, err)
	}
	if _, err := found.find("nowhere", "/run", head); !job.Is(err, job.Invalid) {
		t.Errorf("error of kind %q: %v", job.KindOf(err), err)
	}
	for n := range maxTargets + 10 {
		if _, err := found.find(fmt.Sprintf("http://h:%d/", n+1), "/run", head); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(found.known); n > maxTargets {
		t.Errorf("%d targets are kept, at most %d may be", n, maxTargets)
	}
}
