// Package alarms implements orth alarm: alarms, their rules, channels, messages and silences.
//
// It translates flags into requests of the API. Whether an event raises an alarm, and
// who receives it, is decided by the server.
package alarms
