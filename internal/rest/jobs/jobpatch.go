package jobs

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

type jobPatch struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Body      map[string]any
}

func (s *jobRoom) registerJobPatch() {
	s.newJobs = s.Schemas().Schema(reflect.TypeFor[api.NewJob](), true, "NewJob")
	guard.Register(s.Guard, guard.Op{
		ID: "update-job", Method: http.MethodPatch, Path: "/jobs/{key}", Tags: []string{guard.TagJobs},
		Right: access.Edit, Scope: guard.OnJob, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true, Noted: true},
		Summary: "Change a job",
		Description: "A JSON merge patch (RFC 7396) of the fields of a new job: a field that is absent stays as it is, null " +
			"gives it its default, and objects are merged, but for a schedule or a handler of another kind than before: " +
			"nothing of the old kind is left. A job that is started stays so, and fires by a changed schedule from now on. " +
			"With a version the job is changed only if it has that version, else the answer is a conflict. " +
			"A patch that changes nothing leaves the version as it is.",
		Body:    operation.PatchBody(s.Schemas(), s.newJobs, "job", "namespace", "enabled"),
		Example: `{"retry": null, "timeout": "45m", "version": 4}`,
	}, s.updateJob)
}

func (s *jobRoom) updateJob(ctx context.Context, in *jobPatch) (*jobReply, error) {
	patch, version, err := operation.TakeVersion(in.Body)
	if err != nil {
		return nil, err
	}
	if err := s.checkPatch(patch); err != nil {
		return nil, err
	}
	return s.replying(ctx)(s.config.Jobs.UpdateJob(ctx, in.Namespace, in.Key, version, func(old job.Job) (job.Job, error) {
		return s.patched(ctx, old, patch)
	}))
}

// checkPatch refuses fields that no patch has.
func (s *jobRoom) checkPatch(patch map[string]any) error {
	whole := s.Schemas().SchemaFromRef(s.newJobs.Ref)
	for name := range patch {
		if name == "enabled" {
			wrong := job.FieldErrorf(name, "is not changed here")
			wrong.Hint = "start or stop the job"
			return wrong
		}
		if _, known := whole.Properties[name]; !known {
			return job.FieldErrorf(name, "is not a field that the API knows")
		}
	}
	return nil
}

// patched returns the job as the patch makes it.
func (s *jobRoom) patched(ctx context.Context, old job.Job, patch map[string]any) (job.Job, error) {
	fields, err := s.fieldsOf(old)
	if err != nil {
		return job.Job{}, err
	}
	_, children := patch["children"]
	_, template := patch["template"]
	if _, pins := patch["template_version"]; template && !pins {
		delete(fields, "template_version") // it was one of another template
	}
	for _, name := range []string{"schedule", "handler"} {
		if kind, changes := newKind(fields[name], patch[name]); changes {
			fields[name] = boundsOf(fields[name], kind)
		}
	}
	operation.Merge(fields, patch)
	wanted, err := s.readJob(fields)
	if err != nil {
		return job.Job{}, err
	}
	j := wanted.Job()
	if j.Namespace == "" {
		j.Namespace = old.Namespace
	}
	if j.Children = old.Children; children {
		if j.Children, err = s.children(ctx, old.Namespace, wanted.Children, old.Children); err != nil {
			return job.Job{}, err
		}
	}
	var from *job.Job
	if j.Template, j.TemplateKey = old.Template, old.TemplateKey; template {
		if from, err = s.template(ctx, old.Namespace, wanted.Template); err != nil {
			return j, err
		}
		j.Template = idOf(from)
	} else if old.Template != 0 && (j.TemplateVersion != old.TemplateVersion || guard.PlaceOf(&j) != guard.PlaceOf(&old)) {
		kept, err := s.config.Jobs.Job(ctx, old.Namespace, old.TemplateKey) // the one that it has needs no right
		if err != nil {
			return j, err
		}
		from = &kept
	}
	err = s.mayKeep(ctx, &j, &old, from)
	return j, err
}

// fieldsOf returns what a job has of the fields of a new job, but for those that
// name other jobs, where it is, and whether it is started.
func (s *jobRoom) fieldsOf(old job.Job) (map[string]any, error) {
	fields, err := operation.AsFields(api.FromJob(old))
	if err != nil {
		return nil, fmt.Errorf("take job %s apart: %w", old.Key, err)
	}
	whole := s.Schemas().SchemaFromRef(s.newJobs.Ref)
	maps.DeleteFunc(fields, func(name string, _ any) bool {
		_, known := whole.Properties[name]
		return !known || name == guard.SpaceField || name == "enabled" || name == "children" || name == "template"
	})
	return fields, nil
}

// readJob checks the fields as those of a new job are checked, and reads them.
func (s *jobRoom) readJob(fields map[string]any) (api.NewJob, error) {
	var wanted api.NewJob
	err := s.ReadFields(s.newJobs, "job", fields, &wanted)
	return wanted, err
}

// newKind returns the kind that a patch names, and whether it is another one than
// there was.
func newKind(old, patch any) (kind any, changes bool) {
	was, _ := old.(map[string]any)
	wanted, _ := patch.(map[string]any)
	kind, named := wanted["kind"]
	return kind, named && kind != was["kind"]
}

// boundsOf returns the fields of a schedule outside of its kind: its zone, its start and
// its days. A manual one has none, nor has a handler.
func boundsOf(old, kind any) any {
	was, _ := old.(map[string]any)
	kept := make(map[string]any)
	if kind == string(schedule.KindManual) {
		return kept
	}
	for _, name := range []string{"zone", "start", "end", "count", "jitter", "calendars", "excluded"} {
		if value, ok := was[name]; ok {
			kept[name] = value
		}
	}
	return kept
}

// template looks up the job that a user names as a template, nil for none.
func (s *jobRoom) template(ctx context.Context, namespace, key string) (*job.Job, error) {
	if key == "" {
		return nil, nil
	}
	j, err := s.JobFor(ctx, access.View, namespace, key)
	if job.Is(err, job.NotFound) {
		return nil, job.FieldErrorf("template", "there is no job %q in namespace %q: create it first", key, namespace)
	}
	return &j, err
}

// idOf returns the id of a job, 0 for none.
func idOf(j *job.Job) int64 {
	if j == nil {
		return 0
	}
	return j.ID
}
