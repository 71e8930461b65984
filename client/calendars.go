package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Calendars returns the calendars of the client's namespace in order of key.
func (c *Client) Calendars(ctx context.Context) ([]api.Calendar, error) {
	var list api.CalendarList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/calendars", c.space(), nil, &list)
	return list.Calendars, err
}

// AllCalendars is Calendars for all namespaces that the caller may see.
func (c *Client) AllCalendars(ctx context.Context) ([]api.Calendar, error) {
	var list api.CalendarList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/calendars", everySpace(), nil, &list)
	return list.Calendars, err
}

// Calendar returns a calendar with its rules, or job.NotFound.
func (c *Client) Calendar(ctx context.Context, key string) (api.Calendar, error) {
	var found api.Calendar
	path, err := calendarPath(key)
	if err != nil {
		return found, err
	}
	err = c.doRequest(ctx, http.MethodGet, path, c.space(), nil, &found)
	return found, err
}

// SaveCalendar creates a calendar, or overwrites the one of its key. With a Version it
// returns job.Conflict when the calendar has another one by now. Errors in rules are
// Invalid, with the entry as their field.
func (c *Client) SaveCalendar(ctx context.Context, key string, text api.CalendarText) (api.CalendarSaved, error) {
	var saved api.CalendarSaved
	path, err := calendarPath(key)
	if err != nil {
		return saved, err
	}
	err = c.doRequest(ctx, http.MethodPut, path, c.space(), text, &saved)
	return saved, err
}

// DeleteCalendar removes a calendar. It is job.Conflict while jobs name it.
func (c *Client) DeleteCalendar(ctx context.Context, key string) error {
	path, err := calendarPath(key)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path, c.space(), nil, nil)
}

// ShippedCalendars returns the holiday data that comes with the server, in
// order of key.
func (c *Client) ShippedCalendars(ctx context.Context) ([]api.ShippedCalendar, error) {
	var list api.ShippedCalendarList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/shipped-calendars", nil, nil, &list)
	return list.Calendars, err
}

// calendarPath returns the path of a calendar; a key that none can have goes
// nowhere.
func calendarPath(key string) (string, error) {
	if err := job.CheckKey("key", key); err != nil {
		return "", err
	}
	return prefix + "/calendars/" + url.PathEscape(key), nil
}
