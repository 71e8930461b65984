package runlog

import (
	"time"

	"github.com/orthd/orth/job"
)

// Config is how logs are kept.
type Config struct {
	// Zone decides on which day an instant lies. Defaults to time.Local.
	Zone *time.Location
	// Days is how many whole days a log is kept before Prune deletes it.
	// Defaults to 0: for ever.
	Days int
	// MaxTotal is how many bytes all logs together may have: Prune deletes the
	// oldest beyond that. Defaults to 0: no limit.
	MaxTotal int64
	// Small is how many bytes a log may have to be packed with others, at most
	// 64 KiB. Negative: each log is its own file from the start. Defaults to
	// 4 KiB.
	Small int
	// SpillAfter is how long a log that is being written stays in memory, at
	// the mercy of a crash, before it becomes its own file. Defaults to 200 ms.
	SpillAfter time.Duration
	// MaxFile is how many bytes one log may have; then a mark is written and
	// the rest is not kept. Defaults to 256 MiB.
	MaxFile int64
	// MaxLine is how many bytes a line may have; a longer one is split and
	// marked. Defaults to 64 KiB.
	MaxLine int
	// MaxPage is how many bytes of text Read returns at most. Defaults to
	// 512 KiB.
	MaxPage int
	// Changed is called with an attempt whose log has more text than when it was last read:
	// once, until it is read again. It must return at once and must not call the Logs.
	// Optional.
	Changed func(attempt int64)
}

// The smallest limits that leave room for the marks.
const (
	minFile = 1 << 10
	minLine = 16
	minPage = 256
)

func (c Config) withDefaults() (Config, error) {
	if c.Zone == nil {
		c.Zone = time.Local
	}
	if c.Small == 0 {
		c.Small = 4 << 10
	}
	if c.SpillAfter == 0 {
		c.SpillAfter = 200 * time.Millisecond
	}
	if c.MaxFile == 0 {
		c.MaxFile = 256 << 20
	}
	if c.MaxLine == 0 {
		c.MaxLine = 64 << 10
	}
	if c.MaxPage == 0 {
		c.MaxPage = 512 << 10
	}
	if c.Changed == nil {
		c.Changed = func(int64) {}
	}
	switch {
	case c.Days < 0:
		return c, job.FieldErrorf("days", "is %d, it must be 0 (keep for ever) or more", c.Days)
	case c.MaxTotal < 0:
		return c, job.FieldErrorf("max_total", "is %d bytes, it must be 0 (no limit) or more", c.MaxTotal)
	case c.Small > maxText:
		return c, job.FieldErrorf("small", "is %d bytes, at most %d are possible", c.Small, maxText)
	case c.SpillAfter < 0:
		return c, job.FieldErrorf("spill_after", "is %v, it must be more than 0", c.SpillAfter)
	case c.MaxFile < minFile:
		return c, job.FieldErrorf("max_file", "is %d bytes, at least %d are needed", c.MaxFile, minFile)
	case c.MaxLine < minLine:
		return c, job.FieldErrorf("max_line", "is %d bytes, at least %d are needed", c.MaxLine, minLine)
	case c.MaxPage < minPage:
		return c, job.FieldErrorf("max_page", "is %d bytes, at least %d are needed", c.MaxPage, minPage)
	}
	return c, nil
}
