package runs

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// The ends of the paths of logs that are not answered like others.
const (
	streamPath   = "/log/stream"
	downloadPath = "/log/download"
	searchPath   = "/log/search"
)

const tagLogs = "logs"

type logQuery struct {
	ID      string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	From    int    `query:"from" minimum:"1" maximum:"2147483647" default:"1" doc:"The first line wanted: next of the page before."`
	Tail    int    `query:"tail" minimum:"0" maximum:"2147483647" default:"0" doc:"Begin so many lines before the end, instead of with from."`
	At      string `query:"at" format:"date-time" doc:"Begin with the first line written at or after this instant, instead of with from."`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"1000" doc:"At most so many lines. A page of long lines ends earlier."`
	Attempt int    `query:"attempt" minimum:"0" maximum:"2147483647" default:"0" doc:"The number of the attempt; 0 is the last one."`
	Raw     bool   `query:"raw" default:"false" doc:"Give lines as they are. Without it control characters are made visible, and lines of more than 16 KiB are cut."`
}

// LogSearch is the part of a query that all searches of logs have. It is exported so that
// the parameters of a query that embeds it are found.
type LogSearch struct {
	Text    string `query:"text" required:"true" maxLength:"1000" doc:"The text to search, within a line."`
	Regexp  bool   `query:"regexp" default:"false" doc:"Whether text is an expression of the RE2 syntax. It is looked for in the first 64 KiB of a line."`
	Fold    bool   `query:"fold" default:"false" doc:"Whether capital and small letters match each other."`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many lines."`
	Context int    `query:"context" minimum:"0" maximum:"20" default:"0" doc:"So many lines on either side of each."`
	For     string `query:"for" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 5s or 30s" default:"5s" doc:"The time limit of the search, at most 30s."`
	Raw     bool   `query:"raw" default:"false" doc:"Give lines as they are. Without it control characters are made visible."`
}

type runLogSearch struct {
	ID       string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Attempt  int    `query:"attempt" minimum:"0" maximum:"2147483647" default:"0" doc:"The number of the attempt; 0 is the last one."`
	From     int    `query:"from" minimum:"0" maximum:"2147483647" default:"0" doc:"The line to begin with: next of the result before. Defaults to the first, or the last when backward is set."`
	Backward bool   `query:"backward" default:"false" doc:"Whether to look from the end to the start."`
	LogSearch
}

type jobLogSearch struct {
	Key       string    `path:"key" doc:"The job's key."`
	Namespace string    `query:"namespace" default:"default" doc:"The job's namespace."`
	Before    string    `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the next of the result before" doc:"Where to go on: next of the result before."`
	State     job.State `query:"state" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped" doc:"Only runs in this state."`
	Since     string    `query:"since" format:"date-time" doc:"Only attempts that were sent at or after this instant."`
	Until     string    `query:"until" format:"date-time" doc:"Only attempts that were sent before this instant."`
	LogSearch
}

type logPage struct{ Body api.LogPage }

type logHits struct{ Body api.LogHits }

// searchLimit leaves a search all of its time.
func searchLimit(usual time.Duration) time.Duration { return usual + job.MaxLogSearchTime }

func (s *runRoom) registerLogs() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-log", Method: http.MethodGet, Path: "/runs/{id}/log", Tags: []string{guard.TagRuns, tagLogs},
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "Read the log of a run, page by page",
	}, s.getLog)
	guard.Register(s.Guard, guard.Op{
		ID: "search-log", Method: http.MethodGet, Path: "/runs/{id}" + searchPath, Tags: []string{guard.TagRuns, tagLogs},
		Right: access.View, Scope: guard.OnRun, Class: guard.Searching, Limit: searchLimit,
		Summary:     "Look for lines in the log of a run",
		Description: "The answer has what was found in the time that the search may take, and where to go on.",
	}, s.searchLog)
	guard.Register(s.Guard, guard.Op{
		ID: "search-job-logs", Method: http.MethodGet, Path: "/jobs/{key}" + searchPath, Tags: []string{guard.TagJobs, tagLogs},
		Right: access.View, Scope: guard.OnJob, Class: guard.Searching, Limit: searchLimit,
		Summary:     "Look for lines in the logs of a job's runs, the newest first",
		Description: "Only logs that servers keep are looked at. The answer has what was found in the time that the search may take, and where to go on.",
	}, s.searchJobLogs)
	s.registerLogStream()
	s.registerLogDownload()
}

func (s *runRoom) getLog(ctx context.Context, in *logQuery) (*logPage, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	q := queries.LogQuery{Attempt: in.Attempt, From: in.From, Tail: in.Tail, Limit: in.Limit}
	if q.At, err = guard.ParseInstant("at", in.At); err != nil {
		return nil, err
	}
	if q.Tail > 0 && !q.At.IsZero() {
		return nil, job.FieldErrorf("tail", "does not go with at: name one of them")
	}
	page, err := s.config.Logs.Log(ctx, id, q)
	if err != nil {
		return nil, err
	}
	page.Text = shown(page.Text, in.Raw)
	return &logPage{api.FromLogPage(page)}, nil
}

// shown returns lines as they are given to those who want them raw, or not.
func shown(text string, raw bool) string {
	if raw {
		return text
	}
	return logformat.Show(text)
}

// search returns what is looked for.
func (in *LogSearch) search() (job.LogSearch, error) {
	q := job.LogSearch{Text: in.Text, Regexp: in.Regexp, Fold: in.Fold, Hits: in.Limit, Context: in.Context}
	d, err := time.ParseDuration(in.For)
	if err != nil || d <= 0 {
		return q, job.FieldErrorf("for", "%q is no duration above 0, such as 500ms or 5s", in.For)
	}
	q.For = d
	err = q.Check()
	return q, err
}

func (s *runRoom) searchLog(ctx context.Context, in *runLogSearch) (*logHits, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	q, err := in.search()
	if err != nil {
		return nil, err
	}
	q.From, q.Backward = in.From, in.Backward
	found, err := s.config.Logs.SearchLog(ctx, id, in.Attempt, q)
	return replyHits(found, in.Raw, err)
}

func (s *runRoom) searchJobLogs(ctx context.Context, in *jobLogSearch) (*logHits, error) {
	q := job.JobLogSearch{State: in.State}
	var err error
	if q.LogSearch, err = in.search(); err != nil {
		return nil, err
	}
	if in.Before != "" {
		if q.Before, err = guard.ParseID("before", in.Before); err != nil {
			return nil, err
		}
	}
	if q.Since, err = guard.ParseInstant("since", in.Since); err != nil {
		return nil, err
	}
	if q.Until, err = guard.ParseInstant("until", in.Until); err != nil {
		return nil, err
	}
	found, err := s.config.Logs.SearchJobLogs(ctx, in.Namespace, in.Key, q)
	return replyHits(found, in.Raw, err)
}

func replyHits(found job.LogHits, raw bool, err error) (*logHits, error) {
	if err != nil {
		return nil, err
	}
	hits := api.FromLogHits(found)
	for i := range hits.Hits {
		hit := &hits.Hits[i]
		hit.Text = shown(hit.Text, raw)
		for j, line := range hit.Before {
			hit.Before[j] = shown(line, raw)
		}
		for j, line := range hit.After {
			hit.After[j] = shown(line, raw)
		}
	}
	return &logHits{hits}, nil
}
