package rest

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

// Rankings finds jobs and runs in other orders than that of keys and ids.
type Rankings interface {
	RankJobs(ctx context.Context, q catalog.JobQuery) ([]catalog.RankedJob, error)
	RankRuns(ctx context.Context, q catalog.RunQuery) (catalog.RankedRuns, error)
}

// orderOf reads a sort: a name, with - before it the other way round.
func orderOf(sort string) catalog.Order {
	by, down := strings.CutPrefix(sort, "-")
	return catalog.Order{By: by, Down: down}
}

// cursor returns where a page of a sorted list ends: the sort, and what the next page
// begins behind. The parts are numbers, or texts in base64.
func cursor(sort string, parts ...string) string {
	return "~" + sort + "~" + strings.Join(parts, "~")
}

// parts returns what a cursor of a sort was made of; n of them.
func parts(text, sort string, n int) ([]string, error) {
	wrong := job.FieldErrorf("after", "%q is not the after of a page that is sorted by %s", text, sort)
	wrong.Hint = "send the value of the page before, with the same sort"
	rest, ok := strings.CutPrefix(text, "~"+sort+"~")
	if !ok {
		return nil, wrong
	}
	found := strings.Split(rest, "~")
	if len(found) != n {
		return nil, wrong
	}
	return found, nil
}

// jobMark reads the cursor of a list of jobs; nil is the first page.
func jobMark(in *jobQuery) (*catalog.JobMark, error) {
	if in.After == "" {
		return nil, nil //nolint:nilnil // the first page has no mark
	}
	n, everywhere := 3, in.Namespace == access.All
	if everywhere {
		n = 4
	}
	found, err := parts(in.After, in.Sort, n)
	if err != nil {
		return nil, err
	}
	value, notNumber := strconv.ParseInt(found[0], 10, 64)
	text, notText := base64.RawURLEncoding.DecodeString(found[1])
	if notNumber != nil || notText != nil || found[2] == "" || found[n-1] == "" {
		return nil, job.FieldErrorf("after", "%q is damaged: send the after of the page before", in.After)
	}
	mark := &catalog.JobMark{Value: value, Text: string(text), Key: found[2]}
	if everywhere {
		mark.Namespace = found[3]
	}
	return mark, nil
}

func jobCursor(sort string, m *catalog.JobMark) string {
	told := []string{strconv.FormatInt(m.Value, 10), base64.RawURLEncoding.EncodeToString([]byte(m.Text)), m.Key}
	if m.Namespace != "" {
		told = append(told, m.Namespace)
	}
	return cursor(sort, told...)
}

// rankJobs answers a list of jobs in another order than that of keys.
func (s *server) rankJobs(ctx context.Context, in *jobQuery, q *catalog.JobQuery) (api.JobList, error) {
	mark, err := jobMark(in)
	if err != nil {
		return api.JobList{}, err
	}
	q.Order, q.Mark, q.After = orderOf(in.Sort), mark, ""
	found, err := s.config.Lists.RankJobs(ctx, *q)
	if err != nil {
		return api.JobList{}, err
	}
	list, size, last := api.JobList{Jobs: []api.Job{}}, 0, 0
	for i := range found {
		if size += bulkOf(&found[i].Job); size > maxPage && i > 0 {
			break
		}
		list.Jobs, last = append(list.Jobs, api.FromJob(found[i].Job)), i
	}
	if n := len(list.Jobs); n > 0 && (n < len(found) || n >= in.Limit) {
		list.Next = jobCursor(in.Sort, &found[last].Mark)
	}
	return list, s.unnamed(ctx, pointers(list.Jobs)...)
}

// runMark reads the cursor of a list of runs; nil is the first page.
func runMark(in *runQuery) (*catalog.RunMark, error) {
	if in.After == "" {
		return nil, nil //nolint:nilnil // the first page has no mark
	}
	found, err := parts(in.After, in.Sort, 4)
	if err != nil {
		return nil, err
	}
	var m catalog.RunMark
	for i, into := range [...]*int64{&m.Value, &m.ID, &m.Top, &m.Floor} {
		if *into, err = strconv.ParseInt(found[i], 10, 64); err != nil {
			return nil, job.FieldErrorf("after", "%q is damaged: send the after of the page before", in.After)
		}
	}
	return &m, nil
}

func runCursor(sort string, m *catalog.RunMark) string {
	return cursor(sort, idText(m.Value), idText(m.ID), idText(m.Top), idText(m.Floor))
}

// rankRuns answers a list of runs in another order than that of ids.
func (s *server) rankRuns(ctx context.Context, in *runQuery, q *catalog.RunQuery) (*runList, error) {
	if in.Before != "" {
		return nil, notBefore("runs", in.Sort)
	}
	mark, err := runMark(in)
	if err != nil {
		return nil, err
	}
	q.Order, q.Mark = orderOf(in.Sort), mark
	found, err := s.config.Lists.RankRuns(ctx, *q)
	if err != nil {
		return nil, err
	}
	list := api.RunList{Runs: []api.Run{}, Since: api.At(found.Since)}
	size := 0
	for i := range found.Runs {
		if size += textOf(&found.Runs[i].Run); size > maxPage && i > 0 {
			break
		}
		list.Runs = append(list.Runs, shownRun(&found.Runs[i]))
	}
	if n := len(list.Runs); n > 0 && (n < len(found.Runs) || found.More) {
		list.After = runCursor(in.Sort, &found.Marks[n-1])
	}
	return &runList{list}, nil
}

// notBefore refuses the id of a page before in a list that has none.
func notBefore(what, sort string) error {
	wrong := job.FieldErrorf("before", "is for %s in order of their ids, and these are sorted by %s", what, sort)
	wrong.Hint = "send after of the page before as after"
	return wrong
}

// textOf returns the bytes of a run's texts.
func textOf(r *job.Run) int {
	size := len(r.Message) + len(r.Reason)
	if r.Param != nil {
		size += len(*r.Param)
	}
	return size
}

// shownRun returns a run as lists show it.
func shownRun(f *catalog.FoundRun) api.Run {
	run := api.FromRun(f.Run)
	run.Namespace, run.Group, run.Executor = f.Namespace, f.Group, f.Executor
	return run
}

// length reads a duration of a query; an empty text is none.
func length(field, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, job.FieldErrorf(field, "%q is no duration: write it such as 500ms, 30s or 1h30m", text)
	}
	return d, nil
}
