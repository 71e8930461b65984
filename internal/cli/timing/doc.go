// Package timing parses and formats what command lines write about time: instants, zones,
// schedules, cron expressions and the files of calendars.
//
// It knows flags by name and how their errors read, and neither a server nor the state
// of a command. Input is text; output is values, and usage errors that mark the place.
package timing
