package runs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// RunLists finds runs where the caller may see them.
type RunLists interface {
	// FindRuns returns the id that the next page is asked before, 0 for none: a page
	// may have fewer runs than its limit, or none, and be followed by others.
	FindRuns(ctx context.Context, q queries.RunQuery) ([]queries.FoundRun, int64, error)
	// RankRuns finds them in another order than that of ids.
	RankRuns(ctx context.Context, q queries.RunQuery) (queries.RankedRuns, error)
}

type runQuery struct {
	Job          string      `query:"job" doc:"Only runs of the job with this key."`
	Namespace    string      `query:"namespace" doc:"Only runs of jobs of this namespace. With job it defaults to default, else to all that the caller may see."`
	Group        string      `query:"group" doc:"Only runs for this group."`
	State        []job.State `query:"state" maxItems:"12" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped" doc:"Only runs in one of these states, separated by commas."`
	Cause        job.Cause   `query:"cause" enum:"schedule,misfire,manual,api,parent,retry,backfill,redrive,shard,trial" doc:"Only runs that exist because of this."`
	CauseID      string      `query:"cause_id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an id" doc:"Only runs that this run, or this backfill, has caused; name cause too, since their ids are not of one kind."`
	CreatedSince time.Time   `query:"created_since" doc:"Only runs made then or later."`
	CreatedUntil time.Time   `query:"created_until" doc:"Only runs made before."`
	PlannedSince time.Time   `query:"planned_since" doc:"Only runs for slots then or later."`
	PlannedUntil time.Time   `query:"planned_until" doc:"Only runs for slots before."`
	EndedSince   time.Time   `query:"ended_since" doc:"Only runs that ended then or later."`
	EndedUntil   time.Time   `query:"ended_until" doc:"Only runs that ended before."`
	Executor     string      `query:"executor" maxLength:"500" doc:"Only runs whose current or last attempt this executor has or had: its base URL."`
	Label        string      `query:"label" maxLength:"200" doc:"Only runs of jobs that have this label now: a key, or key=value."`
	By           string      `query:"by" maxLength:"200" doc:"Only runs that this user asked for."`
	Text         string      `query:"text" maxLength:"100" doc:"Only runs with this in the message or the reason; capital and small letters are the same."`
	Late         string      `query:"late" maxLength:"20" example:"30s" doc:"Only runs of schedules that started more than so much after they were planned, or wait for that long: a duration such as 30s or 5m."`
	MinDuration  string      `query:"min_duration" maxLength:"20" example:"10s" doc:"Only runs with at least this duration since an executor first accepted them."`
	MaxDuration  string      `query:"max_duration" maxLength:"20" example:"1m" doc:"Only runs with a shorter duration."`
	MinTries     int         `query:"min_tries" minimum:"0" maximum:"10000" doc:"Only runs with so many attempts or more."`
	MaxTries     int         `query:"max_tries" minimum:"0" maximum:"10000" doc:"Only runs with so many attempts or fewer; 0 is no bound."`
	Shards       bool        `query:"shards" default:"false" doc:"List shards too: the runs that others were split into."`
	Sort         string      `query:"sort" enum:"-created_at,planned_at,-planned_at,started_at,-started_at,ended_at,-ended_at,duration,-duration,tries,-tries" default:"-created_at" doc:"The order, with - for descending; created_at is that of the ids. Runs without a value come last. All orders but the first sort the newest 10,000 runs of the time, and of the job or group that is named: since in the answer is the oldest of them, if there are others."`
	After        string      `query:"after" maxLength:"500" doc:"After of the page before, with the same sort; in the order of ids next."`
	Before       string      `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"Only ids below this one: next of the page before."`
	Limit        int         `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"The most runs of a page. A page of large runs ends earlier, and so does one for which many others were searched: next is set when there are more."`
}

