package saying

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/orthd/orth/schedule"
)

// Error is an error that pages can say in the language of their readers.
type Error struct {
	Said

	err error
}

// Because returns the error that [Say] says.
func Because(code, format string, args ...any) error {
	return &Error{Say(code, format, args...), fmt.Errorf(format, args...)}
}

// Coded returns an error with its own text, a code and what stands in it; nil for nil.
func Coded(err error, code string, args ...string) error {
	if err == nil {
		return nil
	}
	return &Error{Said{code, args, err.Error()}, err}
}

// Error returns the sentence in English.
func (c *Error) Error() string { return c.Text }

// Unwrap returns the error that has been given a code.
func (c *Error) Unwrap() error { return c.err }

// After returns the sentence of a lead and of the error behind it. When a [Error] is
// within the error, its code says both; otherwise code does, and the error is its
// argument.
func After(code, lead string, err error) Said {
	said := Said{code, []string{err.Error()}, lead + ": " + err.Error()}
	if cause, ok := errors.AsType[*Error](err); ok {
		said.Code, said.Args = cause.Code, cause.Args
	}
	return said
}

// OfSchedule gives a fault of a schedule a code: which field of its expression is wrong,
// and at which column. Other faults than those of expressions and zones are returned as
// they are.
func OfSchedule(err error, of *schedule.Spec) error {
	fault, ok := errors.AsType[*schedule.Error](err)
	switch {
	case !ok:
		return err
	case fault.Input == "zone":
		return Coded(err, "zone-unknown", of.Zone)
	case fault.Input != "cron":
		return err
	case len(of.Cron) > schedule.MaxExpression:
		return Coded(err, "cron-long", strconv.Itoa(schedule.MaxExpression))
	case fault.Pos == 0:
		return Coded(err, "cron-never", of.Cron)
	}
	code := "cron-shape"
	if fault.Field != "" {
		code = "cron-" + fault.Field
	}
	return Coded(err, code, of.Cron, strconv.Itoa(fault.Pos))
}

// Faults are the codes that OfSchedule gives.
func Faults() []string {
	return []string{
		"cron-day-of-month", "cron-day-of-week", "cron-hour", "cron-long", "cron-minute", "cron-month", "cron-never", "cron-second", "cron-shape", "cron-year", "zone-unknown",
	}
}
