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

func TestBoundsOfASecondAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{CatchUpRate: -1}, {CatchUpRate: 100_001}, {PerGroup: -1}, {PerGroup: 100_001}} {
		c.Data, c.Listen = t.TempDir(), "127.0.0.1:0"
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("catch-up rate %d, per group %d: %v", c.CatchUpRate, c.PerGroup, err)
		}
	}
}