func (s *runRoom) listRuns(ctx context.Context, in *runQuery) (*runList, error) {
	q, err := s.runQueryOf(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Sort != newestFirst {
		return s.rankRuns(ctx, in, &q)
	}
	found, next, err := s.config.Lists.FindRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	list, size := api.RunList{Runs: []api.Run{}, Next: api.ID(next)}, 0
	for i := range found {
		if size += textOf(&found[i].Run); size > guard.MaxPage && len(list.Runs) > 0 {
			list.Next = list.Runs[len(list.Runs)-1].ID
			break
		}
		list.Runs = append(list.Runs, shownRun(&found[i]))
	}
	return &runList{list}, nil
}

// newestFirst is the sort of runs whose pages continue at an id.
const newestFirst = "-created_at"

// runQueryOf returns the query of a list of runs, whatever its order.
func (s *runRoom) runQueryOf(ctx context.Context, in *runQuery) (queries.RunQuery, error) {
	q := queries.RunQuery{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Job: in.Job, Group: in.Group, States: in.State, Cause: in.Cause,
		Created: queries.Span{Since: in.CreatedSince, Until: in.CreatedUntil},
		Planned: queries.Span{Since: in.PlannedSince, Until: in.PlannedUntil},
		Ended:   queries.Span{Since: in.EndedSince, Until: in.EndedUntil}, Shards: in.Shards, Limit: in.Limit,
		Executor: in.Executor, Label: in.Label, By: in.By, Text: in.Text, MinTries: in.MinTries, MaxTries: in.MaxTries,
	}
	for _, bound := range []struct {
		field, text string
		into        *time.Duration
	}{{"late", in.Late, &q.Late}, {"min_duration", in.MinDuration, &q.MinTook}, {"max_duration", in.MaxDuration, &q.MaxTook}} {
		d, err := length(bound.field, bound.text)
		if err != nil {
			return q, err
		}
		*bound.into = d
	}
	var err error
	if in.CauseID != "" {
		if q.CauseID, err = guard.ParseID("cause_id", in.CauseID); err != nil {
			return q, err
		}
	}
	if in.Sort != newestFirst {
		return q, nil
	}
	field, text := "before", in.Before
	if in.After != "" { // here both are the id of a run
		if field, text = "after", in.After; strings.HasPrefix(text, "~") {
			_, err := guard.CursorParts(text, in.Sort, 0)
			return q, err
		}
	}
	if text != "" {
		q.BeforeID, err = guard.ParseID(field, text)
	}
	return q, err
}

// runMark reads the cursor of a list of runs; nil is the first page.
func runMark(in *runQuery) (*queries.RunMark, error) {
	if in.After == "" {
		return nil, nil //nolint:nilnil // the first page has no mark
	}
	found, err := guard.CursorParts(in.After, in.Sort, 4)
	if err != nil {
		return nil, err
	}
	var m queries.RunMark
	for i, into := range [...]*int64{&m.Value, &m.ID, &m.Top, &m.Floor} {
		if *into, err = strconv.ParseInt(found[i], 10, 64); err != nil {
			return nil, job.FieldErrorf("after", "%q is damaged: send the after of the page before", in.After)
		}
	}
	return &m, nil
}

func runCursor(sort string, m *queries.RunMark) string {
	return guard.Cursor(sort, guard.IDText(m.Value), guard.IDText(m.ID), guard.IDText(m.Top), guard.IDText(m.Floor))
}

// rankRuns answers a list of runs in another order than that of ids.
func (s *runRoom) rankRuns(ctx context.Context, in *runQuery, q *queries.RunQuery) (*runList, error) {
	if in.Before != "" {
		return nil, guard.NotBefore("runs", in.Sort)
	}
	mark, err := runMark(in)
	if err != nil {
		return nil, err
	}
	q.Order, q.Mark = guard.OrderOf(in.Sort), mark
	found, err := s.config.Lists.RankRuns(ctx, *q)
	if err != nil {
		return nil, err
	}
	list := api.RunList{Runs: []api.Run{}, Since: api.At(found.Since)}
	size := 0
	for i := range found.Runs {
		if size += textOf(&found.Runs[i].Run); size > guard.MaxPage && i > 0 {
			break
		}
		list.Runs = append(list.Runs, shownRun(&found.Runs[i]))
	}
	if n := len(list.Runs); n > 0 && (n < len(found.Runs) || found.More) {
		list.After = runCursor(in.Sort, &found.Marks[n-1])
	}
	return &runList{list}, nil
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
func shownRun(f *queries.FoundRun) api.Run {
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
