package app

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

func TestKeepRunsIsChecked(t *testing.T) {
	t.Parallel()
	for _, keep := range []time.Duration{-time.Hour, time.Second, job.MaxKeepFor + 1} {
		_, err := New(Config{Data: t.TempDir(), Listen: "127.0.0.1:0", KeepRuns: keep})
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "is not between 1m and") {
			t.Errorf("%s: %v", keep, err)
		}
	}
	var c Config
	c.defaults()
	if c.KeepRuns != 30*24*time.Hour {
		t.Errorf("runs are kept for %s by default", c.KeepRuns)
	}
}
