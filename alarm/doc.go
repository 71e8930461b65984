// Package alarm defines the types of alerting: rules, channels, silences, alarms, and the
// messages about them.
//
// It validates rules, channels and silences, and computes when a silence holds. It does not
// know storage, transports or the state of runs. All functions are pure.
package alarm
