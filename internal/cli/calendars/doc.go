// Package calendars implements orth calendar: list, show, save and delete calendars.
//
// It knows files of calendars and the API, and decides about no firing.
package calendars
