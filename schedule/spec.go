package schedule

import (
	"fmt"
	"strings"
	"time"
)

// Kind is the kind of a Spec. The values are stored and served as they are.
type Kind string

// The kinds of schedule.
const (
	// KindCron fires at the wall times that a cron expression names.
	KindCron Kind = "cron"
	// KindEvery fires at a fixed rate on the grid Anchor + k*Every.
	KindEvery Kind = "every"
	// KindOnce fires one time, at At.
	KindOnce Kind = "once"
	// KindManual never fires by itself.
	KindManual Kind = "manual"
)

// Limits of a Spec.
const (
	MinEvery      = 100 * time.Millisecond
	MaxEvery      = 100 * 365 * 24 * time.Hour
	MaxExpression = 1024 // bytes
	// MinYear and MaxYear bound the years in which anything fires. They do
	// not move with the clock, so an expression means the same for ever.
	MinYear = 1970
	MaxYear = 2126
)

// Spec is a schedule as people write it and as it is stored. Exactly the
// fields of its Kind are set; [Spec.Validate] says what is wrong otherwise.
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
	// At is the instant of a Once. It counts to the millisecond.
	At time.Time `json:"at,omitzero"`
	// Zone is an IANA name such as "Asia/Shanghai". Defaults to "UTC".
	// Only wall-time kinds use it.
	Zone string `json:"zone,omitempty"`
	// DST says what the expression does when the clock of the zone steps. Nil
	// means [Quartz]. Copies of a Spec share it, so nobody changes what it
	// points to.
	DST *DST `json:"dst,omitempty"`
}

// Schedule answers when. Implementations are immutable and safe for concurrent
// use.
type Schedule interface {
	// Next returns the first firing strictly after the instant, in UTC, and
	// false when there is none.
	Next(after time.Time) (time.Time, bool)
}

// Validate reports the first thing wrong with s as an [*Error]. Beyond what
// Compile refuses it refuses a schedule that can never fire at any time, and
// fields that belong to another kind. A schedule whose firings have all passed
// is valid: only its user knows the time.
func (s Spec) Validate() error {
	compiled, err := s.Compile()
	if err != nil {
		return err
	}
	if err := s.checkStrangers(); err != nil {
		return err
	}
	if cron, ok := compiled.(*Cron); ok {
		return cron.checkFires()
	}
	return nil
}

// Compile makes the Schedule that s describes. Its errors are [*Error]. It
// reads the zone from the zone database, so callers keep the result.
func (s Spec) Compile() (Schedule, error) {
	zone, err := loadZone(s.Zone)
	if err != nil {
		return nil, err
	}
	switch s.Kind {
	case KindCron:
		return s.compileCron(zone)
	case KindEvery:
		return newRate(s.Every, s.Anchor)
	case KindOnce:
		return newSingle(s.At)
	case KindManual:
		return never{}, nil
	}
	return nil, &Error{
		Input: "kind", Message: fmt.Sprintf("%q is not a kind of schedule", s.Kind),
		Hint: "use cron, every, once or manual",
	}
}

func (s Spec) compileCron(zone *time.Location) (Schedule, error) {
	options := CronOptions{Zone: zone}
	if s.DST != nil {
		options.DST = *s.DST
	}
	if period, ok := everyText(s.Cron); ok {
		if err := options.DST.Validate(); err != nil {
			return nil, err
		}
		return parseEvery(s.Cron, period)
	}
	cron, err := ParseCronWith(s.Cron, options)
	if err != nil {
		return nil, err
	}
	return cron, nil
}

// String returns s in a few words for people.
func (s Spec) String() string {
	switch s.Kind {
	case KindCron:
		if s.Zone == "" {
			return fmt.Sprintf("cron %q", s.Cron)
		}
		return fmt.Sprintf("cron %q in %s", s.Cron, s.Zone)
	case KindEvery:
		return "every " + shortDuration(s.Every)
	case KindOnce:
		return "once at " + s.At.UTC().Format(time.RFC3339)
	case KindManual: // the word says it all
	}
	return string(s.Kind)
}

// checkStrangers refuses fields that belong to another kind, because their
// writer means something that will not happen. A zone is always welcome.
func (s Spec) checkStrangers() error {
	fields := []struct {
		name  string
		owner Kind
		set   bool
	}{
		{inputCron, KindCron, s.Cron != ""},
		{inputDST, KindCron, s.DST != nil},
		{"every", KindEvery, s.Every != 0},
		{"anchor", KindEvery, !s.Anchor.IsZero()},
		{"at", KindOnce, !s.At.IsZero()},
	}
	for _, f := range fields {
		if f.set && f.owner != s.Kind {
			return &Error{
				Input:   f.name,
				Message: fmt.Sprintf("is set, but the kind is %s", s.Kind),
				Hint:    fmt.Sprintf("leave it out or use the kind %s", f.owner),
			}
		}
	}
	return nil
}

// loadZone returns the location of an IANA name. "Local" is refused because
// it means something else on every machine.
func loadZone(name string) (*time.Location, error) {
	if name != "Local" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, &Error{
		Input: "zone", Message: fmt.Sprintf("the time zone %q is unknown", name),
		Hint: `use an IANA name such as "Asia/Shanghai", "Europe/Berlin" or "UTC"`,
	}
}

// checkInstant refuses an instant that nothing can fire at.
func checkInstant(input string, t time.Time) error {
	if year := t.UTC().Year(); year < MinYear || year > MaxYear {
		return &Error{
			Input: input, Message: fmt.Sprintf("the year %d is out of range", year),
			Hint: fmt.Sprintf("allowed are the years %d-%d", MinYear, MaxYear),
		}
	}
	return nil
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
