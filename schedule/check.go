package schedule

import (
	"fmt"
	"slices"
	"time"
)

// inputCalendars is the Input of a fault with the calendars.
const inputCalendars = "calendars"

// Validate is [Spec.ValidateWith] for a schedule that names no calendars.
func (s Spec) Validate() error { return s.ValidateWith(nil) }

// ValidateWith reports the first thing wrong with s as an [*Error]. Beyond what
// CompileWith refuses it refuses a schedule that can never fire at any time, and
// fields that belong to another kind. A schedule whose firings have all passed
// is valid: only its user knows the time.
func (s Spec) ValidateWith(calendars Calendars) error {
	compiled, err := s.CompileWith(calendars)
	if err != nil {
		return err
	}
	if err := s.checkStrangers(); err != nil {
		return err
	}
	for i := range s.Of {
		if err := s.member(i).ValidateWith(calendars); err != nil {
			return inMember(i, err)
		}
	}
	return s.checkFires(compiled)
}

// checkFires refuses a schedule without any firing, with the reason.
func (s Spec) checkFires(compiled Schedule) error {
	m, ok := compiled.(*modified)
	inner := compiled
	if ok {
		inner = m.inner
	}
	if cron, ok := inner.(*Cron); ok {
		if err := cron.checkFires(); err != nil {
			return err
		}
	}
	if _, waits := inner.(never); m == nil || waits {
		return nil
	}
	if _, fires := m.Next(time.Time{}); fires {
		return nil
	}
	if _, named := m.named(time.Time{}); !named {
		input := "end"
		if s.End.IsZero() {
			input = "start"
		}
		return &Error{
			Input: input, Message: "the schedule never fires: none of its firings lies between start and end",
			Hint: "change start, end or the schedule",
		}
	}
	return &Error{
		Input: inputCalendars, Message: "the schedule never fires: each of its firings is on a day that its calendars do not allow",
		Hint: "change the days of the schedule or its calendars, or let excluded shift the firings, by at most a year",
	}
}

// checkStrangers refuses fields that belong to another kind, because their
// writer means something that will not happen. A zone and a seed are always
// welcome.
func (s Spec) checkStrangers() error {
	fields := []struct {
		name   string
		owners []Kind
		set    bool
	}{
		{inputCron, []Kind{KindCron}, s.Cron != ""},
		{inputDST, []Kind{KindCron, KindDaily}, s.DST != nil},
		{"every", []Kind{KindEvery}, s.Every != 0},
		{"anchor", []Kind{KindEvery}, !s.Anchor.IsZero()},
		{"after", []Kind{KindAfter}, s.After != 0},
		{"daily", []Kind{KindDaily}, s.Daily != ""},
		{"at", []Kind{KindOnce}, !s.At.IsZero()},
		{"delay", []Kind{KindOnce}, s.Delay != 0},
		{"of", []Kind{KindSeveral}, len(s.Of) > 0},
	}
	for _, f := range fields {
		if f.set && !slices.Contains(f.owners, s.Kind) {
			return s.stranger(f.name, fmt.Sprintf("leave it out or use the kind %s", f.owners[0]))
		}
	}
	modifiers := []struct {
		name string
		set  bool
	}{
		{"start", !s.Start.IsZero()},
		{"end", !s.End.IsZero()},
		{"count", s.Count != 0},
		{"jitter", s.Jitter != 0},
		{inputCalendars, len(s.Calendars) > 0},
		{"excluded", s.Excluded != ""},
	}
	for _, m := range modifiers {
		if m.set && s.Kind == KindManual {
			return s.stranger(m.name, "leave it out or use a kind that fires by itself")
		}
	}
	if s.Jitter != 0 && s.Kind == KindAfter {
		return s.stranger("jitter", "leave it out: each firing follows the end of a run")
	}
	if s.Excluded == ExcludedShift && len(s.Calendars) == 0 {
		return &Error{
			Input: "excluded", Message: "is shift, but no calendar excludes a day",
			Hint: "name calendars or leave it out",
		}
	}
	return nil
}

func (s Spec) stranger(input, hint string) error {
	return &Error{Input: input, Message: fmt.Sprintf("is set, but the kind is %s", s.Kind), Hint: hint}
}

// checkModifiers refuses bounds, a count, a jitter and names of calendars that
// cannot be.
func (s Spec) checkModifiers() error {
	if err := s.checkBounds(); err != nil {
		return err
	}
	if s.Count < 0 || s.Count > MaxCount {
		return &Error{
			Input: "count", Message: fmt.Sprintf("%d is out of range", s.Count),
			Hint: fmt.Sprintf("allowed are 1-%d, or none for no bound", MaxCount),
		}
	}
	if err := checkJitter(s.Jitter); err != nil {
		return err
	}
	switch s.Excluded {
	case "", ExcludedSkip, ExcludedShift:
	default:
		return &Error{
			Input: "excluded", Message: quote(string(s.Excluded)) + " is not a way to treat firings on excluded days",
			Hint: "use skip or shift",
		}
	}
	return s.checkCalendars()
}

func (s Spec) checkBounds() error {
	for _, bound := range []struct {
		input string
		at    time.Time
	}{{"start", s.Start}, {"end", s.End}} {
		if bound.at.IsZero() {
			continue
		}
		if err := checkInstant(bound.input, bound.at); err != nil {
			return err
		}
	}
	if !s.Start.IsZero() && !s.End.IsZero() && !s.End.After(s.Start) {
		return &Error{
			Input: "end", Message: fmt.Sprintf("%s is not after the start, %s", instantText(s.End), instantText(s.Start)),
			Hint: "the end itself is not included, so give a later one",
		}
	}
	return nil
}

func (s Spec) checkCalendars() error {
	wrong := &Error{Input: inputCalendars}
	if n := len(s.Calendars); n > MaxCalendars {
		wrong.Message = fmt.Sprintf("there are %d of them", n)
		wrong.Hint = fmt.Sprintf("at most %d are allowed", MaxCalendars)
		return wrong
	}
	for i, key := range s.Calendars {
		switch {
		case key == "":
			wrong.Message, wrong.Hint = "a name is empty", "name a calendar or leave it out"
			return wrong
		case slices.Contains(s.Calendars[:i], key):
			wrong.Message, wrong.Hint = fmt.Sprintf("the calendar %s is named twice", quote(key)), "name it once"
			return wrong
		}
	}
	return nil
}
