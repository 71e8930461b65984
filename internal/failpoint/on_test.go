//go:build failpoints

package failpoint

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// TestMain is the victim when its environment says so: it hits the place named
// in the first argument and counts on standard output.
func TestMain(m *testing.M) {
	if os.Getenv("ORTH_FAILPOINT_VICTIM") == "" {
		os.Exit(m.Run())
	}
	for i := range 5 {
		_, _ = os.Stdout.WriteString(strconv.Itoa(i))
		Hit("here")
	}
}

func TestHit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		plan, counted string
		dies          bool
	}{
		{"", "01234", false},
		{"here=kill", "0", true},
		{"elsewhere=kill, here=kill:3", "012", true},
		{"here=kill:6", "01234", false},
		{"elsewhere=kill", "01234", false},
		{"here=panic", "0", true},
	} {
		t.Run(test.plan, func(t *testing.T) {
			t.Parallel()
			victim := exec.Command(os.Args[0])
			victim.Env = append(os.Environ(), "ORTH_FAILPOINT_VICTIM=1", "ORTH_FAILPOINTS="+test.plan)
			out, err := victim.Output()
			if string(out) != test.counted || (err != nil) != test.dies {
				t.Errorf("counted %s, %v; want %s, dies %t", out, err, test.counted, test.dies)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{"here", "=kill", "here=stop", "here=kill:0", "here=kill:x", "here=kill:"} {
		if _, err := parse(plan); err == nil {
			t.Errorf("plan %q was taken", plan)
		} else if errors.Unwrap(err) != nil {
			t.Errorf("plan %q: the message must stand alone: %v", plan, err)
		}
	}
}
