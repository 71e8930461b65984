package sqlstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
)

// The types below receive columns without reflection. A pointer to a field is
// converted to a pointer to one of them; NULL becomes the zero value.
type (
	integer int64
	count   int
	text    string
	truth   bool
	instant time.Time
	period  time.Duration // stored in milliseconds
	rank    job.Priority  // stored as its rank; normal is none
)

// Scan implements sql.Scanner.
func (v *integer) Scan(src any) error { return scanInt(src, v) }

// Scan implements sql.Scanner.
func (v *count) Scan(src any) error { return scanInt(src, v) }

func scanInt[T ~int | ~int64](src any, v *T) error {
	switch s := src.(type) {
	case int64:
		*v = T(s)
	case bool: // the result of a comparison in databases with truth values
		*v = T(bit(s))
	case nil:
		*v = 0
	default:
		return fmt.Errorf("column holds a %T, not a number", src)
	}
	return nil
}

// Scan implements sql.Scanner.
func (v *text) Scan(src any) error {
	switch s := src.(type) {
	case string:
		*v = text(s)
	case []byte:
		*v = text(s)
	case nil:
		*v = ""
	default:
		return fmt.Errorf("column holds a %T, not a text", src)
	}
	return nil
}

// Scan implements sql.Scanner.
func (v *truth) Scan(src any) error {
	var n int64
	err := scanInt(src, &n)
	*v = n != 0
	return err
}

// Scan implements sql.Scanner.
func (v *instant) Scan(src any) error {
	var n int64
	err := scanInt(src, &n)
	*v = instant(job.FromMillis(n))
	return err
}

// Scan implements sql.Scanner.
func (v *period) Scan(src any) error {
	var n int64
	err := scanInt(src, &n)
	*v = period(time.Duration(n) * time.Millisecond)
	return err
}

// Scan implements sql.Scanner.
func (v *rank) Scan(src any) error {
	var n int64
	err := scanInt(src, &n)
	switch n {
	case 0:
		*v = rank(job.PriorityHigh)
	case 2:
		*v = rank(job.PriorityLow)
	default:
		*v = ""
	}
	return err
}

// document receives JSON text.
type document[T any] struct{ into *T }

// Scan implements sql.Scanner. Nothing, {} and [] are the zero value.
func (d document[T]) Scan(src any) error {
	var raw text
	if err := raw.Scan(src); err != nil {
		return err
	}
	var value T
	if raw != "" && raw != "{}" && raw != "[]" {
		if err := json.Unmarshal([]byte(raw), &value); err != nil {
			return fmt.Errorf("column holds no %T: %w", value, err)
		}
	}
	*d.into = value
	return nil
}

// encode returns a value as JSON text.
func encode(value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", job.Errorf(job.Invalid, "it cannot be stored as JSON: %w", err)
	}
	return string(raw), nil
}

// encodeIDs returns ids as JSON text; none are [].
func encodeIDs(ids []int64) (string, error) {
	if len(ids) == 0 {
		return "[]", nil
	}
	return encode(ids)
}

// nullable returns an instant as an argument: the zero time is NULL.
func nullable(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// optional returns a text as an argument: nil is NULL.
func optional(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// whole returns a duration in milliseconds, rounded up.
func whole(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
