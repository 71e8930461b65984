//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// places reads ORTH_FAILPOINTS at the first hit, and only then.
var places = sync.OnceValue(func() map[string]*atomic.Int64 {
	places, err := parse(os.Getenv("ORTH_FAILPOINTS"))
	if err != nil {
		panic(err) // a crash test with a wrong plan must not pass
	}
	return places
})

// Hit marks a place where a test may kill the process. It does not return when
// the plan in ORTH_FAILPOINTS says to die here.
func Hit(name string) {
	left := places()[name]
	if left == nil || left.Add(-1) != 0 {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(fmt.Errorf("kill the process at %s: %w", name, err))
	}
	select {} // the signal is on its way
}

// parse reads a plan: for each place, how many hits are left to the last one.
func parse(plan string) (map[string]*atomic.Int64, error) {
	left := make(map[string]*atomic.Int64)
	for item := range strings.SplitSeq(plan, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, action, _ := strings.Cut(item, "=")
		action, nth, counted := strings.Cut(action, ":")
		n := 1
		if counted {
			var err error
			if n, err = strconv.Atoi(nth); err != nil || n < 1 {
				return nil, fmt.Errorf("ORTH_FAILPOINTS: %q: %q is not a count from 1", item, nth)
			}
		}
		if name == "" || action != "kill" {
			return nil, fmt.Errorf("ORTH_FAILPOINTS: %q is not NAME=kill or NAME=kill:NTH", item)
		}
		left[name] = new(atomic.Int64)
		left[name].Store(int64(n))
	}
	return left, nil
}
