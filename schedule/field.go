package schedule

import "fmt"

// field is one column of an expression.
type field int

const (
	fieldSecond field = iota
	fieldMinute
	fieldHour
	fieldDate
	fieldMonth
	fieldWeekday
	fieldYear
	fieldCount
)

// fieldRule is what the dialect allows in a field.
type fieldRule struct {
	name     string
	min, max int
	maxStep  int
	names    []string // three capital letters each; names[0] means min
}

var fieldRules = [fieldCount]fieldRule{
	fieldSecond:  {name: "second", min: 0, max: 59, maxStep: 59},
	fieldMinute:  {name: "minute", min: 0, max: 59, maxStep: 59},
	fieldHour:    {name: "hour", min: 0, max: 23, maxStep: 23},
	fieldDate:    {name: "day-of-month", min: 1, max: 31, maxStep: 31},
	fieldMonth:   {name: "month", min: 1, max: 12, maxStep: 12, names: monthNames},
	fieldWeekday: {name: "day-of-week", min: 1, max: 7, maxStep: 7, names: weekdayNames},
	fieldYear:    {name: "year", min: MinYear, max: MaxYear, maxStep: maxNumber},
}

var (
	monthNames = []string{
		"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
	}
	weekdayNames = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
)

// maxNumber bounds the numbers of an expression; six digits are plenty.
const maxNumber = 999999

// allowed describes the values that a field may hold.
func (f field) allowed() string {
	switch f {
	case fieldDate:
		return "allowed are 1-31, * ? L LW L-3 15W, lists, ranges and steps"
	case fieldMonth:
		return "allowed are 1-12 or JAN-DEC, *, lists, ranges and steps"
	case fieldWeekday:
		return "allowed are 1-7 (1 is Sunday) or SUN-SAT, * ? L 6L 6#3, lists, ranges and steps"
	default:
		r := fieldRules[f]
		return fmt.Sprintf("allowed are %d-%d, *, lists, ranges and steps", r.min, r.max)
	}
}

// number returns the value of a name of three capital letters.
func (r *fieldRule) number(name string) (int, bool) {
	for i, known := range r.names {
		if known == name {
			return r.min + i, true
		}
	}
	return 0, false
}

// bitset is a set of small numbers.
type bitset uint64

func (b bitset) has(n int) bool { return b>>uint(n)&1 != 0 }
func (b *bitset) add(n int)     { *b |= 1 << uint(n) }

// yearSet is a set of the years MinYear..MaxYear; others are not kept.
type yearSet [(MaxYear-MinYear)/64 + 1]bitset

func (s *yearSet) add(year int) {
	if year >= MinYear && year <= MaxYear {
		s[(year-MinYear)/64].add((year - MinYear) % 64)
	}
}

// next returns the first year of the set at or after year.
func (s *yearSet) next(year int) (int, bool) {
	for y := max(year, MinYear); y <= MaxYear; y++ {
		if s[(y-MinYear)/64].has((y - MinYear) % 64) {
			return y, true
		}
	}
	return 0, false
}

// prev returns the last year of the set at or before year.
func (s *yearSet) prev(year int) (int, bool) {
	for y := min(year, MaxYear); y >= MinYear; y-- {
		if s[(y-MinYear)/64].has((y - MinYear) % 64) {
			return y, true
		}
	}
	return 0, false
}
