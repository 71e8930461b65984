package message

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/orthd/orth/schedule"
)

// Error is an error with a [Message], which the console can show in the reader's language.
type Error struct {
	Message

	err error
}

// Errorf returns an error with the message that [New] formats. Use %v, not %w, in format.
func Errorf(code, format string, args ...any) error {
	return &Error{New(code, format, args...), fmt.Errorf(format, args...)}
}

// Wrap gives err a code and arguments and keeps its text. It returns nil for nil.
func Wrap(err error, code string, args ...string) error {
	if err == nil {
		return nil
	}
	return &Error{Message{code, args, err.Error()}, err}
}

// Error returns the English sentence.
func (c *Error) Error() string { return c.Text }

// Unwrap returns the wrapped error.
func (c *Error) Unwrap() error { return c.err }

// FromError returns the message "lead: err". If err wraps an [Error], the message has that
// error's code and arguments. Otherwise its code is code and its only argument is err.
func FromError(code, lead string, err error) Message {
	m := Message{code, []string{err.Error()}, lead + ": " + err.Error()}
	if cause, ok := errors.AsType[*Error](err); ok {
		m.Code, m.Args = cause.Code, cause.Args
	}
	return m
}

// WrapSchedule gives an error of a cron expression or a time zone its code: which field is
// invalid, and at which column. It returns other errors unchanged.
func WrapSchedule(err error, spec *schedule.Spec) error {
	fault, ok := errors.AsType[*schedule.Error](err)
	switch {
	case !ok:
		return err
	case fault.Input == "zone":
		return Wrap(err, "zone-unknown", spec.Zone)
	case fault.Input != "cron":
		return err
	case len(spec.Cron) > schedule.MaxExpression:
		return Wrap(err, "cron-long", strconv.Itoa(schedule.MaxExpression))
	case fault.Pos == 0:
		return Wrap(err, "cron-never", spec.Cron)
	}
	code := "cron-shape"
	if fault.Field != "" {
		code = "cron-" + fault.Field
	}
	return Wrap(err, code, spec.Cron, strconv.Itoa(fault.Pos))
}

// ScheduleCodes returns the codes that [WrapSchedule] gives.
func ScheduleCodes() []string {
	return []string{
		"cron-day-of-month", "cron-day-of-week", "cron-hour", "cron-long", "cron-minute", "cron-month", "cron-never", "cron-second", "cron-shape", "cron-year", "zone-unknown",
	}
}
