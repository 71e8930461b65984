package rest

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

const (
	// maxBulk bounds what is done to many at once.
	maxBulk = 1000
	// bulkAtOnce is how many of them are worked on at the same time: most wait for a
	// transaction that they share, and some for an executor. On a server whose commits
	// take a second, 200 take four.
	bulkAtOnce = 64
)

type jobBulk struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace of the jobs; with a filter, * for those of all that the caller may see."`
	Body      api.JobBulk
}

type runBulk struct{ Body api.RunBulk }

type doneReply struct{ Body api.Done }

func (s *server) registerBulk() {
	register(s, Op{
		ID: "bulk-jobs", Method: http.MethodPost, Path: "/jobs/bulk", Tags: []string{tagJobs},
		Right: access.Operate, Scope: inBody, Class: Writing,
		Summary: "Start, stop, trigger, label or delete many jobs",
		Description: "Each succeeds or fails by itself, and needs the right that the action needs on one; the answer has a result " +
			"for each, in order. A filter finds only jobs that the caller may see; those of all namespaces for the namespace *.",
	}, s.bulkJobs)
	register(s, Op{
		ID: "bulk-runs", Method: http.MethodPost, Path: "/runs/bulk", Tags: []string{tagRuns},
		Right: access.Operate, Scope: inBody, Class: Writing,
		Summary: "Cancel many runs, or make them again",
		Description: "Each succeeds or fails by itself, and needs the right to operate where it is; the answer has a result " +
			"for each, in order. A filter finds only runs that the caller may see.",
	}, s.bulkRuns)
}

// item is one of many: where it is, why it is not known, and what is done to it. do
// returns the run that it made, 0 for none.
type item struct {
	space  string // set in queries of all namespaces
	key    string
	object intent.Object
	err    error
	do     func(context.Context) (run int64, err error)
	// would describes the effect of do. look determines it for actions that cannot be tried
	// and rolled back; it is nil for the others.
	would effect
	look  func(context.Context) (effect, error)
}

// effect is what would happen to one of many: in words, and whether it is so already.
type effect struct {
	text      string
	unchanged bool
}

// act does something to an item, or tries it: then all is checked, and undone.
func (i *item) act(ctx context.Context, right access.Right, dry bool, told *api.DoneItem) error {
	ctx = intent.For(ctx, right, i.object)
	if !dry {
		run, err := i.do(ctx)
		told.Run = api.ID(run)
		return err
	}
	would, err := i.try(ctx)
	if err == nil {
		told.Would, told.Unchanged = would.text, would.unchanged
	}
	return err
}

// try returns the effect that the action would have on an item.
func (i *item) try(ctx context.Context) (effect, error) {
	if i.look != nil {
		return i.look(ctx)
	}
	wish := intent.Of(ctx)
	if wish == nil { // without a request nothing would roll it back
		return i.would, job.Errorf(job.Internal, "the request has no dry run to roll back")
	}
	wish.Dry = true
	_, err := i.do(ctx)
	return i.would, err
}

// each applies an action to all items, some in parallel, and returns the result of each, or
// of its dry run. right is needed on every one. An item that the caller may not see counts
// as missing.
func (s *server) each(ctx context.Context, operation string, right access.Right, dry bool, items []item) *doneReply {
	noteAsked(ctx)
	caller := intent.Caller(ctx)
	reply := &doneReply{api.Done{Items: make([]api.DoneItem, len(items))}}
	errs := make([]error, len(items))
	places := make(chan struct{}, bulkAtOnce)
	var working sync.WaitGroup
	for i := range items {
		one := &items[i]
		reply.Body.Items[i].Namespace, reply.Body.Items[i].Key = one.space, one.key
		if errs[i] = one.refused(&caller, right); errs[i] != nil {
			continue
		}
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			if errs[i] = context.Cause(ctx); errs[i] == nil {
				errs[i] = one.act(ctx, right, dry, &reply.Body.Items[i])
			}
		})
	}
	working.Wait()
	var last error // reported, and logged, once for all
	var why api.Problem
	for i, err := range errs {
		if err == nil {
			reply.Body.Done++
			if reply.Body.Items[i].Unchanged {
				reply.Body.Unchanged++
			}
			continue
		}
		reply.Body.Failed++
		if last == nil || !errors.Is(err, last) {
			last, why = err, s.problem(ctx, operation, err).Problem
		}
		told := why
		reply.Body.Items[i].Error = &told
	}
	return reply
}

// refused reports why nothing is done to an item.
func (i *item) refused(caller *access.Principal, right access.Right) error {
	o := access.Object{Namespace: i.object.Namespace, Group: i.object.Group}
	switch {
	case i.err != nil:
		return i.err
	case caller.May(right, o):
		return nil
	case caller.May(access.View, o):
		return access.Denied(caller, right)
	}
	return absent(i.object.Kind, i.key)
}

// absent is the error for what is not there, or may not be seen.
func absent(kind, key string) error {
	return job.Errorf(job.NotFound, "there is no %s %s that you may see", kind, key)
}

