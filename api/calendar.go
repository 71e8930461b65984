package api

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// Calendar defines the days on which jobs that refer to it may fire.
type Calendar struct {
	Namespace string         `json:"namespace" doc:"The namespace; with the key it is unique."`
	Key       string         `json:"key" doc:"The key by which jobs refer to it."`
	Title     string         `json:"title,omitempty" doc:"A text for people."`
	Rules     calendar.Rules `json:"rules"`
	Version   int64          `json:"version" doc:"Grows with each change."`
	CreatedAt Time           `json:"created_at" format:"date-time"`
	UpdatedAt Time           `json:"updated_at" format:"date-time"`
}

// CalendarText is a calendar to be written: from rules, from a text in a foreign
// format, or from the holiday data that comes with the server. Exactly one of
// Rules, Text and Shipped is given.
type CalendarText struct {
	Title    string          `json:"title,omitempty" doc:"A text for people, at most 200 characters."`
	Rules    *calendar.Rules `json:"rules,omitempty"`
	Format   string          `json:"format,omitempty" enum:"ics,csv" doc:"The format of text."`
	Text     string          `json:"text,omitempty" maxLength:"524288" doc:"An iCalendar file, or CSV lines of date,name[,type] where type work marks a working day that makes up for a holiday."`
	Shipped  string          `json:"shipped,omitempty" example:"cn" doc:"The key of holiday data that comes with the server."`
	Weekends *bool           `json:"weekends,omitempty" doc:"Whether Saturdays and Sundays are excluded too, for text and shipped. Defaults to true."`
	Version  int64           `json:"version,omitempty" doc:"The version that the change was made from; 0 writes a new calendar or over any version."`
}

// CalendarSaved is a saved calendar, with the parts of its text that could not be imported.
type CalendarSaved struct {
	Calendar Calendar `json:"calendar"`
	Warnings []string `json:"warnings,omitempty" nullable:"false"`
}

// CalendarList is the calendars of a namespace in order of key, without their
// single days, ranges and yearly rules: ask for one calendar to see those.
type CalendarList struct {
	Calendars []Calendar `json:"calendars" nullable:"false"`
}

// ShippedCalendar is holiday data that comes with the server.
type ShippedCalendar struct {
	Key       string `json:"key" example:"de-by"`
	Title     string `json:"title" example:"Germany, Bavaria"`
	FirstYear int    `json:"first_year"`
	LastYear  int    `json:"last_year" doc:"The last year that the data covers."`
	Source    string `json:"source" doc:"The package that the data was made from, with its version."`
}

// ShippedCalendarList is all holiday data that comes with the server.
type ShippedCalendarList struct {
	Calendars []ShippedCalendar `json:"calendars" nullable:"false"`
}

// FromCalendar returns the calendar as the API shows it.
func FromCalendar(c job.Calendar) Calendar {
	return Calendar{
		Namespace: c.Namespace, Key: c.Key, Title: c.Title, Rules: c.Rules, Version: c.Version,
		CreatedAt: At(c.CreatedAt), UpdatedAt: At(c.UpdatedAt),
	}
}
