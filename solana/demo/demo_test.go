package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// The demonstration shows threads of each kind that executes within seconds, and the node's
// reports about them.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := show(ctx, t, options{out: &out, executions: 8, block: 100 * time.Millisecond}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"Orth Solana executor", "once         executed", "on-a-change  executed", "$ orth-solana queue stats", "running since", "$ orth-solana profit", "every-3s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, &out)
		}
	}
}

// What a host runs is left by Fatal with its words, and what was to be cleaned up is.
func TestHost(t *testing.T) {
	t.Parallel()
	var order []string
	err := hosted(t.Context(), func(h *host) error {
		h.Helper()
		h.Cleanup(func() { order = append(order, "first") })
		h.Cleanup(func() { order = append(order, "last"); h.Errorf("it %s", "complained") })
		if h.TempDir() == "" || h.Context() != t.Context() {
			t.Error("no folder, or another context")
		}
		h.Fatalf("it %s", "ended")
		return errors.New("it went on")
	})
	if err == nil || err.Error() != "it ended\nit complained" || strings.Join(order, " ") != "last first" {
		t.Errorf("%q, cleaned up %v", err, order)
	}
	if err := hosted(t.Context(), func(h *host) error { h.Skip("nothing here"); return nil }); err == nil || err.Error() != "nothing here" {
		t.Errorf("%v", err)
	}
}
