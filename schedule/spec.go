package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

// Kind is the kind of a Spec. The values are stored and served as they are.
type Kind string

// The kinds of schedule.
const (
	// KindCron fires at the wall times that a cron expression names.
	KindCron Kind = "cron"
	// KindEvery fires at a fixed rate on the grid Anchor + k*Every.
	KindEvery Kind = "every"
	// KindAfter fires when the job is started, and then each time a while
	// after the end of the run before: a fixed delay.
	KindAfter Kind = "after"
	// KindDaily fires at a pace within a window of the day.
	KindDaily Kind = "daily"
	// KindOnce fires one time, at At or a while after the job is started.
	KindOnce Kind = "once"
	// KindSeveral fires whenever one of several schedules does.
	KindSeveral Kind = "several"
	// KindManual never fires by itself.
	KindManual Kind = "manual"
)

// Limits of a Spec.
const (
	MinEvery      = 100 * time.Millisecond
	MaxEvery      = 100 * 365 * 24 * time.Hour
	MaxExpression = 1024 // bytes
	MaxSeveral    = 16   // schedules of a job
	MaxCalendars  = 8    // calendars of a job
	MaxCount      = 1_000_000_000
	MaxJitter     = 24 * time.Hour
	// MinYear and MaxYear bound the years in which anything fires. They do
	// not move with the clock, so an expression means the same for ever.
	MinYear = 1970
	MaxYear = 2126
)

// Spec is a schedule as people write it and as it is stored. Exactly the fields of its Kind
// are set; [Spec.Validate] reports errors.
type Spec struct {
	Kind Kind `json:"kind"`
	// Cron is an expression as [ParseCronWith] reads it: of 6 or 7 fields
	// (Quartz), of 5 (Unix), or a macro such as "@daily". "@every 90s" is a
	// fixed rate on the grid of the Unix epoch.
	Cron string `json:"cron,omitempty"`
	// Every is the period of a fixed rate, [MinEvery]..[MaxEvery], whole
	// milliseconds. In JSON it is nanoseconds.
	Every time.Duration `json:"every,omitempty"`
	// Anchor is an instant on the grid of a fixed rate, so that the phase
	// survives restarts. It counts to the millisecond. The zero Anchor is the
	// Unix epoch.
	Anchor time.Time `json:"anchor,omitzero"`
	// After is the time from the end of a run to the next firing,
	// [MinEvery]..[MaxEvery], whole milliseconds. In JSON it is nanoseconds.
	After time.Duration `json:"after,omitempty"`
	// Daily is a window of the day and a pace, as in "09:00-18:00 MON-FRI every 5m"; see
	// [ParseDaily]. Rules for clock changes matter only where the clock skips the whole
	// window: their Gap decides whether the day has one firing, after or before the jump,
	// or none.
	Daily string `json:"daily,omitempty"`
	// At is the instant of a Once. It counts to the millisecond.
	At time.Time `json:"at,omitzero"`
	// Delay makes a Once fire this long after its job is enabled: enabling the job sets At,
	// and until then it never fires. 1 ms..[MaxEvery], whole milliseconds. In JSON it is
	// nanoseconds.
	Delay time.Duration `json:"delay,omitempty"`
	// Of are the schedules of a Several, 2..[MaxSeveral] of the kinds cron,
	// every, daily and once. Two that fire at the same instant fire once.
	// They may have a zone, rules for clock changes, Start, End and calendars
	// of their own; the zone of the Spec around them is their default.
	Of []Spec `json:"of,omitempty"`
	// Zone is an IANA name such as "Asia/Shanghai". Defaults to "UTC". It is
	// the zone of wall times and of the days of calendars.
	Zone string `json:"zone,omitempty"`
	// DST defines the firings of a Cron or a Daily when the clock of the zone steps. Nil
	// means [Quartz]. Copies of a Spec share it, so its target must not be changed.
	DST *DST `json:"dst,omitempty"`

	// Start and End bound the firings: not before Start, before End. Zero
	// means no bound. They judge a firing before the jitter moves it. One that
	// a calendar moves must be named within them and fire before End.
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
	// Count is how many runs the schedule makes before the job is disabled, up to
	// [MaxCount]; zero means no bound. A Schedule does not know how many there were, so the
	// caller that counts them ends it: see [Decide].
	Count int `json:"count,omitempty"`
	// Jitter moves every firing of the job later by one time below it, up to
	// [MaxJitter], so that many jobs of one time do not fire at once. The time
	// comes from Seed, so each firing is known beforehand. After has none, for
	// each firing follows the end of a run. In JSON it is nanoseconds.
	Jitter time.Duration `json:"jitter,omitempty"`
	// Seed picks the time within Jitter; see [Seed].
	Seed uint32 `json:"seed,omitempty"`
	// Calendars are the keys of the calendars that must all allow the day of a
	// firing, in Zone; at most [MaxCalendars].
	Calendars []string `json:"calendars,omitempty"`
	// Excluded is the handling of a firing on a day that is not allowed. Defaults to
	// "skip".
	Excluded Excluded `json:"excluded,omitempty"`
}