func (s *server) bulkJobs(ctx context.Context, in *jobBulk) (*doneReply, error) {
	wish := &in.Body
	switch {
	case (len(wish.Keys) > 0) == (wish.Filter != nil):
		return nil, job.Errorf(job.Invalid, "jobs are named by keys or found by a filter: give one of them")
	case (wish.Action == "label") != (len(wish.Labels) > 0):
		return nil, job.FieldErrorf("labels", "go with the action label, and it with them")
	case in.Namespace == access.All && wish.Filter == nil:
		return nil, oneSpace("name the namespace of the keys, or find the jobs by a filter")
	}
	right := access.Operate
	if wish.Action == "label" || wish.Action == "delete" {
		right = access.Edit
	}
	var jobs []job.Job
	var more bool
	var err error
	items := make([]item, 0, len(wish.Keys))
	if wish.Filter != nil {
		if jobs, more, err = s.jobsFor(ctx, in.Namespace, wish.Filter); err != nil {
			return nil, err
		}
		for i := range jobs {
			items = append(items, s.jobItem(&jobs[i], wish))
			if in.Namespace == access.All {
				items[i].space = jobs[i].Namespace
			}
		}
	}
	for _, key := range wish.Keys {
		j, err := s.config.Jobs.Job(ctx, in.Namespace, key)
		switch {
		case job.Is(err, job.NotFound):
			items = append(items, item{key: key, err: absent("job", key)})
		case err != nil:
			return nil, err
		default:
			items = append(items, s.jobItem(&j, wish))
		}
	}
	reply := s.each(ctx, "bulk-jobs", right, wish.DryRun, items)
	if more {
		reply.Body.More, reply.Body.Next = true, items[len(items)-1].place()
	}
	return reply, nil
}

// place returns where the answer goes on behind an item.
func (i *item) place() string {
	if i.space == "" {
		return i.key
	}
	return i.space + "/" + i.key // no name has a slash
}

// jobsFor finds the jobs of a filter, and whether there are more. In all namespaces
// they are in order of namespace and key.
func (s *server) jobsFor(ctx context.Context, namespace string, f *api.JobFilter) (jobs []job.Job, more bool, err error) {
	q := catalog.JobQuery{
		Sight: s.sight(ctx, access.View), Namespace: namespace, Group: f.Group, Enabled: f.Enabled, Kind: schedule.Kind(f.Kind),
		Handler: f.Handler, Labels: f.Labels, AnyLabel: f.Mode == "any", Owner: f.Owner, Status: catalog.JobStatus(f.Status),
		Text: f.Text, Calendar: f.Calendar, Template: f.Template, Last: f.Last, After: f.After,
	}
	if f.Label != "" {
		q.Labels = append([]string{f.Label}, f.Labels...)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = maxBulk
	}
	q.Limit = limit
	if namespace == access.All {
		if err := fromEverywhere(&q, "filter.after"); err != nil {
			return nil, false, err
		}
	}
	if jobs, err = s.config.Lists.FindJobs(ctx, q); err != nil || len(jobs) < limit {
		return jobs, false, err
	}
	last := &jobs[len(jobs)-1]
	if q.Limit, q.After = 1, last.Key; q.Everywhere {
		q.Namespace = last.Namespace
	}
	behind, err := s.config.Lists.FindJobs(ctx, q)
	return jobs, len(behind) > 0, err
}

// jobItem returns what is done to a job.
func (s *server) jobItem(j *job.Job, wish *api.JobBulk) item {
	namespace, key, jobs := j.Namespace, j.Key, s.config.Jobs
	one := item{key: key, object: intent.Object{Kind: kindJob, Namespace: namespace, Group: j.Group, Key: key}}
	switch wish.Action {
	case "start":
		if one.would = (effect{"it would be started", false}); j.Enabled {
			one.would = effect{"it is started already", true}
		}
		one.do = func(ctx context.Context) (int64, error) { _, err := jobs.StartJob(ctx, namespace, key); return 0, err }
	case "stop":
		if one.would = (effect{"it would be stopped", false}); !j.Enabled {
			one.would = effect{"it is stopped already", true}
		}
		one.do = func(ctx context.Context) (int64, error) { _, err := jobs.StopJob(ctx, namespace, key); return 0, err }
	case "delete":
		one.would = effect{"it would be deleted, and its waiting runs cancelled", false}
		one.do = func(ctx context.Context) (int64, error) { return 0, jobs.DeleteJob(ctx, namespace, key) }
	case "trigger":
		one.would = effect{"a run would be made", false}
		one.do = func(ctx context.Context) (int64, error) {
			r, err := s.config.Runs.Trigger(ctx, namespace, key, catalog.Trigger{})
			return r.ID, err
		}
	default:
		if one.would = (effect{"its labels would change", false}); maps.Equal(j.Labels, labelled(j.Labels, wish.Labels)) {
			one.would = effect{"it has these labels already", true}
		}
		one.do = func(ctx context.Context) (int64, error) {
			_, err := jobs.UpdateJob(ctx, namespace, key, 0, func(old job.Job) (job.Job, error) {
				old.Labels = labelled(old.Labels, wish.Labels)
				return old, nil
			})
			return 0, err
		}
	}
	return one
}

// labelled returns labels with some set, and those removed that are nil.
func labelled(old map[string]string, set map[string]*string) map[string]string {
	labels := maps.Clone(old)
	if labels == nil {
		labels = make(map[string]string, len(set))
	}
	for key, value := range set {
		if value == nil {
			delete(labels, key)
		} else {
			labels[key] = *value
		}
	}
	return labels
}
