package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orthd/orth/api"
)

// EventQuery selects events; the zero value selects all that the caller may see, from now
// on.
type EventQuery struct {
	Namespace, Group string
	Job              string // a key, or an id in digits
	Run              api.ID
	Kinds            []string // of run, job, executor, alarm
	// After is the id of the last event that was seen.
	After string
}

// Event is an event, or a marker in the stream.
type Event struct {
	api.Event
	// ID is what [EventQuery.After] takes to go on behind it.
	ID string
	// Opened marks the start of the stream: objects that are read from the server after it
	// miss no change, when the events that follow are applied. It comes first, unless Reset
	// does.
	Opened bool
	// Reset is the reason why events were missed. Objects that were read from the server
	// must be read again.
	Reset string
}

// Events streams the changes of runs, jobs, executors and alarms. A broken connection, or a
// server that is away for a while, does not end it: it continues after the last event. Each
// event comes once, or Reset reports that some were missed. It ends with an error, which is
// the cause of the context when that has ended, or when the caller ends the loop.
func (c *Client) Events(ctx context.Context, q EventQuery) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := eventStream{client: c, query: q, last: q.After, yield: yield}
		if err := s.run(ctx); err != nil && !s.over {
			yield(Event{}, err)
		}
	}
}

// eventStream is a reading of events, over any number of connections.
type eventStream struct {
	client *Client
	query  EventQuery
	last   string // the id of the last event
	yield  func(Event, error) bool

	seen int  // events of the server, of any kind
	over bool // the caller has ended it
}

func (s *eventStream) run(ctx context.Context) error {
	query := url.Values{}
	setNonEmpty(query, "namespace", s.query.Namespace)
	setNonEmpty(query, "group", s.query.Group)
	setNonEmpty(query, "job", s.query.Job)
	setNonEmpty(query, "kinds", strings.Join(s.query.Kinds, ","))
	if s.query.Run != 0 {
		query.Set("run", s.query.Run.String())
	}
	return s.client.again(ctx, func() (int, error) {
		err := s.client.events(ctx, prefix+"/events", query, s.last, s.handleEvent)
		return s.seen, err
	}, &s.over)
}

// handleEvent passes on one event. Those that it does not know are left out.
func (s *eventStream) handleEvent(e *serverEvent) (done bool, err error) {
	s.seen++
	if e.id != "" {
		s.last = e.id
	}
	event := Event{ID: s.last}
	switch e.name {
	case "open":
		var o api.EventOpen
		if err := s.client.decode(e, &o); err != nil || o.Resumed {
			return false, err
		}
		event.Opened = true
	case "reset":
		var r api.EventReset
		if err := s.client.decode(e, &r); err != nil {
			return false, err
		}
		event.Reset = r.Reason
	case "problem":
		return false, s.client.problem(e)
	case "run", "job", "executor", "alarm":
		if err := s.client.decode(e, &event.Event); err != nil {
			return false, err
		}
	default:
		return false, nil
	}
	s.over = !s.yield(event, nil)
	return s.over, nil
}

// FollowSummary calls show with a summary, now and whenever a figure has changed, at most
// once a second, until ctx ends or show fails. It survives a connection that breaks and a
// server that is away for a while.
func (c *Client) FollowSummary(ctx context.Context, q SummaryQuery, show func(api.Summary) error) error {
	query := q.values()
	query.Set("kinds", "summary")
	seen, over := 0, false
	var failed error
	err := c.again(ctx, func() (int, error) {
		err := c.events(ctx, prefix+"/events", query, "", func(e *serverEvent) (bool, error) {
			seen++
			switch e.name {
			case "problem":
				return false, c.problem(e)
			case "summary":
				var s api.Summary
				if err := c.decode(e, &s); err != nil {
					return false, err
				}
				failed = show(s)
				over = failed != nil
			}
			return over, nil
		})
		return seen, err
	}, &over)
	if over {
		return failed
	}
	return err
}

// problem returns the problem that ends a stream as an error.
func (c *Client) problem(e *serverEvent) error {
	var p api.Problem
	if err := c.decode(e, &p); err != nil {
		return err
	}
	return p.Err()
}

// again reads streams, one after the other, until over is set, ctx ends, or one fails
// for a reason that does not pass; read returns how many events have come in all. A
// first stream that brings nothing is not tried again.
func (c *Client) again(ctx context.Context, read func() (seen int, err error), over *bool) error {
	delay, was := time.Duration(0), 0
	for {
		seen, err := read()
		switch {
		case *over:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errBroken):
		case seen == 0, !passing(err):
			return err
		}
		if seen > was {
			delay = 0
		}
		if err := waitToReopen(ctx, delay); err != nil {
			return err
		}
		delay, was = longer(delay), seen
	}
}

// DashboardQuery selects the content of a dashboard; the zero value selects all that the
// caller may see, in the last 24 hours.
type DashboardQuery struct {
	Namespace, Group string
	Range            string // 1h, 24h, 7d or 30d
	Zone             string // an IANA name; empty means UTC
}

// Dashboard returns the activity of a time and the current state.
func (c *Client) Dashboard(ctx context.Context, q DashboardQuery) (api.Dashboard, error) {
	query := url.Values{}
	setNonEmpty(query, "namespace", q.Namespace)
	setNonEmpty(query, "group", q.Group)
	setNonEmpty(query, "range", q.Range)
	setNonEmpty(query, "zone", q.Zone)
	var d api.Dashboard
	err := c.doRequest(ctx, http.MethodGet, prefix+"/dashboard", query, nil, &d)
	return d, err
}
