package reading

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/job"
)

const (
	// logsAtOnce is how many logs of a job are looked up together.
	logsAtOnce = 100
	// idSpread is how far instants of attempts may stand in another order than
	// their ids: two servers draw ids in blocks.
	idSpread = time.Hour
)

// Pick returns an attempt of a run when its log is one of those that are wanted.
type Pick = func(ctx context.Context, run, attempt int64) (job.Attempt, bool, error)

// SearchJob looks for lines in the logs of a job, the newest attempt first, as far as
// servers keep them: no executor is asked. pick chooses among the logs whose attempts
// were triggered in the time that q names. The search goes on below the attempt Next
// of its result.
func (r *Reader) SearchJob(ctx context.Context, q job.JobLogSearch, pick Pick) (job.LogHits, error) {
	if err := q.Check(); err != nil {
		return job.LogHits{}, err
	}
	m, err := logformat.NewMatcher("text", logformat.Pattern{Text: q.Text, Regexp: q.Regexp, Fold: q.Fold})
	if err != nil {
		return job.LogHits{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, q.For, errSearchOver)
	defer cancel()
	h := jobHunt{reader: r, query: q, matcher: m, pick: pick, next: q.Before}
	err = h.search(limited)
	switch {
	case err != nil && (ctx.Err() != nil || !errors.Is(context.Cause(limited), errSearchOver)):
		return job.LogHits{}, err
	case h.found.Note != "":
	case err != nil:
		h.found.Note = fmt.Sprintf("the search has taken %s, as long as it may", q.For)
	case h.next > 0:
		h.found.Note = "as much was found as was asked for"
	}
	h.found.Next, h.found.Complete = h.next, h.next == 0 && h.found.Note == ""
	return h.found, nil
}

// jobHunt is a search of a job's logs.
type jobHunt struct {
	reader  *Reader
	query   job.JobLogSearch
	matcher *logformat.Matcher
	pick    Pick

	found job.LogHits
	bytes int   // of what was found
	next  int64 // below which attempt to go on; 0 when there is none left
}

// search looks through log after log.
func (h *jobHunt) search(ctx context.Context) error {
	for {
		logs, err := h.reader.config.Index.LogsOfJob(ctx, h.query.Job, h.next, logsAtOnce)
		if err != nil {
			return fmt.Errorf("find the logs of the job: %w", err)
		}
		for i := range logs {
			l := &logs[i]
			if !h.query.Since.IsZero() && l.TriggeredAt.Before(h.query.Since.Add(-idSpread)) {
				h.next = 0 // and all that follow
				return nil
			}
			if h.inTime(l) {
				if err := h.searchOne(ctx, l); err != nil {
					return err
				}
			}
			h.next = l.Attempt
			if len(h.found.Hits) >= h.query.Hits || h.bytes >= maxHitsBytes {
				return nil
			}
		}
		if len(logs) < logsAtOnce {
			h.next = 0
			return nil
		}
	}
}

// inTime reports whether the attempt was triggered when it is asked for.
func (h *jobHunt) inTime(l *logbook.Log) bool {
	return (h.query.Since.IsZero() || !l.TriggeredAt.Before(h.query.Since)) &&
		(h.query.Until.IsZero() || l.TriggeredAt.Before(h.query.Until))
}

// searchOne searches one log. A log that is damaged, or takes all the time of the search,
// is recorded and skipped: the others may have matches.
func (h *jobHunt) searchOne(ctx context.Context, l *logbook.Log) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	a, wanted, err := h.pick(ctx, l.Run, l.Attempt)
	if err != nil || !wanted {
		return err
	}
	v := view{attempt: a, log: *l, known: true, kept: true}
	if l.Text == "" {
		v.live, v.held = h.reader.config.Memory.Live(l.Attempt)
	}
	one := hunt{reader: h.reader, view: &v, matcher: h.matcher, query: h.query.LogSearch}
	one.query.From, one.query.Backward = 1, false
	one.query.Hits -= len(h.found.Hits)
	err = one.forward(ctx)
	if err == nil && one.query.Context > 0 {
		err = one.surround(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil && h.found.Logs > 0:
		return err // it is searched again, from its start
	case err != nil && ctx.Err() != nil:
		h.found.Note = fmt.Sprintf("the search had time for %d lines of the log of attempt %d only", one.lines, a.ID)
	case err != nil:
		h.found.Note = fmt.Sprintf("attempt %d: %v", a.ID, err)
	}
	h.found.Hits = append(h.found.Hits, one.hits...)
	h.found.Lines += one.lines
	h.found.Logs++
	h.bytes += one.bytes
	return nil
}
