package overview

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// kindSummary is the kind of the events that bring summaries.
const kindSummary = "summary"

// summaryEvery is the least time between two summaries of the same namespace.
const summaryEvery = time.Second

// maxSpaceName bounds the name of a namespace whose summary is asked for.
const maxSpaceName = 64

// changes reports whether a reader wants events about changes.
func (q *eventQuery) changes() bool {
	return len(q.Kinds) == 0 || slices.ContainsFunc(q.Kinds, func(kind string) bool { return kind != kindSummary })
}

// summaries returns which summaries a reader wants. Kinds: Invalid with the field at
// fault.
func (q *eventQuery) summaries() (wanted []summaryQuery, err error) {
	if !slices.Contains(q.Kinds, kindSummary) {
		if len(q.SummaryOf) > 0 {
			return nil, job.FieldErrorf("summary_of", "needs %s among kinds", kindSummary)
		}
		return nil, nil
	}
	spaces := q.SummaryOf
	if len(spaces) == 0 {
		spaces = []string{q.Namespace}
	}
	for i, space := range spaces {
		if len(space) > maxSpaceName {
			return nil, job.FieldErrorf("summary_of", "the name of a namespace has at most %d bytes, and number %d has %d", maxSpaceName, i+1, len(space))
		}
		if space == access.All {
			space = ""
		}
		one := summaryQuery{Namespace: space, Group: q.Group, Zone: q.Zone}
		if !slices.Contains(wanted, one) {
			wanted = append(wanted, one)
		}
	}
	return wanted, wanted[0].within(access.Sight{}).Check()
}

// summaries sends the summaries that are wanted, at once and then whenever a figure has
// changed, until the stream ends or one cannot be counted.
func (v *viewing) summaries(source Overview, wanted []summaryQuery) error {
	sent := make([]queries.Summary, len(wanted))
	ticker := time.NewTicker(summaryEvery)
	defer ticker.Stop()
	for {
		for i := range wanted {
			if err := v.summary(source, &wanted[i], &sent[i]); err != nil {
				return err
			}
		}
		select {
		case <-ticker.C:
		case <-v.ctx.Done():
			return context.Cause(v.ctx)
		}
	}
}

// summary sends a summary unless all of its figures are those that were sent before.
func (v *viewing) summary(source Overview, q *summaryQuery, before *queries.Summary) error {
	found, err := source.Summary(v.ctx, q.within(*v.sight.Load()))
	if err != nil {
		return err
	}
	at := found.At
	if found.At = before.At; found == *before {
		return nil
	}
	found.At = at
	frame, err := v.server.frames.of(&found)
	if err == nil {
		err = v.to.Write("", frame, "")
	}
	*before = found
	return err
}
