package calendar

// Mode says what naming a day means. The values are stored and served as they
// are.
type Mode string

// The modes.
const (
	// ModeExclude forbids the days that the rules name and allows the others.
	ModeExclude Mode = "exclude"
	// ModeOnly allows the days that the rules name and forbids the others.
	ModeOnly Mode = "only"
)

// Limits of a calendar.
const (
	MaxDays   = 5_000 // entries of Dates and Except, each
	MaxRanges = 1_000
	MaxYearly = 200
	MaxName   = 100 // characters of a name
	MaxSource = 300 // characters of a source
)

// Rules are a calendar as people write it and as it is stored. A day is named
// when it is among Weekdays, Dates, Ranges or Yearly and not in Except.
type Rules struct {
	// Mode defaults to "exclude".
	Mode Mode `json:"mode,omitempty"`
	// Weekdays are named every week.
	Weekdays []Weekday `json:"weekdays,omitempty"`
	// Dates are single days, Ranges several in a row.
	Dates  []Day   `json:"dates,omitempty"`
	Ranges []Range `json:"ranges,omitempty"`
	// Yearly are days that come again each year.
	Yearly []Yearly `json:"yearly,omitempty"`
	// Except are days that nothing above names, whatever it says: the
	// Saturday that makes up for a holiday.
	Except []Day `json:"except,omitempty"`
	// KnownUntil is the last day that the rules were made for, when they come
	// from data that ends. The days after it follow the rules as they stand.
	KnownUntil Date `json:"known_until,omitzero"`
	// Source says where the rules come from, for people.
	Source string `json:"source,omitempty"`
}

// Day is a date with the name of its occasion, which may be empty.
type Day struct {
	Date Date   `json:"date"`
	Name string `json:"name,omitempty"`
}

// Range is the days from From to To, both included.
type Range struct {
	From Date   `json:"from"`
	To   Date   `json:"to"`
	Name string `json:"name,omitempty"`
}

// Yearly is a day that comes each year.
type Yearly struct {
	// Rule is one of
	//
	//	12-25       a month and a day; 02-29 only in leap years
	//	11-THU#4    the fourth Thursday of November, #1..#5
	//	05-MONL     the last Monday of May
	//	easter-2    two days before Easter Sunday; easter, easter+1
	//	orthodox+1  the same by the Orthodox reckoning
	//
	// Months and days have two digits, Easter is at most 300 days away.
	Rule string `json:"rule"`
	Name string `json:"name,omitempty"`
	// Observed moves a day that falls on a weekend; empty leaves it.
	Observed Observed `json:"observed,omitempty"`
	// FromYear and ToYear bound the years, both included; zero means no bound.
	// They are the years of the rule: New Year's Day that is kept on December
	// 31 belongs to the year that it begins.
	FromYear int `json:"from_year,omitempty"`
	ToYear   int `json:"to_year,omitempty"`
}

// Observed says on which day a holiday is kept that falls on a weekend. The day
// itself is then no longer named; Weekdays may name it all the same.
type Observed string

// The ways to keep a holiday.
const (
	// ObservedNearest keeps Saturday's on Friday and Sunday's on Monday.
	ObservedNearest Observed = "nearest"
	// ObservedMonday keeps both on the Monday that follows.
	ObservedMonday Observed = "monday"
)
