package overview

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/feed"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Events has what happens.
type Events interface {
	// Read returns a reader of what comes behind the event with an id, or from now on
	// when there is none. The caller closes it.
	Read(ctx context.Context, after string) *news.Reader
	// Epoch names this life of the server.
	Epoch() string
}

const eventsPath = "/events"

// hintReset is what a reader does who has missed events.
const hintReset = "read again what you show, and go on with the events that follow"

type eventQuery struct {
	Namespace string   `query:"namespace" doc:"Only events of this namespace. Executors are in the namespace default. Defaults to all that the caller may see."`
	Group     string   `query:"group" maxLength:"64" doc:"Only events of this group, and of its jobs and their runs; and only its part of summaries."`
	Job       string   `query:"job" maxLength:"200" doc:"Only events about the job with this key, or this id."`
	Run       string   `query:"run" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"Only events about this run."`
	Kinds     []string `query:"kinds" maxItems:"5" enum:"run,job,executor,alarm,summary" doc:"Only events of these kinds, separated by commas. Defaults to all but summary."`
	SummaryOf []string `query:"summary_of" maxItems:"8" doc:"The namespaces whose summaries are sent, separated by commas; * is all that the caller may see. Needs summary among kinds. Defaults to the value of namespace."`
	Zone      string   `query:"zone" maxLength:"64" default:"UTC" example:"Europe/Berlin" doc:"The zone of today and yesterday in summaries: an IANA name."`
	After     string   `query:"after" pattern:"^[0-9]{1,19}-[0-9]{1,20}$" patternDescription:"the id of an event" doc:"The id of the last event that was seen: the stream goes on behind it."`
	Last      string   `header:"Last-Event-ID" maxLength:"100" doc:"As after, over which it wins; browsers send it by themselves when they come back."`
}

// fits reports whether the reader has asked for an event.
func (q *eventQuery) fits(it *news.Item) bool {
	switch {
	case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, it.Kind),
		q.Namespace != "" && q.Namespace != it.Namespace,
		q.Group != "" && q.Group != it.Group,
		q.Run != "" && (it.Run == nil || it.Run.ID.String() != q.Run):
		return false
	case q.Job != "":
		return it.Job != nil && (it.Job.Key == q.Job || strconv.FormatInt(it.Job.ID, 10) == q.Job)
	}
	return true
}

func (s *overviewRoom) registerEvents() {
	guard.Register(s.Guard, guard.Op{
		ID: "follow-events", Method: http.MethodGet, Path: eventsPath, Tags: []string{guard.TagServer},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Streaming, Spreads: true,
		Summary: "Follow runs, jobs, executors, alarms and summaries, within what the caller may see",
		Description: "Server-sent events, named after the kind of the changed object: \"run\", \"job\", \"executor\", \"alarm\". The first one is \"open\", " +
			"or \"reset\" when events were missed; \"reset\" may come later too: read again what you show. \"problem\" has the reason why the stream ends. " +
			"A reader that comes back with the id of its last event in Last-Event-ID gets those behind it, of the last 16,384 of all. " +
			"A reader that is more than 1,024 events behind is sent a \"reset\", and the stream ends. Rights are checked again every 5 s. " +
			"On SQLite the server sends what it does itself, on PostgreSQL what all servers of the database do: there an id stands for the same event at all of them, " +
			"and events of the last 10 min are kept, except those about executors, which each server sends as it sees them. A comment comes every 15 s. " +
			"With \"summary\" among kinds the stream also brings the summary of each namespace in summary_of, at once and then whenever a figure has changed, " +
			"at most once a second. A summary has no id. A stream of summaries alone has no \"open\" and no \"reset\".",
		Responses: map[string]*huma.Response{"200": {
			Description: "The events.", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: s.eventSchema()}},
		}},
	}, s.followEvents)
}

