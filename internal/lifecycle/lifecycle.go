// Package lifecycle runs the long-lived parts of a process together and stops
// them in two steps: stop taking, then stop working.
//
// It knows an order of parts, their two stops and how long each may take. It
// must never know what a part does, nor signals: a context that ends is the
// wish to stop. Parts come in; the errors of those that failed go out.
//
//	start    first ──▶ … ──▶ last
//	drain    first ◀── … ◀── last    stop taking: each Drain, at most DrainFor in all
//	stop     first ◀── … ◀── last    stop working: each context ends, at most StopFor each
package lifecycle

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Part is one long-lived thing. What others need comes before them: it starts
// first and stops last.
type Part struct {
	// Name is for logs and errors.
	Name string
	// Run works until ctx ends and returns when every goroutine it started
	// has ended. An error stops the whole group. Nil before the stop means
	// that the part's work is over; the others go on.
	Run func(ctx context.Context) error
	// Drain makes the part stop taking work and waits until what it took is
	// done or ctx ends. It is called at most once, while Run runs, also when
	// another part has failed. The error of its own ended context says that
	// work is left; the stop goes on and that is no failure. Defaults to
	// nothing to do.
	Drain func(ctx context.Context) error
}

// Config is how a Group stops.
type Config struct {
	// DrainFor is the time for all Drain calls together. Defaults to 30 s. Work
	// that is left then is stopped: a bound that does its duty is no failure,
	// so it is only logged.
	DrainFor time.Duration
	// StopFor is the time for each Run, and for each Drain, to return when its
	// context has ended. Defaults to 15 s.
	StopFor time.Duration
	// Logger gets the stack of a part that panics, and the names of parts whose
	// Drains took too long. Defaults to none.
	Logger *slog.Logger
}

// Group is parts that live and die together.
type Group struct {
	config Config
	parts  []Part
}

// New returns a Group. Every Part needs a Name and a Run; else it panics, for
// that is a mistake of the program.
func New(c Config, parts ...Part) *Group {
	for i, p := range parts {
		if p.Name == "" || p.Run == nil {
			panic(fmt.Sprintf("lifecycle: part %d (%q) needs a Name and a Run", i, p.Name))
		}
	}
	if c.DrainFor <= 0 {
		c.DrainFor = 30 * time.Second
	}
	if c.StopFor <= 0 {
		c.StopFor = 15 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Group{config: c, parts: slices.Clone(parts)}
}