// Excluded is the handling of a firing on a day that a calendar does not allow. The values
// are stored and served as they are.
type Excluded string

// The ways to treat such a firing.
const (
	// ExcludedSkip drops it. Only a schedule of the kind after drops nothing,
	// because nothing would follow: it waits for the begin of the next allowed
	// day.
	ExcludedSkip Excluded = "skip"
	// ExcludedShift moves it to the same time of the next allowed day: to the
	// first instant after a gap of the clock, to the first pass of an overlap.
	// Firings that come together there are one. When no day is allowed for 366
	// days the firing falls away.
	ExcludedShift Excluded = "shift"
)

// Calendars finds a compiled calendar by its key; nil when there is none.
type Calendars func(key string) *calendar.Calendar

// Schedule answers when. Implementations are immutable and safe for concurrent
// use.
type Schedule interface {
	// Next returns the first firing strictly after the instant, in UTC, and
	// false when there is none.
	Next(after time.Time) (time.Time, bool)
}

// String returns s in a few words for people.
func (s Spec) String() string {
	text := s.kindText()
	if !s.Start.IsZero() {
		text += " from " + s.Start.UTC().Format(time.RFC3339)
	}
	if !s.End.IsZero() {
		text += " until " + s.End.UTC().Format(time.RFC3339)
	}
	if s.Count != 0 {
		text += fmt.Sprintf(" at most %d times", s.Count)
	}
	if len(s.Calendars) > 0 {
		text += " by " + strings.Join(s.Calendars, ", ")
		if s.Excluded == ExcludedShift {
			text += " shifted"
		}
	}
	if s.Jitter != 0 {
		text += " with jitter " + shortDuration(s.Jitter)
	}
	return text
}

// kindText is s without what bounds and moves its firings.
func (s Spec) kindText() string {
	zone := ""
	if s.Zone != "" {
		zone = " in " + s.Zone
	}
	switch s.Kind {
	case KindCron:
		return fmt.Sprintf("cron %q", s.Cron) + zone
	case KindEvery:
		return "every " + shortDuration(s.Every)
	case KindAfter:
		return shortDuration(s.After) + " after each run"
	case KindDaily:
		return fmt.Sprintf("daily %q", s.Daily) + zone
	case KindOnce:
		if s.At.IsZero() && s.Delay != 0 {
			return "once " + shortDuration(s.Delay) + " after the start"
		}
		return "once at " + s.At.UTC().Format(time.RFC3339)
	case KindSeveral:
		members := make([]string, min(len(s.Of), MaxSeveral))
		for i := range members {
			members[i] = s.member(i).kindText()
		}
		return "several: " + strings.Join(members, "; ")
	case KindManual: // the word says it all
	}
	return string(s.Kind)
}

// shortDuration is d without the zero units that time.Duration prints.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
