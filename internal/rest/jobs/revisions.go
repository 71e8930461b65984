package jobs

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Revisions finds jobs as users have saved them, those of a deleted job too as long as
// no other has its key.
type Revisions interface {
	Revisions(ctx context.Context, namespace, key string, q jobrows.RevisionQuery) ([]job.Revision, error)
	// Revision also reports whether the job exists.
	Revision(ctx context.Context, namespace, key string, number int64) (job.Revision, bool, error)
}

type revisionQuery struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Changed   string `query:"changed" enum:"code" doc:"code: only those whose code is another one than before."`
	Before    int64  `query:"before" minimum:"1" doc:"Only numbers below this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"At most so many."`
}

type revisionPath struct {
	Key       string `path:"key" doc:"The job's key."`
	Number    int64  `path:"number" minimum:"1" doc:"The number of the revision."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
}

type diffPath struct {
	Key       string `path:"key" doc:"The job's key."`
	From      int64  `path:"from" minimum:"1" doc:"The number of the revision that is compared with."`
	To        int64  `path:"to" minimum:"1" doc:"The number of the revision that is compared."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
}

type restoring struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Body      api.Restoring
}

type revisionList struct{ Body api.RevisionList }

type savedReply struct{ Body api.SavedJob }

type diffReply struct{ Body api.RevisionDiff }

func (s *jobRoom) registerRevisions() {
	tags := []string{guard.TagJobs}
	guard.Register(s.Guard, guard.Op{
		ID: "list-revisions", Method: http.MethodGet, Path: "/jobs/{key}/revisions", Tags: tags,
		Right: access.View, Scope: guard.OnSavedJob, Class: guard.Reading,
		Summary: "List the revisions of a job, the newest first",
		Description: "Each save by a user makes a revision. The newest 100 of a job are kept, and those of the last 90 days, at most 1000. " +
			"Those of a job that was deleted are kept for 30 days, and found by its key until another job has it.",
	}, s.listRevisions)
	guard.Register(s.Guard, guard.Op{
		ID: "get-revision", Method: http.MethodGet, Path: "/jobs/{key}/revisions/{number}", Tags: tags,
		Right: access.View, Scope: guard.OnSavedJob, Class: guard.Reading,
		Summary: "Show a job as it was saved",
	}, s.getRevision)
	guard.Register(s.Guard, guard.Op{
		ID: "diff-revisions", Method: http.MethodGet, Path: "/jobs/{key}/revisions/{from}/diff/{to}", Tags: tags,
		Right: access.View, Scope: guard.OnSavedJob, Class: guard.Searching,
		Summary: "Show the differences of two revisions of a job",
	}, s.diffRevisions)
	guard.Register(s.Guard, guard.Op{
		ID: "restore-job", Method: http.MethodPost, Path: "/jobs/{key}/restore", Tags: tags,
		Right: access.Edit, Scope: guard.OnSavedJob, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true, Noted: true, Match: true},
		Summary: "Restore a job to a revision, except for its key and whether it is enabled",
		Description: "This is an ordinary change, with all checks of one: it makes a revision of its own. " +
			"A job that was deleted is created again, disabled, with another id.",
	}, s.restoreJob)
}

