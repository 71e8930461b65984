package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// What is called out often is called once, each by its letter; the last calls are made
// before the end.
func TestCallsOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var said []string
		fails := false
		c := newCalls(&database{tell: func(_ context.Context, words string) error {
			mu.Lock()
			defer mu.Unlock()
			if fails {
				return errors.New("away")
			}
			letters := strings.Split(strings.TrimPrefix(words, "me:"), "")
			slices.Sort(letters)
			said = append(said, strings.Join(letters, ""))
			return nil
		}}, func() string { return "me" }, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := c.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		c.out(callRuns)
		synctest.Wait()
		for range 100 {
			c.out(callChanges)
			c.out(callServers)
		}
		time.Sleep(time.Second)
		mu.Lock()
		fails = true
		mu.Unlock()
		c.out(callRuns)
		time.Sleep(time.Second)
		mu.Lock()
		fails = false
		mu.Unlock()
		c.out(callAlarms)
		cancel()
		running.Wait()
		if want := []string{"r", "cs", "a"}; !slices.Equal(said, want) {
			t.Errorf("called %q, want %q", said, want)
		}
	})
}

// What others call is done, what this server itself has called is not.
func TestCallsHeard(t *testing.T) {
	t.Parallel()
	c := newCalls(&database{}, func() string { return "me" }, slog.New(slog.DiscardHandler))
	var done []string
	for _, letter := range []rune{callRuns, callJobs} {
		c.on[letter] = func() { done = append(done, string(letter)) }
	}
	for words, want := range map[string]string{"me:rj": "", "you:r": "r", "you:rj": "rj", "you:x": "", "you": "", "": "jr", "you:c": ""} {
		done = nil
		c.heard(words)
		if words == "" {
			slices.Sort(done)
		}
		if got := strings.Join(done, ""); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
	c.out(callRuns) // nobody hears
	if len(c.pending) != 0 {
		t.Error("it waits to call where nobody hears")
	}
}
