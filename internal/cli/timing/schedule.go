package timing

import (
	"errors"
	"strconv"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// ParseDST returns the rules of a preset.
func ParseDST(name string) (schedule.DST, error) {
	rules, err := schedule.PresetDST(name)
	if wrong, ok := errors.AsType[*schedule.Error](err); ok {
		return rules, &InputError{Place: "dst", Text: wrong.Message + ": " + wrong.Hint}
	}
	return rules, err
}

// CheckSchedule validates a schedule locally and marks the error in its text. The server
// validates everything that depends on calendars.
func CheckSchedule(when api.Schedule) error {
	spec := when.Spec()
	// These are the server's defaults.
	wall := schedule.Wall()
	for _, s := range append([]*schedule.Spec{&spec}, members(spec.Of)...) {
		if s.DST == nil && (s.Kind == schedule.KindCron || s.Kind == schedule.KindDaily) {
			s.DST = &wall
		}
	}
	open, err := calendar.Rules{}.Compile()
	if err != nil {
		return err
	}
	err = spec.ValidateWith(func(string) *calendar.Calendar { return open })
	wrong, ok := errors.AsType[*schedule.Error](err)
	if !ok {
		return err
	}
	field, text := wrong.Input, spec.Cron+spec.Daily
	if at, rest, found := strings.Cut(strings.TrimPrefix(field, "of["), "]."); found {
		field = rest
		if i, err := strconv.Atoi(at); err == nil && i >= 0 && i < len(spec.Of) {
			text = spec.Of[i].Cron + spec.Of[i].Daily
		}
	}
	place := FlagOf("schedule." + field)
	if place == "schedule."+field {
		place = FlagOf(field)
	}
	return output.UsageError{Text: place + ": " + DescribeScheduleError(wrong, text)}
}

// members returns pointers to the schedules of a list.
func members(of []schedule.Spec) []*schedule.Spec {
	all := make([]*schedule.Spec, len(of))
	for i := range of {
		all[i] = &of[i]
	}
	return all
}

// DescribeScheduleError describes an error in a text, with the text and a mark below the error.
func DescribeScheduleError(wrong *schedule.Error, text string) string {
	described := wrong.Message
	if wrong.Field != "" {
		described = wrong.Field + ": " + described
	}
	if wrong.Pos > 0 {
		shown, column := Excerpt(text, wrong.Pos-1)
		described += "\n        " + shown + "\n        " + strings.Repeat(" ", column) + "^"
	}
	if wrong.Hint != "" {
		described += "\n      " + wrong.Hint
	}
	return described
}

// NeedsZone reports whether one of the times is a local time.
func NeedsZone(times []string) bool {
	for _, text := range times {
		if text != "" && !HasOffset(text) {
			return true
		}
	}
	return false
}