// eventSchema describes the data of the events of a stream.
func (s *overviewRoom) eventSchema() *huma.Schema {
	schemas := s.Schemas()
	schema := &huma.Schema{Description: "The data of an event."}
	for _, t := range []reflect.Type{
		reflect.TypeFor[api.Event](), reflect.TypeFor[api.EventOpen](), reflect.TypeFor[api.EventReset](), reflect.TypeFor[api.Summary](),
	} {
		schema.OneOf = append(schema.OneOf, schemas.Schema(t, true, ""))
	}
	return schema
}

func (s *overviewRoom) followEvents(ctx context.Context, in *eventQuery) (*huma.StreamResponse, error) {
	sight := s.Sight(ctx, access.View)
	summaries, err := in.summaries()
	if err != nil {
		return nil, err
	}
	if s.config.Events == nil && in.changes() {
		return nil, job.Errorf(job.Unavailable, "this server sends no events")
	}
	caller := intent.Caller(ctx)
	leave, err := s.viewers.admit(&caller)
	if err != nil {
		return nil, err
	}
	after := in.After
	if in.Last != "" {
		after = in.Last
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		defer leave()
		r, w := humago.Unwrap(hctx)
		count := func(v *viewing) error { return v.summaries(s.config.Overview, summaries) }
		if !in.changes() {
			s.showing(r, w, sight, func(v *viewing) error { return v.together((*viewing).idle, count) })
			return
		}
		// The reader begins before the first byte is sent, which may take long.
		reader := s.config.Events.Read(hctx.Context(), after)
		defer reader.Close()
		follow := func(v *viewing) error { return v.events(reader, in) }
		s.showing(r, w, sight, func(v *viewing) error {
			if err := v.open(s.config.Events, reader); err != nil {
				return err
			}
			if len(summaries) == 0 {
				return follow(v)
			}
			return v.together(follow, count)
		})
	}}, nil
}

// open sends where the events begin.
func (v *viewing) open(source Events, reader *news.Reader) error {
	name, data := "open", any(api.EventOpen{Server: source.Epoch(), Resumed: reader.Resumed})
	if reader.Reset != "" {
		name, data = "reset", api.EventReset{Reason: reader.Reset, Hint: hintReset}
	}
	return v.to.Send(name, reader.ID(), data)
}

// events sends events until the stream ends.
func (v *viewing) events(reader *news.Reader, q *eventQuery) error {
	var items []*news.Item
	var text []byte
	for {
		wait, cancel := context.WithDeadline(v.ctx, v.next())
		var lost feed.Lost
		place := reader.ID()
		items, lost, _ = reader.Next(wait, items[:0])
		cancel()
		if err := v.turn(func() string { return place }); err != nil {
			return err
		}
		if lost != feed.None {
			if err := v.reset(reader, lost); err != nil {
				return err
			}
		}
		text = text[:0]
		sight := v.sight.Load()
		for _, it := range items {
			if q.fits(it) && sight.Sees(it.On) {
				text = appendEvent(text, it)
			}
		}
		clear(items)
		if len(text) == 0 {
			continue
		}
		if err := v.to.Write("", text, ""); err != nil {
			return err
		}
	}
}

// reset reports that events were missed, and ends the stream of a reader that is slow.
func (v *viewing) reset(reader *news.Reader, lost feed.Lost) error {
	why := news.ResetGap
	if lost == feed.Slow {
		why = news.ResetSlow
	}
	err := v.to.Send("reset", reader.ID(), api.EventReset{Reason: why, Hint: hintReset})
	if err == nil && lost == feed.Slow {
		err = errSlow
	}
	return err
}

// appendEvent appends an event as it is sent.
func appendEvent(text []byte, it *news.Item) []byte {
	text = append(text, "event: "...)
	text = append(text, it.Kind...)
	text = append(text, "\nid: "...)
	text = append(text, it.ID...)
	text = append(text, "\ndata: "...)
	text = append(text, it.Text...)
	return append(text, "\n\n"...)
}
