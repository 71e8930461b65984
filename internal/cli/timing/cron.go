package timing

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// InputError reports an invalid part of a question.
type InputError struct {
	Place string // flag name of the part, without dashes: "zone"
	Text  string
}

// Error returns the part and the text.
func (e *InputError) Error() string { return e.Place + ": " + e.Text }

// ExplainCronError turns an invalid question into a usage error. It prints the expression with
// a mark below the error.
func ExplainCronError(expr string, err error) error {
	if wrong, ok := errors.AsType[*InputError](err); ok {
		return output.Usagef("--%s: %s", wrong.Place, wrong.Text)
	}
	wrong, ok := errors.AsType[*schedule.Error](err)
	if !ok {
		return err
	}
	return output.UsageError{Text: "EXPR: " + DescribeScheduleError(wrong, expr)}
}

// Excerpt returns the part of an expression around a byte, short enough for a terminal
// line, and the column of the byte in it.
func Excerpt(expr string, at int) (shown string, column int) {
	const before, most = 40, 72
	at = min(max(at, 0), len(expr))
	column = utf8.RuneCountInString(expr[:at])
	runes := []rune(output.Printable(expr))
	if column > before && len(runes) > most {
		skip := min(column-before, len(runes)-before)
		runes = append([]rune("…"), runes[skip:]...)
		column -= skip - 1
	}
	if len(runes) > most {
		runes = append(runes[:most-1:most-1], '…')
	}
	return string(runes), column
}

// Zones caches time zones: loading one takes longer than the rest of a question. It
// is not safe for concurrent use.
type Zones map[string]*time.Location

// maxZones is the maximum number of cached zones. About 600 zones exist, so the limit is
// never reached.
const maxZones = 2048

// Load returns a zone. It rejects "Local", which differs between machines.
func (z Zones) Load(name string) (*time.Location, error) {
	if zone, ok := z[name]; ok {
		return zone, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, &InputError{Place: "zone", Text: fmt.Sprintf(
			`unknown time zone %q: use an IANA name such as "Asia/Shanghai", "Europe/Berlin" or "UTC"`, name)}
	}
	if len(z) < maxZones {
		z[name] = zone
	}
	return zone, nil
}
