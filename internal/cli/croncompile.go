package cli

import (
	"errors"
	"strings"

	"github.com/orthd/orth/schedule"
)

// defaultDST is the preset of the rules for clock changes.
const defaultDST = "wall"

// readDST returns the rules of a preset.
func readDST(name string) (schedule.DST, error) {
	rules, err := schedule.PresetDST(name)
	if wrong, ok := errors.AsType[*schedule.Error](err); ok {
		return rules, &cronError{place: "dst", text: wrong.Message + ": " + wrong.Hint}
	}
	return rules, err
}

// isRate reports whether an expression is a rate, such as "@every 90s", and has
// nothing to do with clocks.
func isRate(expr string) bool {
	const every = "@every"
	expr = strings.TrimLeft(expr, " \t\r\n")
	return len(expr) >= len(every) && strings.EqualFold(expr[:len(every)], every)
}

// neverFires returns why the expression fires at no time at all, "" when it does
// fire.
func (a *cronAnswer) neverFires() string {
	if err := a.spec.ValidateWith(lookup(a.calendars)); err != nil {
		return err.Error()
	}
	return ""
}

// sentence says in words when the expression fires, with its zone.
func (a *cronAnswer) sentence(language string) string {
	return a.spec.Describe(schedule.Language(language))
}
