package queue

import (
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/retry"
)

// Defaults of [Config] and [QueueConfig].
const (
	DefaultGroup       = 512
	DefaultCapacity    = 100_000
	DefaultRemember    = 100_000
	DefaultRememberFor = 24 * time.Hour
	DefaultKeepDead    = 10_000
	DefaultSegment     = journal.DefaultSegment
	DefaultMemory      = 64 << 20
	DefaultAge         = 40 * time.Second
)

// keptBody is the largest body that is kept in memory.
const keptBody = 8 << 10

// Config is the configuration of a [Store], without its folder.
type Config struct {
	// Logger hears of failed commits and of damage. Defaults to none.
	Logger *slog.Logger
	// Group is the most functions that share one commit. Defaults to [DefaultGroup].
	Group int
	// Segment is the size of a file, in bytes. All files together stay below
	// twice what is needed and four segments. Defaults to [DefaultSegment].
	Segment int64
	// Memory is how many bytes of bodies are kept in memory; the others are read
	// from the files. Defaults to [DefaultMemory].
	Memory int64
	// Age is how long a body that is not needed any more may stay in the files
	// while Run works: at most five quarters of it, a minute for each 8 MiB that is
	// needed, and the time that the rewriting takes. Defaults to [DefaultAge].
	Age time.Duration
	// Hooks default to none.
	Hooks Hooks
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Group <= 0 {
		c.Group = DefaultGroup
	}
	if c.Segment <= 0 {
		c.Segment = DefaultSegment
	}
	if c.Memory <= 0 {
		c.Memory = DefaultMemory
	}
	if c.Age <= 0 {
		c.Age = DefaultAge
	}
	if c.Hooks.Committed == nil {
		c.Hooks.Committed = func(int, time.Duration) {}
	}
	if c.Hooks.Failed == nil {
		c.Hooks.Failed = func(error) {}
	}
	if c.Hooks.Damaged == nil {
		c.Hooks.Damaged = func(int) {}
	}
	return c
}

// Hooks are called by the writer goroutine, and Damaged also by [Open]. They
// must return quickly and must not call the store. A nil one is skipped.
type Hooks struct {
	// Committed: one durable commit carried so many functions and took so long.
	Committed func(functions int, took time.Duration)
	// Failed: a commit failed, and all its callers got the error.
	Failed func(err error)
	// Damaged: something was found damaged and set aside, so many times.
	Damaged func(times int)
}

// QueueConfig is the limits of one queue. They may differ from one start to
// the next; what is stored already is kept.
type QueueConfig struct {
	// Capacity is the most items scheduled and processing together; a Push
	// beyond it is refused with job.Full. Defaults to [DefaultCapacity].
	Capacity int
	// Remember is the most finished keys remembered. Negative remembers none, for a caller
	// that does not need to detect a repeated key; keys that an earlier configuration
	// remembered stay. Defaults to [DefaultRemember].
	Remember int
	// RememberFor is how long a finished key is remembered. Older ones are
	// forgotten as further items finish, not on a timer. Defaults to
	// [DefaultRememberFor].
	RememberFor time.Duration
	// KeepDead is the most dead letters kept. The oldest is removed, and
	// counted, to make room for a new one: dead letters never stop live work.
	// Defaults to [DefaultKeepDead].
	KeepDead int
	// DeadFor is after how long [Queue.Expire] removes a dead letter. Defaults
	// to never.
	DeadFor time.Duration
	// Retry is how often and how soon [Queue.Fail] has an item tried again.
	// Defaults to not at all.
	Retry retry.Policy
}

func (c QueueConfig) withDefaults() QueueConfig {
	if c.Capacity <= 0 {
		c.Capacity = DefaultCapacity
	}
	if c.Remember == 0 {
		c.Remember = DefaultRemember
	}
	if c.RememberFor <= 0 {
		c.RememberFor = DefaultRememberFor
	}
	if c.KeepDead <= 0 {
		c.KeepDead = DefaultKeepDead
	}
	return c
}
