package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

func TestFactsConfig(t *testing.T) {
	t.Parallel()
	tell := func(context.Context) ([]byte, error) { return []byte("{}"), nil }
	for _, c := range []struct {
		facts Facts
		field string
	}{
		{Facts{}, ""},
		{Facts{Kind: "solana", Tell: tell}, ""},
		{Facts{Kind: "Solana", Tell: tell}, "facts.kind"},
		{Facts{Tell: tell}, "facts.kind"},
		{Facts{Kind: "solana"}, "facts.tell"},
	} {
		_, err := New(Config{Servers: []string{"http://127.0.0.1:1"}, Group: "g", Facts: c.facts})
		if c.field == "" && err != nil || c.field != "" && (!job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.field)) {
			t.Errorf("%+v: %v, want an error about %q", c.facts, err, c.field)
		}
	}
}

// TestFactsAreTold: each change within Every, the same once a minute, and everything again
// after a beat that got lost.
func TestFactsAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		text, sent := "{}", []string(nil) // guarded by mu
		facts := Facts{Kind: "solana", Tell: func(context.Context) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			return []byte(text), nil
		}}
		facts.defaults()
		tell := &teller{facts: facts, logger: slog.New(slog.DiscardHandler), send: func(_ context.Context, f job.Facts) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, fmt.Sprint(f.Text, " after ", time.Since(began)))
			return true, nil
		}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- tell.Run(ctx) }()
		pass := func(d time.Duration, want ...string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(sent, "; "); got != strings.Join(want, "; ") {
				t.Errorf("after %s was sent %q, want %q", time.Since(began), got, want)
			}
			sent = nil
		}
		pass(10500 * time.Millisecond) // no server has this executor
		tell.beaten(nil)
		pass(time.Second, "{} after 11s")
		pass(30 * time.Second)
		mu.Lock()
		text = `{"n":1}`
		mu.Unlock()
		pass(5*time.Second, `{"n":1} after 46s`)
		pass(time.Minute, `{"n":1} after 1m46s`)
		tell.beaten(errors.New("away"))
		pass(30 * time.Second)
		tell.beaten(nil)
		pass(time.Second, `{"n":1} after 2m17s`)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestFactsThatAreNotTaken are sent again, and the log states why, not each time.
func TestFactsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		tries := 0
		facts := Facts{Kind: "solana", Tell: func(context.Context) ([]byte, error) { return []byte("{}"), nil }}
		facts.defaults()
		tell := &teller{facts: facts, logger: slog.New(slog.NewTextHandler(&log, nil)), send: func(context.Context, job.Facts) (bool, error) {
			tries++
			return false, job.Errorf(job.Unavailable, "the server is busy")
		}}
		tell.beaten(nil)
		ctx, stop := context.WithTimeout(t.Context(), 58*time.Second)
		defer stop()
		if err := tell.Run(ctx); err != nil {
			t.Error(err)
		}
		if lines := strings.Count(log.String(), "the server is busy"); tries != 12 || lines != 1 {
			t.Errorf("%d tries and %d lines in the log, want 12 and 1: %s", tries, lines, log.String())
		}
	})
}
