package workflows

import (
	"context"
	"net/http"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

type calendarSpace struct {
	Namespace string `query:"namespace" default:"default" doc:"Calendars of this namespace; * for those of all that the caller may see."`
}

type calendarPath struct {
	Key       string `path:"key" doc:"The calendar's key."`
	Namespace string `query:"namespace" default:"default" doc:"The calendar's namespace."`
}

type calendarText struct {
	Key       string `path:"key" doc:"The calendar's key."`
	Namespace string `query:"namespace" default:"default" doc:"The calendar's namespace."`
	Body      api.CalendarText
}

type calendarReply struct{ Body api.Calendar }

type calendarSaved struct{ Body api.CalendarSaved }

type calendarList struct{ Body api.CalendarList }

type shippedList struct{ Body api.ShippedCalendarList }

func (s *workflowRoom) registerCalendars() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-calendars", Method: http.MethodGet, Path: "/calendars", Tags: []string{guard.TagCalendars},
		Right: access.View, Scope: guard.Everywhere(guard.InNamespaceShared), Class: guard.Reading,
		Summary: "List calendars in order of namespace and key, without their days",
	}, s.listCalendars)
	guard.Register(s.Guard, guard.Op{
		ID: "get-calendar", Method: http.MethodGet, Path: "/calendars/{key}", Tags: []string{guard.TagCalendars},
		Right: access.View, Scope: guard.KeyedShared("calendar"), Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindCalendar},
		Summary: "Show a calendar",
	}, s.getCalendar)
	guard.Register(s.Guard, guard.Op{
		ID: "save-calendar", Method: http.MethodPut, Path: "/calendars/{key}", Tags: []string{guard.TagCalendars},
		Right: access.Edit, Scope: guard.Keyed("calendar"), Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindCalendar, Dry: true},
		Summary: "Write a calendar from rules, a text or shipped holiday data",
	}, s.saveCalendar)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-calendar", Method: http.MethodDelete, Path: "/calendars/{key}", Tags: []string{guard.TagCalendars},
		Right: access.Edit, Scope: guard.Keyed("calendar"), Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindCalendar, Dry: true},
		Summary: "Delete a calendar that no job names",
	}, s.deleteCalendar)
	guard.Register(s.Guard, guard.Op{
		ID: "list-shipped-calendars", Method: http.MethodGet, Path: "/shipped-calendars", Tags: []string{guard.TagCalendars},
		Right: access.View, Scope: guard.Anywhere, Class: guard.Reading,
		Summary: "List the holiday data that comes with the server",
	}, s.listShipped)
}

func (s *workflowRoom) listCalendars(ctx context.Context, in *calendarSpace) (*calendarList, error) {
	found, err := s.config.Calendars.Calendars(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	if in.Namespace == access.All {
		sight := s.Sight(ctx, access.View)
		found = slices.DeleteFunc(found, func(c job.Calendar) bool { return !sight.In(c.Namespace) }) // as everybody of a namespace may
	}
	list := api.CalendarList{Calendars: make([]api.Calendar, len(found))}
	for i, c := range found {
		c.Rules = calendar.Rules{
			Mode: c.Rules.Mode, Weekdays: c.Rules.Weekdays, KnownUntil: c.Rules.KnownUntil, Source: c.Rules.Source,
		}
		list.Calendars[i] = api.FromCalendar(c)
	}
	return &calendarList{list}, nil
}

func (s *workflowRoom) getCalendar(ctx context.Context, in *calendarPath) (*calendarReply, error) {
	c, err := s.config.Calendars.Calendar(ctx, in.Namespace, in.Key)
	if err != nil {
		return nil, err
	}
	return &calendarReply{api.FromCalendar(c)}, nil
}

func (s *workflowRoom) saveCalendar(ctx context.Context, in *calendarText) (*calendarSaved, error) {
	text := &in.Body
	if err := checkSources(text); err != nil {
		return nil, err
	}
	c := job.Calendar{Namespace: in.Namespace, Key: in.Key, Title: text.Title, Version: text.Version}
	var warnings []string
	var err error
	if text.Rules != nil {
		c.Rules = *text.Rules
		c, err = s.config.Calendars.SaveCalendar(ctx, c)
	} else {
		c, warnings, err = s.config.Calendars.ImportCalendar(ctx, c, jobs.Import{
			Format: text.Format, Text: text.Text, Shipped: text.Shipped, Weekends: text.Weekends == nil || *text.Weekends,
		})
	}
	if err != nil {
		return nil, err
	}
	return &calendarSaved{api.CalendarSaved{Calendar: api.FromCalendar(c), Warnings: warnings}}, nil
}

// checkSources refuses a calendar that is to be made from several things, or from
// none.
func checkSources(text *api.CalendarText) error {
	given := 0
	for _, set := range []bool{text.Rules != nil, text.Text != "", text.Shipped != ""} {
		if set {
			given++
		}
	}
	switch {
	case given != 1:
		return job.Errorf(job.Invalid, "a calendar is made from one of rules, text and shipped, and %d of them are given", given)
	case text.Text != "" && text.Format == "":
		return job.FieldErrorf("format", "is missing: name the format of text, ics or csv")
	case text.Text == "" && text.Format != "":
		return job.FieldErrorf("format", "is for text only: leave it out")
	case text.Rules != nil && text.Weekends != nil:
		return job.FieldErrorf("weekends", "is for text and shipped only: name the weekdays in rules")
	}
	return nil
}

func (s *workflowRoom) deleteCalendar(ctx context.Context, in *calendarPath) (*struct{}, error) {
	return nil, s.config.Calendars.DeleteCalendar(ctx, in.Namespace, in.Key)
}

func (s *workflowRoom) listShipped(context.Context, *struct{}) (*shippedList, error) {
	shipped := s.config.Calendars.ShippedCalendars()
	list := api.ShippedCalendarList{Calendars: make([]api.ShippedCalendar, len(shipped))}
	for i, c := range shipped {
		list.Calendars[i] = api.ShippedCalendar{
			Key: c.Key, Title: c.Title, FirstYear: c.FirstYear, LastYear: c.LastYear, Source: c.Source,
		}
	}
	return &shippedList{list}, nil
}

// Calendars is all that the API asks about calendars.
type Calendars interface {
	CalendarKeeper
	CalendarReader
}

// CalendarKeeper writes and removes calendars.
type CalendarKeeper interface {
	SaveCalendar(ctx context.Context, c job.Calendar) (job.Calendar, error)
	// ImportCalendar creates the rules first, and returns the entries that it had to skip.
	ImportCalendar(ctx context.Context, c job.Calendar, from jobs.Import) (job.Calendar, []string, error)
	DeleteCalendar(ctx context.Context, namespace, key string) error
}

// CalendarReader finds calendars.
type CalendarReader interface {
	Calendar(ctx context.Context, namespace, key string) (job.Calendar, error)
	Calendars(ctx context.Context, namespace string) ([]job.Calendar, error)
	ShippedCalendars() []jobs.Shipped
}
