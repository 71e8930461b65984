package runs

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type logStream struct {
	ID      string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Attempt int    `query:"attempt" minimum:"0" maximum:"2147483647" default:"0" doc:"The number of the attempt to begin with; 0 is the last one."`
	From    int    `query:"from" minimum:"1" maximum:"2147483647" default:"1" doc:"The first line wanted of it."`
	Only    bool   `query:"only" default:"false" doc:"Whether to end with that attempt."`
	Raw     bool   `query:"raw" default:"false" doc:"Give lines as they are. Without it control characters are made visible, and lines of more than 16 KiB are cut."`
	Last    string `header:"Last-Event-ID" pattern:"^[0-9]{1,10}:[0-9]{1,10}$" patternDescription:"the id of an event" doc:"The id of the last event that was seen: the stream goes on behind it. It wins over attempt and from."`
}

// lastPlace reads where a stream goes on.
func (in *logStream) lastPlace() (queries.LogFollow, error) {
	f := queries.LogFollow{Attempt: in.Attempt, From: in.From, Only: in.Only}
	if in.Last == "" {
		return f, nil
	}
	attempt, line, _ := strings.Cut(in.Last, ":")
	a, err := strconv.ParseInt(attempt, 10, 32)
	n, errLine := strconv.ParseInt(line, 10, 32)
	if err != nil || errLine != nil {
		return f, job.FieldErrorf("Last-Event-ID", "%q is not the id of an event", in.Last)
	}
	f.Attempt, f.From = int(a), int(n)+1
	return f, nil
}

func (s *runRoom) registerLogStream() {
	schemas := s.Schemas()
	guard.Register(s.Guard, guard.Op{
		ID: "follow-log", Method: http.MethodGet, Path: "/runs/{id}" + streamPath, Tags: []string{guard.TagRuns, tagLogs},
		Right: access.View, Scope: guard.OnRun, Class: guard.Streaming,
		Summary: "Follow the log of a run as it is written",
		Description: "Server-sent events. \"attempt\" names the attempt of the following lines, \"lines\" has some lines, " +
			"\"end\" marks the end of the log, and \"problem\" has the reason when the stream ends before that. The id of an event is " +
			"the number of the attempt and of its last line: a reader that comes back with it in Last-Event-ID misses no line " +
			"and gets none twice. A comment comes every 15 s.",
		Responses: map[string]*huma.Response{"200": {
			Description: "The events.",
			Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
				Description: "The data of an event.",
				OneOf: []*huma.Schema{
					schemas.Schema(reflect.TypeFor[api.LogAttempt](), true, ""),
					schemas.Schema(reflect.TypeFor[api.LogLines](), true, ""),
					schemas.Schema(reflect.TypeFor[api.LogEnd](), true, ""),
				},
			}}},
		}},
	}, s.followLog)
}

func (s *runRoom) followLog(ctx context.Context, in *logStream) (*huma.StreamResponse, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	follow, err := in.lastPlace()
	if err != nil {
		return nil, err
	}
	release, err := s.admit(ctx, id)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		defer release()
		r, w := humago.Unwrap(hctx)
		s.stream(r.Context(), w, id, follow, in.Raw)
	}}, nil
}

// admit takes a place among the streams for one of a run that exists.
func (s *runRoom) admit(ctx context.Context, run int64) (release func(), err error) {
	select {
	case s.streams <- struct{}{}:
	default:
		full := job.Errorf(job.Unavailable, "%d logs are followed or downloaded from this server, as many as may be", cap(s.streams))
		full.Hint = "try again later, or read the log page by page"
		return nil, full
	}
	release = func() { <-s.streams }
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Timeout, guard.ErrTooSlow)
	defer cancel()
	if _, err := s.config.Runs.Run(ctx, run); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// stream shows the log until it ends, the reader goes, or the server stops.
func (s *runRoom) stream(ctx context.Context, w http.ResponseWriter, run int64, follow queries.LogFollow, raw bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	events := &logWriter{EventWriter: guard.NewEventWriter(w), raw: raw}
	if events.Comment("orth") != nil {
		return
	}
	var beating sync.WaitGroup
	beating.Go(func() { s.beat(ctx, events, cancel) })
	err := s.config.Logs.FollowLog(ctx, run, follow, events)
	stopped := context.Cause(ctx)
	cancel(nil)
	beating.Wait()
	if err == nil || stopped != nil || events.Lost() {
		return // the reader has left, or reconnects anyway
	}
	_ = events.Send("problem", "", s.Problem(ctx, "follow-log", err).Problem)
}

// beat writes comments until the context ends; it ends the context when the reader has
// left, or the server stops.
func (s *runRoom) beat(ctx context.Context, events *logWriter, end context.CancelCauseFunc) {
	ticker := time.NewTicker(guard.StreamBeat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := events.Comment("beat"); err != nil {
				end(err)
				return
			}
		case <-s.config.Stopping:
			end(guard.ErrStopping)
			return
		case <-ctx.Done():
			return
		}
	}
}

// logWriter is a viewer of one log, whose lines it writes as events.
type logWriter struct {
	*guard.EventWriter

	raw     bool
	attempt int // the number of the one whose lines come
}

// Begin implements [catalog.LogViewer].
func (e *logWriter) Begin(a job.Attempt) error {
	e.attempt = a.Number
	return e.Send("attempt", "", api.FromLogAttempt(a))
}

// Lines implements [catalog.LogViewer].
func (e *logWriter) Lines(p job.LogPage) error {
	return e.Send("lines", fmt.Sprintf("%d:%d", e.attempt, p.To), api.LogLines{
		Attempt: e.attempt, From: p.From, To: p.To, Text: shown(p.Text, e.raw), Note: p.Note,
	})
}

// End implements [catalog.LogViewer].
func (e *logWriter) End(r job.Run) error { return e.Send("end", "", api.FromLogEnd(r)) }
