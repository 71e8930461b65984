package runs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type logDownload struct {
	ID      string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Attempt int    `query:"attempt" minimum:"0" maximum:"2147483647" default:"0" doc:"The number of the attempt; 0 means all of them, one behind the other."`
	ANSI    string `query:"ansi" enum:"keep,strip" default:"keep" doc:"The handling of colours and other terminal sequences."`
}

func (s *runRoom) registerLogDownload() {
	guard.Register(s.Guard, guard.Op{
		ID: "download-log", Method: http.MethodGet, Path: "/runs/{id}" + downloadPath, Tags: []string{guard.TagRuns, tagLogs},
		Right: access.View, Scope: guard.OnRun, Class: guard.Streaming,
		Summary: "Download the log of a run as plain text",
		Description: "All that is there now, as it is. When the rest cannot be read, a line says so, and the answer ends before " +
			"its end, as one that was cut on the way.",
		Responses: map[string]*huma.Response{"200": {
			Description: "The lines.",
			Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}},
	}, s.downloadLog)
}

func (s *runRoom) downloadLog(ctx context.Context, in *logDownload) (*huma.StreamResponse, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	release, err := s.admit(ctx, id)
	if err != nil {
		return nil, err
	}
	attempts, err := s.attemptsOf(ctx, id, in.Attempt)
	if err != nil {
		release()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		defer release()
		r, w := humago.Unwrap(hctx)
		name := fmt.Sprintf("run-%d.log", id)
		if in.Attempt > 0 {
			name = fmt.Sprintf("run-%d-attempt-%d.log", id, in.Attempt)
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		w.WriteHeader(http.StatusOK)
		d := download{server: s, to: w, control: http.NewResponseController(w), run: id, strip: in.ANSI == "strip"}
		if err := d.write(r.Context(), attempts); err != nil {
			panic(http.ErrAbortHandler) // The client must see that the answer is not whole.
		}
	}}, nil
}

// attemptsOf returns the attempts of a run that are wanted, the first one first.
func (s *runRoom) attemptsOf(ctx context.Context, run int64, number int) ([]job.Attempt, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Timeout, guard.ErrTooSlow)
	defer cancel()
	attempts, err := s.config.Runs.Attempts(ctx, run)
	if err != nil || number == 0 {
		return attempts, err
	}
	for _, a := range attempts {
		if a.Number == number {
			return []job.Attempt{a}, nil
		}
	}
	return nil, job.Errorf(job.NotFound, "run %d has no attempt %d", run, number)
}

// download writes logs as plain text, a page at a time.
type download struct {
	server  *runRoom
	to      io.Writer
	control *http.ResponseController
	run     int64
	strip   bool
}

// write writes the logs of attempts. A log that cannot be read to its end does not block
// the others; the error then reports that there was one.
func (d *download) write(ctx context.Context, attempts []job.Attempt) error {
	var missing error
	for _, a := range attempts {
		if len(attempts) > 1 {
			if err := d.put(fmt.Sprintf("--- attempt %d on %s: %s\n", a.Number, a.Address, a.State)); err != nil {
				return err
			}
		}
		unread, err := d.attempt(ctx, a.Number)
		if err != nil {
			return err
		}
		if unread != nil && missing == nil {
			missing = unread
		}
	}
	_ = d.control.Flush() // so that all of it arrives, also when it is not whole
	return missing
}

// attempt writes the log of one attempt. unread is why the rest of it cannot be read,
// err why nothing more can be written.
func (d *download) attempt(ctx context.Context, number int) (unread, err error) {
	q := queries.LogQuery{Attempt: number, From: 1}
	for {
		page, err := d.page(ctx, q)
		if err != nil {
			p := d.server.Problem(ctx, "download-log", err)
			return err, d.put("[the rest cannot be read: " + p.Detail + "]\n")
		}
		if page.To < q.From {
			return nil, nil
		}
		if err := d.put(page.Text); err != nil || page.End {
			return nil, err
		}
		q.From = page.To + 1
	}
}

func (d *download) page(ctx context.Context, q queries.LogQuery) (job.LogPage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.server.config.Timeout, guard.ErrTooSlow)
	defer cancel()
	return d.server.config.Logs.Log(ctx, d.run, q)
}

// put writes text to a client that has a while to take it.
func (d *download) put(text string) error {
	if d.strip {
		text = logformat.StripANSI(text)
	}
	_ = d.control.SetWriteDeadline(time.Now().Add(guard.StreamWrite)) // a writer without one has no limit either
	_, err := io.WriteString(d.to, text)
	return err
}
