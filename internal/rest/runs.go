package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

type runPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
}

type runQuery struct {
	Job       string    `query:"job" doc:"Only runs of the job with this key."`
	Namespace string    `query:"namespace" default:"default" doc:"The namespace of job. Without job, runs of all namespaces are listed."`
	State     job.State `query:"state" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped" doc:"Only runs in this state."`
	Shards    bool      `query:"shards" default:"false" doc:"List shards too: the runs that others were split into."`
	Before    string    `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"Only ids below this one: next of the page before."`
	Limit     int       `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many runs. A page of large runs ends earlier."`
}

type cancel struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Body *api.Cancel
}

type logQuery struct {
	ID      string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	From    int    `query:"from" minimum:"1" maximum:"2147483647" default:"1" doc:"The first line wanted: next of the page before."`
	Attempt int    `query:"attempt" minimum:"0" maximum:"2147483647" default:"0" doc:"The number of the attempt; 0 is the last one."`
}

type runReply struct{ Body api.Run }

type runList struct{ Body api.RunList }

type attemptList struct{ Body api.AttemptList }

type logPage struct{ Body api.LogPage }

func (s *server) registerRuns() {
	register(s, huma.Operation{
		OperationID: "list-runs", Method: http.MethodGet, Path: "/runs", Tags: []string{tagRuns},
		Summary: "List runs, the newest first",
	}, s.listRuns)
	register(s, huma.Operation{
		OperationID: "get-run", Method: http.MethodGet, Path: "/runs/{id}", Tags: []string{tagRuns},
		Summary: "Show a run",
	}, s.getRun)
	register(s, huma.Operation{
		OperationID: "list-attempts", Method: http.MethodGet, Path: "/runs/{id}/attempts", Tags: []string{tagRuns},
		Summary: "List the attempts of a run, the first one first",
	}, s.listAttempts)
	register(s, huma.Operation{
		OperationID: "cancel-run", Method: http.MethodPost, Path: "/runs/{id}/cancel", Tags: []string{tagRuns},
		Summary: "Cancel a run",
		Description: "A run that waits is cancelled at once. One that was sent is stopping until its executor has reported the end; " +
			"the answer comes after some seconds at the latest and may say stopping.",
	}, s.cancelRun)
	register(s, huma.Operation{
		OperationID: "get-log", Method: http.MethodGet, Path: "/runs/{id}/log", Tags: []string{tagRuns},
		Summary: "Read the log of a run, page by page",
	}, s.getLog)
}

func (s *server) listRuns(ctx context.Context, in *runQuery) (*runList, error) {
	filter := catalog.RunFilter{State: in.State, Shards: in.Shards, Limit: in.Limit}
	var err error
	if filter.JobID, filter.BeforeID, err = s.pageOf(ctx, in.Namespace, in.Job, in.Before); err != nil {
		return nil, err
	}
	runs, err := s.config.Runs.Runs(ctx, filter)
	if err != nil {
		return nil, err
	}
	list, size := api.RunList{Runs: []api.Run{}}, 0
	for _, r := range runs {
		size += len(r.Message) + len(r.Reason)
		if r.Param != nil {
			size += len(*r.Param)
		}
		if size > maxPage && len(list.Runs) > 0 {
			list.Next = list.Runs[len(list.Runs)-1].ID
			break
		}
		list.Runs = append(list.Runs, api.FromRun(r))
	}
	if n := len(list.Runs); n >= in.Limit {
		list.Next = list.Runs[n-1].ID
	}
	return &runList{list}, nil
}

func (s *server) getRun(ctx context.Context, in *runPath) (*runReply, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reply, err := replyRun(s.config.Runs.Run(ctx, id))
	if err == nil {
		err = s.letterOf(ctx, &reply.Body)
	}
	if err == nil {
		err = s.shardsOf(ctx, &reply.Body)
	}
	return reply, err
}

func (s *server) listAttempts(ctx context.Context, in *runPath) (*attemptList, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	attempts, err := s.config.Runs.Attempts(ctx, id)
	if err != nil {
		return nil, err
	}
	list := api.AttemptList{Attempts: make([]api.Attempt, len(attempts))}
	for i, a := range attempts {
		list.Attempts[i] = api.FromAttempt(a)
	}
	return &attemptList{list}, nil
}

func (s *server) cancelRun(ctx context.Context, in *cancel) (*runReply, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return replyRun(s.config.Runs.CancelRun(ctx, id, reason))
}

func (s *server) getLog(ctx context.Context, in *logQuery) (*logPage, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	page, err := s.config.Runs.Log(ctx, id, in.Attempt, in.From)
	if err != nil {
		return nil, err
	}
	return &logPage{api.FromLogPage(page)}, nil
}

func replyRun(r job.Run, err error) (*runReply, error) {
	if err != nil {
		return nil, err
	}
	return &runReply{api.FromRun(r)}, nil
}

// pageOf returns the ids of a page's job and of the page before; 0 for what is
// not named.
func (s *server) pageOf(ctx context.Context, namespace, key, before string) (jobID, beforeID int64, err error) {
	if before != "" {
		if beforeID, err = parseID("before", before); err != nil {
			return 0, 0, err
		}
	}
	if key != "" {
		j, err := s.config.Jobs.Job(ctx, namespace, key)
		if err != nil {
			return 0, 0, err
		}
		jobID = j.ID
	}
	return jobID, beforeID, nil
}

// parseID reads an id whose digits the schema has checked; 19 of them can still
// be too many.
func parseID(field, text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, job.FieldErrorf(field, "%s is larger than any id", text)
	}
	return id, nil
}
