// Package holidays reads calendars that others made: iCalendar files, CSV lists,
// and the holiday data that comes with the program.
//
// It knows those formats. It must never know jobs, schedules or where a text was
// read from. Texts come in; rules of a calendar go out, with what was left out of
// them, in words.
package holidays
