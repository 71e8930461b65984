package schedule

import (
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/schedule/calendar"
)

// Describe returns s as one sentence without a full stop, in the words of
// [Cron.Describe]. Wall times are followed by their zone, instants are in UTC.
// The schedules of a Several follow each other behind semicolons, as far as they
// fit. For a schedule that does not compile, whatever its calendars, it returns
// what [Spec.String] does.
func (s Spec) Describe(l Language) string {
	unknown := func(string) *calendar.Calendar { return &calendar.Calendar{} }
	if _, err := s.CompileWith(unknown); err != nil {
		return s.String()
	}
	if l == Chinese {
		return s.tell(chinesePhrases())
	}
	return s.tell(englishPhrases())
}

// phrases are the sentences about a Spec that a language has.
type phrases struct {
	language Language
	cron     func(text, zone string) string // an expression that was described, in its zone
	rate     func(every time.Duration, anchor time.Time) string
	delay    func(after time.Duration) string
	daily    func(d Daily, zone string) string
	once     func(at time.Time, delay time.Duration) string // the zero at is not yet known
	manual   func() string
	// several joins the sentences of schedules and adds how many more there are. modified
	// is set when a modification of all of them follows.
	several func(sentences []string, more int, modified bool) string

	// These are put behind a sentence.
	bounds    func(start, end time.Time) string
	atMost    func(n int) string
	calendars func(keys []string, zone, moved string) string // zone is empty when the sentence has it already
	// These describe the handling of a firing that a calendar moves: of any kind when it is
	// shifted, and of a delay.
	shifted, waits string
	jitter         func(jitter, offset time.Duration) string
}

// tell puts the sentence together. The Spec compiles.
func (s Spec) tell(in phrases) string {
	text := ""
	if !s.Start.IsZero() || !s.End.IsZero() {
		text += in.bounds(s.Start, s.End)
	}
	if s.Count > 0 {
		text += in.atMost(s.Count)
	}
	if len(s.Calendars) > 0 {
		text += s.tellCalendars(in)
	}
	if s.Jitter > 0 {
		text += in.jitter(s.Jitter, jitterOf(s.Jitter, s.Seed))
	}
	return s.tellKind(in, text != "") + text
}

// tellCalendars describes the calendars and their effect.
func (s Spec) tellCalendars(in phrases) string {
	zone, moved := s.Zone, ""
	if _, period := everyText(s.Cron); s.Kind == KindDaily || s.Kind == KindCron && !period {
		zone = ""
	}
	switch {
	case s.Excluded == ExcludedShift:
		moved = in.shifted
	case s.Kind == KindAfter:
		moved = in.waits
	}
	return in.calendars(s.Calendars, zone, moved)
}

// tellKind is the sentence without the bounds, the calendars and the jitter. modified is
// set when they follow.
func (s Spec) tellKind(in phrases, modified bool) string {
	zone := s.Zone
	if zone == "" {
		zone = time.UTC.String()
	}
	switch s.Kind {
	case KindCron:
		return s.tellCron(in, zone)
	case KindEvery:
		return in.rate(s.Every, s.Anchor)
	case KindAfter:
		return in.delay(s.After)
	case KindDaily:
		d, _ := ParseDaily(s.Daily)
		return in.daily(d, zone)
	case KindOnce:
		return in.once(s.At, s.Delay)
	case KindSeveral:
		return s.tellMembers(in, modified)
	case KindManual: // below
	}
	return in.manual()
}

// tellCron describes an expression of any form.
func (s Spec) tellCron(in phrases, zone string) string {
	compiled, _ := Spec{Kind: KindCron, Cron: s.Cron, Zone: zone, DST: s.DST}.Compile()
	switch c := compiled.(type) {
	case *Cron:
		return in.cron(c.Describe(in.language), zone)
	case rate: // "@every 90s"
		return in.rate(time.Duration(c.period)*time.Millisecond, time.Time{})
	}
	return s.String()
}

// tellMembers describes the schedules of a Several, as far as they fit.
func (s Spec) tellMembers(in phrases, modified bool) string {
	var sentences []string
	length := 0
	for i := range s.Of {
		sentence := s.member(i).tell(in)
		if length += utf8.RuneCountInString(sentence); length > maxDescription && i > 0 {
			break
		}
		sentences = append(sentences, sentence)
	}
	return in.several(sentences, len(s.Of)-len(sentences), modified)
}

// clocks returns the begin and the end of the window as a clock shows them.
func (d Daily) clocks() (from, to string) {
	seconds := d.From%time.Minute != 0 || d.To%time.Minute != 0
	text := func(at time.Duration) string {
		second := int(at / time.Second)
		return clockTime{second / 3600, second / 60 % 60, second % 60}.text(seconds)
	}
	return text(d.From), text(d.To)
}

// weekOutline is an outline that knows only the weekdays of a set.
func weekOutline(set uint8) *outline {
	return &outline{days: days{byWeek: true, weekdays: uint32(set)}, months: pattern{shape: shapeAll}}
}