func (s *jobRoom) listRevisions(ctx context.Context, in *revisionQuery) (*revisionList, error) {
	found, err := s.config.Revisions.Revisions(ctx, in.Namespace, in.Key, jobrows.RevisionQuery{
		Before: in.Before, Recoded: in.Changed == "code", Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	list := api.RevisionList{Revisions: make([]api.Revision, len(found))}
	for i := range found {
		list.Revisions[i] = api.FromRevision(&found[i])
	}
	if n := len(found); n > 0 && n >= in.Limit {
		list.Next = found[n-1].Number
	}
	return &revisionList{list}, nil
}

func (s *jobRoom) getRevision(ctx context.Context, in *revisionPath) (*savedReply, error) {
	r, _, err := s.config.Revisions.Revision(ctx, in.Namespace, in.Key, in.Number)
	if err != nil {
		return nil, err
	}
	reply := &savedReply{savedJob(&r)}
	return reply, s.unnamed(ctx, &reply.Body.Job)
}

// savedJob returns a revision with what was saved, as the API shows it.
func savedJob(r *job.Revision) api.SavedJob {
	j := r.Job
	j.Version, j.UpdatedAt = r.Number, r.At
	return api.SavedJob{Revision: api.FromRevision(r), Job: api.FromJob(j)}
}

func (s *jobRoom) diffRevisions(ctx context.Context, in *diffPath) (*diffReply, error) {
	before, _, err := s.config.Revisions.Revision(ctx, in.Namespace, in.Key, in.From)
	if err != nil {
		return nil, err
	}
	after, _, err := s.config.Revisions.Revision(ctx, in.Namespace, in.Key, in.To)
	if err != nil {
		return nil, err
	}
	diff, err := s.difference(ctx, &before, &after)
	if err != nil {
		return nil, err
	}
	return &diffReply{diff}, nil
}

func (s *jobRoom) restoreJob(ctx context.Context, in *restoring) (*jobReply, error) {
	r, alive, err := s.config.Revisions.Revision(ctx, in.Namespace, in.Key, in.Body.Revision)
	if err != nil {
		return nil, err
	}
	if !alive {
		return s.revive(ctx, in, &r.Job)
	}
	return s.replying(ctx)(s.config.Jobs.UpdateJob(ctx, in.Namespace, in.Key, in.Body.Version, func(old job.Job) (job.Job, error) {
		wanted, err := s.restored(ctx, &r.Job, &old)
		if err != nil {
			return job.Job{}, err
		}
		var from *job.Job
		if wanted.Template != 0 && (wanted.Template != old.Template || wanted.TemplateVersion != old.TemplateVersion || guard.PlaceOf(&wanted) != guard.PlaceOf(&old)) {
			if from, err = s.templateOf(ctx, &wanted); err != nil {
				return job.Job{}, err
			}
		}
		err = s.mayKeep(ctx, &wanted, &old, from)
		return wanted, err
	}))
}

// revive creates a job that was deleted, as it was saved.
func (s *jobRoom) revive(ctx context.Context, in *restoring, saved *job.Job) (*jobReply, error) {
	if in.Body.Version != 0 {
		return nil, job.Errorf(job.Conflict, "job %s has no version %d any more: it was deleted", in.Key, in.Body.Version)
	}
	wanted, err := s.restored(ctx, saved, &job.Job{Namespace: in.Namespace, Key: in.Key})
	if err != nil {
		return nil, err
	}
	wanted.Enabled = false
	var from *job.Job
	if wanted.Template != 0 {
		if from, err = s.templateOf(ctx, &wanted); err != nil {
			return nil, err
		}
	}
	if err := s.mayKeep(ctx, &wanted, nil, from); err != nil {
		return nil, err
	}
	return s.replying(ctx)(s.config.Jobs.CreateJob(ctx, wanted))
}

// restored returns the job that old is to be. Children that are new to it take the
// right to operate, as ever.
func (s *jobRoom) restored(ctx context.Context, saved, old *job.Job) (job.Job, error) {
	wanted := *saved
	wanted.ID, wanted.Namespace, wanted.Key, wanted.Enabled = 0, cmp.Or(old.Namespace, job.DefaultNamespace), old.Key, old.Enabled
	wanted.Handler.SourceAt = time.Time{}
	if wanted.Schedule.Delay != 0 {
		wanted.Schedule.At = time.Time{} // a start has set it
	}
	children := make([]api.Child, len(saved.Children))
	for i, c := range saved.Children {
		if c.Key == "" {
			wrong := job.FieldErrorf("revision", "the job had the child %d then, which does not exist any more", c.JobID)
			wrong.Hint = "look at the revision with get-revision, or 'orth job history', and change the job by hand"
			return job.Job{}, wrong
		}
		children[i] = api.Child{Key: c.Key, On: c.On, Param: c.Param}
	}
	var err error
	wanted.Children, err = s.children(ctx, wanted.Namespace, children, old.Children)
	return wanted, err
}

// templateOf returns the template of a job that is to be restored, which the caller
// must be able to see.
func (s *jobRoom) templateOf(ctx context.Context, wanted *job.Job) (*job.Job, error) {
	if wanted.TemplateKey == "" {
		return nil, job.FieldErrorf("revision", "the job had the template %s then, which does not exist any more", strconv.FormatInt(wanted.Template, 10))
	}
	return s.template(ctx, wanted.Namespace, wanted.TemplateKey)
}
