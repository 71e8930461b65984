package cron

import (
	"strings"

	"github.com/orthd/orth/schedule"
)

// defaultDST is the default preset for clock changes.
const defaultDST = "wall"

// isRate reports whether an expression is a rate, such as "@every 90s", which ignores
// clocks.
func isRate(expr string) bool {
	const every = "@every"
	expr = strings.TrimLeft(expr, " \t\r\n")
	return len(expr) >= len(every) && strings.EqualFold(expr[:len(every)], every)
}

// neverFires returns why an expression never fires, "" when it does fire.
func (a *solution) neverFires() string {
	if err := a.spec.ValidateWith(lookup(a.calendars)); err != nil {
		return err.Error()
	}
	return ""
}

// sentence describes an expression in words, with its zone.
func (a *solution) sentence(language string) string {
	return a.spec.Describe(schedule.Language(language))
}
