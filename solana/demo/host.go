package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
)

// host stands where the tests' chain expects a test. A method of a test that it does not have ends the program.
type host struct {
	testing.TB

	ctx      context.Context //nolint:containedctx // It is what Context returns, as of a test.
	cleanups []func()
	failed   error
}

// ended is the panic by which a host leaves what it runs.
type ended struct{ reason string }

// hosted runs fn with a host, and then what is to be cleaned up, the last first.
func hosted(ctx context.Context, fn func(h *host) error) (err error) {
	h := &host{ctx: ctx}
	defer func() {
		for len(h.cleanups) > 0 {
			last := h.cleanups[len(h.cleanups)-1]
			h.cleanups = h.cleanups[:len(h.cleanups)-1]
			err = errors.Join(err, guarded(func() error { last(); return nil }))
		}
		err = errors.Join(err, h.failed)
	}()
	return guarded(func() error { return fn(h) })
}

// guarded returns the reason when fn is left by Fatal or Skip.
func guarded(fn func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			err = errors.New(p.reason)
		default:
			panic(p)
		}
	}()
	return fn()
}

// Helper does nothing.
func (h *host) Helper() {}

// Context ends with the program.
func (h *host) Context() context.Context { return h.ctx }

// Cleanup has fn called at the end.
func (h *host) Cleanup(fn func()) { h.cleanups = append(h.cleanups, fn) }

// Errorf keeps what went wrong.
func (h *host) Errorf(format string, args ...any) {
	h.failed = errors.Join(h.failed, fmt.Errorf(format, args...))
}

// Fatal leaves what is run.
func (h *host) Fatal(args ...any) { panic(ended{fmt.Sprint(args...)}) }

// Fatalf leaves what is run.
func (h *host) Fatalf(format string, args ...any) { panic(ended{fmt.Sprintf(format, args...)}) }

// Skip leaves what is run: something is missing on this machine.
func (h *host) Skip(args ...any) { panic(ended{fmt.Sprint(args...)}) }

// TempDir returns a folder that is removed at the end.
func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "orth-solana-demo-*")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			h.Errorf("%w", err)
		}
	})
	return dir
}
