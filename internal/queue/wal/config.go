package wal

import "log/slog"

// Defaults of [Config].
const (
	DefaultOverlay  = 8 << 20
	DefaultLogBytes = 16 << 20
)

// Config is what a [Log] needs beside its path and the back end inside.
type Config struct {
	// Overlay is after how many bytes of changes in memory a checkpoint
	// begins; at most twice as many are held for each of two layers. Defaults
	// to [DefaultOverlay].
	Overlay int
	// LogBytes is after how many bytes in a log file a checkpoint begins. A
	// file may become three times as long. A transaction larger than this goes
	// straight to the back end inside. Defaults to [DefaultLogBytes].
	LogBytes int
	// Logger hears of damage and of files that cannot be written. Defaults to
	// none.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Overlay <= 0 {
		c.Overlay = DefaultOverlay
	}
	if c.LogBytes <= 0 {
		c.LogBytes = DefaultLogBytes
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
