package workflows

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type newBackfill struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	DryRun    bool   `query:"dry_run" default:"false" doc:"Create nothing: the answer has the status 200 and shows the backfill that would be created, without an id."`
	Body      api.NewBackfill
}

type backfillPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a backfill's id" doc:"The backfill's id."`
}

type backfillQuery struct {
	Job       string `query:"job" doc:"Only backfills of the job with this key."`
	Namespace string `query:"namespace" doc:"Only backfills of jobs of this namespace. With job it defaults to default, else to all that the caller may see."`
	Before    string `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a backfill's id" doc:"Only ids below this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many backfills. A page of large ones ends earlier."`
}

type cancelBackfill struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a backfill's id" doc:"The backfill's id."`
	Body *api.Cancel
}

type backfillReply struct{ Body api.Backfill }

type backfillCreated struct {
	Status   int
	Location string `header:"Location" doc:"The path of the backfill; absent when nothing was made."`
	Body     api.Backfill
}

type backfillList struct{ Body api.BackfillList }

func (s *workflowRoom) registerBackfills() {
	guard.Register(s.Guard, guard.Op{
		ID: "create-backfill", Method: http.MethodPost, Path: "/jobs/{key}/backfills", Tags: []string{guard.TagJobs, guard.TagBackfills},
		Right: access.Operate, Scope: guard.OnJob, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true},
		Summary: "Run a job for the slots of a past time",
	}, s.createBackfill)
	guard.Register(s.Guard, guard.Op{
		ID: "list-backfills", Method: http.MethodGet, Path: "/backfills", Tags: []string{guard.TagBackfills},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary: "List backfills, the newest first",
	}, s.listBackfills)
	guard.Register(s.Guard, guard.Op{
		ID: "get-backfill", Method: http.MethodGet, Path: "/backfills/{id}", Tags: []string{guard.TagBackfills},
		Right: access.View, Scope: guard.OnBackfill, Class: guard.Reading,
		Summary: "Show a backfill",
	}, s.getBackfill)
	guard.Register(s.Guard, guard.Op{
		ID: "cancel-backfill", Method: http.MethodPost, Path: "/backfills/{id}/cancel", Tags: []string{guard.TagBackfills},
		Right: access.Operate, Scope: guard.OnBackfill, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindBackfill},
		Summary: "End a backfill and cancel its runs that wait; runs that were sent go on",
	}, s.cancelBackfill)
}

func (s *workflowRoom) createBackfill(ctx context.Context, in *newBackfill) (*backfillCreated, error) {
	wanted := in.Body.Backfill()
	var err error
	if wanted.Param, wanted.JobVersion, err = s.RunParam(ctx, in.Namespace, in.Key, wanted.Param); err != nil {
		return nil, err
	}
	if in.DryRun {
		b, err := s.config.Backfills.PreviewBackfill(ctx, in.Namespace, in.Key, wanted)
		if err != nil {
			return nil, err
		}
		return &backfillCreated{Status: http.StatusOK, Body: api.FromBackfill(b)}, nil
	}
	b, err := s.config.Backfills.CreateBackfill(ctx, in.Namespace, in.Key, wanted)
	if err != nil {
		return nil, err
	}
	shown := api.FromBackfill(b)
	return &backfillCreated{Status: http.StatusCreated, Location: guard.Prefix + "/backfills/" + shown.ID.String(), Body: shown}, nil
}

func (s *workflowRoom) listBackfills(ctx context.Context, in *backfillQuery) (*backfillList, error) {
	q := jobrows.BackfillQuery{Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Job: in.Job, Limit: in.Limit}
	var err error
	if in.Before != "" {
		if q.BeforeID, err = guard.ParseID("before", in.Before); err != nil {
			return nil, err
		}
	}
	found, err := s.config.Backfills.Backfills(ctx, q)
	if err != nil {
		return nil, err
	}
	list, size := api.BackfillList{Backfills: []api.Backfill{}}, 0
	for _, b := range found {
		size += len(b.Reason)
		if b.Param != nil {
			size += len(*b.Param)
		}
		if size > guard.MaxPage && len(list.Backfills) > 0 {
			list.Next = list.Backfills[len(list.Backfills)-1].ID
			break
		}
		list.Backfills = append(list.Backfills, api.FromBackfill(b))
	}
	if n := len(list.Backfills); n >= in.Limit {
		list.Next = list.Backfills[n-1].ID
	}
	return &backfillList{list}, nil
}

func (s *workflowRoom) getBackfill(ctx context.Context, in *backfillPath) (*backfillReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return replyBackfill(s.config.Backfills.Backfill(ctx, id))
}

func (s *workflowRoom) cancelBackfill(ctx context.Context, in *cancelBackfill) (*backfillReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return replyBackfill(s.config.Backfills.CancelBackfill(ctx, id, reason))
}

func replyBackfill(b job.Backfill, err error) (*backfillReply, error) {
	if err != nil {
		return nil, err
	}
	return &backfillReply{api.FromBackfill(b)}, nil
}

// Backfills is all that the API asks about backfills.
type Backfills interface {
	BackfillMaker
	BackfillReader
}

// BackfillMaker creates and ends backfills. The Slots of a new one are the most that it may
// have.
type BackfillMaker interface {
	PreviewBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error)
	CreateBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error)
	CancelBackfill(ctx context.Context, id int64, reason string) (job.Backfill, error)
}

// BackfillReader finds backfills.
type BackfillReader interface {
	Backfill(ctx context.Context, id int64) (job.Backfill, error)
	Backfills(ctx context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error)
}
