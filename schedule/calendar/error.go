package calendar

import "fmt"

// Error is what is wrong with rules, in the user's words.
type Error struct {
	// Input is the JSON path of the entry at fault, such as "yearly[2].rule".
	Input string
	// Message says what is wrong, Hint what is allowed instead; the hint may
	// be empty.
	Message string
	Hint    string
}

// Error returns the place, the message and the hint in one line.
func (e *Error) Error() string {
	text := e.Input + ": " + e.Message
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// within returns e with the place of the list in front of its own.
func (e *Error) within(list string, i int) *Error {
	e.Input = fmt.Sprintf("%s[%d].%s", list, i, e.Input)
	return e
}
