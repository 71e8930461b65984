package schedule

import (
	"fmt"
	"strings"
)

// Error is what is wrong with a [Spec] or an expression, in the user's words.
type Error struct {
	// Input is the JSON name of the Spec's field at fault, such as "cron".
	Input string
	// Field is the field of a cron expression, such as "day-of-month". It is
	// empty when the fault is not inside one.
	Field string
	// Pos is the column of the fault in the expression, in bytes, the first
	// being 1. Zero means that the fault has no place.
	Pos int
	// Message is the error and Hint what is allowed instead; the hint may be empty. Neither
	// repeats Input, Field or Pos.
	Message string
	Hint    string
}

// inputCron is the Input of a fault in an expression.
const inputCron = "cron"

// Error returns the place, the message and the hint in one line.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Field != "" && e.Pos > 0:
		fmt.Fprintf(&b, "%s (column %d): ", e.Field, e.Pos)
	case e.Field != "":
		fmt.Fprintf(&b, "%s: ", e.Field)
	case e.Pos > 0:
		fmt.Fprintf(&b, "column %d: ", e.Pos)
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// quote is a text of the user in quotes, as far as it is worth showing.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
