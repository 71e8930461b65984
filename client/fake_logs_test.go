package client_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// logLines are the log of each first attempt; the second ones have none.
func logLines() []string { return []string{"one\n", "two <&>\n", "three\x1b[31m\n"} }

func (m *memory) Log(ctx context.Context, run int64, q queries.LogQuery) (job.LogPage, error) {
	if _, err := m.Run(ctx, run); err != nil {
		return job.LogPage{}, err
	}
	lines := logLines()
	switch {
	case q.Tail > 0:
		q.From = len(lines) - q.Tail + 1
	case !q.At.IsZero():
		q.From = q.At.Second() + 1
	}
	if q.Attempt > 1 || q.From > len(lines) {
		return job.LogPage{From: q.From, To: q.From - 1, End: true, Kept: "whole"}, nil
	}
	lines = lines[q.From-1:]
	if q.Limit > 0 {
		lines = lines[:min(q.Limit, len(lines))]
	}
	return job.LogPage{From: q.From, To: q.From + len(lines) - 1, Text: strings.Join(lines, "")}, nil
}

// FollowLog shows five attempts of a few lines each.
func (m *memory) FollowLog(ctx context.Context, run int64, f queries.LogFollow, viewer queries.LogViewer) error {
	r, err := m.Run(ctx, run)
	if err != nil {
		return err
	}
	from := max(f.From, 1)
	for number := max(f.Attempt, 1); number <= 5; number++ {
		if err := viewer.Begin(job.Attempt{ID: int64(number), Number: number, Address: "http://1"}); err != nil {
			return err
		}
		for line := from; line <= 40*number; {
			to := min(line+number, 40*number)
			text := ""
			for i := line; i <= to; i++ {
				text += fmt.Sprintf("line %d of %d\n", i, number)
			}
			if err := viewer.Lines(job.LogPage{From: line, To: to, Text: text}); err != nil {
				return err
			}
			line = to + 1
		}
		from = 1
		if f.Only {
			break
		}
	}
	return viewer.End(r)
}

func (m *memory) SearchLog(_ context.Context, run int64, attempt int, q job.LogSearch) (job.LogHits, error) {
	return job.LogHits{
		Hits: []job.LogHit{{Run: run, Number: attempt, Line: 2, Text: fmt.Sprintf("%+v", q), Before: []string{"one"}}},
		Next: 3, Note: "enough",
	}, nil
}

func (m *memory) SearchJobLogs(_ context.Context, namespace, key string, q job.JobLogSearch) (job.LogHits, error) {
	return job.LogHits{
		Hits: []job.LogHit{{Run: 1, Number: 1, Line: 2, Text: fmt.Sprintf("%s/%s %+v", namespace, key, q)}}, Complete: true, Lines: 9, Logs: 2,
	}, nil
}
