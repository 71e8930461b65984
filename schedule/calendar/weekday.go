package calendar

import (
	"fmt"
	"strings"
	"time"
)

// Weekday is a day of the week. Its text is "MON".."SUN".
type Weekday time.Weekday

// weekdayNames are the texts in the order of time.Weekday, three bytes each.
const weekdayNames = "SUNMONTUEWEDTHUFRISAT"

const weekdayHint = "use MON, TUE, WED, THU, FRI, SAT or SUN"

// ParseWeekday reads "MON".."SUN" in any case.
func ParseWeekday(text string) (Weekday, error) {
	if len(text) == 3 {
		if at := strings.Index(weekdayNames, strings.ToUpper(text)); at >= 0 && at%3 == 0 {
			return Weekday(at / 3), nil
		}
	}
	return 0, fmt.Errorf("%.20q is no weekday: %s", text, weekdayHint)
}

// String returns the text of w.
func (w Weekday) String() string {
	if !w.exists() {
		return fmt.Sprintf("weekday %d", int(w))
	}
	return weekdayNames[3*w : 3*w+3]
}

// MarshalText returns the text of w. A number that is no weekday is an error.
func (w Weekday) MarshalText() ([]byte, error) {
	if !w.exists() {
		return nil, fmt.Errorf("%d is no weekday: Sunday is 0, Saturday 6", int(w))
	}
	return []byte(w.String()), nil
}

// UnmarshalText reads what [ParseWeekday] reads.
func (w *Weekday) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWeekday(string(text))
	return err
}

func (w Weekday) exists() bool { return w >= 0 && w <= 6 }
