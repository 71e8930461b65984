package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

type jobPatch struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Body      map[string]any
}

// fieldVersion is the field of a patch that is none of a new job.
const fieldVersion = "version"

func (s *server) registerJobPatch() {
	s.newJobs = s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[api.NewJob](), true, "NewJob")
	register(s, huma.Operation{
		OperationID: "update-job", Method: http.MethodPatch, Path: "/jobs/{key}", Tags: []string{tagJobs},
		Summary: "Change a job",
		Description: "A JSON merge patch (RFC 7396) of the fields of a new job: a field that is absent stays as it is, null " +
			"gives it its default, and objects are merged, but for a schedule or a handler of another kind than before: " +
			"nothing of the old kind is left. A job that is started stays so, and fires by a changed schedule from now on. " +
			"With a version the job is changed only if it has that version, else the answer is a conflict. " +
			"A patch that changes nothing leaves the version as it is.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: s.patchSchema()}}},
	}, s.updateJob)
}

// patchSchema describes a patch. What a patch makes of a job is checked when both
// are known.
func (s *server) patchSchema() *huma.Schema {
	schemas := s.api.OpenAPI().Components.Schemas
	whole := schemas.SchemaFromRef(s.newJobs.Ref)
	patch := &huma.Schema{Type: huma.TypeObject, Properties: make(map[string]*huma.Schema, len(whole.Properties))}
	for name, field := range whole.Properties {
		if name == "namespace" || name == "enabled" {
			continue
		}
		described := field
		for described.Ref != "" {
			described = schemas.SchemaFromRef(described.Ref)
		}
		patch.Properties[name] = &huma.Schema{
			Description: firstOf(field.Description, described.Description), Examples: field.Examples,
			Extensions: map[string]any{"type": []string{described.Type, "null"}},
		}
	}
	patch.Properties[fieldVersion] = &huma.Schema{
		Type: huma.TypeInteger, Description: "The version that the job must have. Absent means any.",
	}
	patch.PrecomputeMessages()
	return patch
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func (s *server) updateJob(ctx context.Context, in *jobPatch) (*jobReply, error) {
	patch := maps.Clone(in.Body)
	var version int64
	if given, ok := patch[fieldVersion].(float64); ok {
		version = int64(given)
		if float64(version) != given || version < 1 {
			return nil, job.FieldErrorf(fieldVersion, "%v is not a version: they count from 1", given)
		}
	}
	delete(patch, fieldVersion)
	if err := s.checkPatch(patch); err != nil {
		return nil, err
	}
	return replyJob(s.config.Jobs.UpdateJob(ctx, in.Namespace, in.Key, version, func(old job.Job) (job.Job, error) {
		return s.patched(ctx, old, patch)
	}))
}

// checkPatch refuses fields that no patch has.
func (s *server) checkPatch(patch map[string]any) error {
	whole := s.api.OpenAPI().Components.Schemas.SchemaFromRef(s.newJobs.Ref)
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
func (s *server) patched(ctx context.Context, old job.Job, patch map[string]any) (job.Job, error) {
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
	merge(fields, patch)
	wanted, err := s.readJob(fields)
	if err != nil {
		return job.Job{}, err
	}
	j := wanted.Job()
	if j.Namespace == "" {
		j.Namespace = old.Namespace
	}
	if j.Children = old.Children; children {
		if j.Children, err = s.children(ctx, old.Namespace, wanted.Children); err != nil {
			return job.Job{}, err
		}
	}
	if j.Template, j.TemplateKey = old.Template, old.TemplateKey; template {
		j.Template, err = s.template(ctx, old.Namespace, wanted.Template)
	}
	return j, err
}

// fieldsOf returns what a job has of the fields of a new job, but for those that
// name other jobs, where it is, and whether it is started.
func (s *server) fieldsOf(old job.Job) (map[string]any, error) {
	text, err := json.Marshal(api.FromJob(old))
	if err != nil {
		return nil, fmt.Errorf("write job %s as JSON: %w", old.Key, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("read job %s as JSON: %w", old.Key, err)
	}
	whole := s.api.OpenAPI().Components.Schemas.SchemaFromRef(s.newJobs.Ref)
	maps.DeleteFunc(fields, func(name string, _ any) bool {
		_, known := whole.Properties[name]
		return !known || name == "namespace" || name == "enabled" || name == "children" || name == "template"
	})
	return fields, nil
}

// readJob checks the fields as those of a new job are checked, and reads them.
func (s *server) readJob(fields map[string]any) (api.NewJob, error) {
	path := huma.NewPathBuffer(nil, 0)
	path.Push("body")
	var found huma.ValidateResult
	huma.Validate(s.api.OpenAPI().Components.Schemas, s.newJobs, path, huma.ModeWriteToServer, fields, &found)
	var wanted api.NewJob
	if len(found.Errors) == 0 {
		text, err := json.Marshal(fields)
		if err == nil {
			err = json.Unmarshal(text, &wanted)
		}
		if err != nil {
			return wanted, job.Errorf(job.Invalid, "this is not what a job looks like: %w", err)
		}
		return wanted, nil
	}
	model := huma.ErrorModel{Status: http.StatusUnprocessableEntity, Detail: "the job would not be one"}
	for _, err := range found.Errors {
		if detail, ok := err.(*huma.ErrorDetail); ok { //nolint:errorlint // huma wraps none of its own.
			model.Errors = append(model.Errors, detail)
		}
	}
	return wanted, &problem{requestProblem(&model)}
}

// newKind returns the kind that a patch names, and whether it is another one than
// there was.
func newKind(old, patch any) (kind any, changes bool) {
	was, _ := old.(map[string]any)
	wanted, _ := patch.(map[string]any)
	kind, named := wanted["kind"]
	return kind, named && kind != was["kind"]
}

// boundsOf returns what a schedule has beside its kind: in which zone, from when
// and on which days it fires. A manual one has nothing like that, nor has a
// handler.
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

// merge merges a patch into fields as RFC 7396 says; names differ by more than
// the case of letters.
func merge(fields, patch map[string]any) {
	for name, value := range patch {
		for known := range fields {
			if strings.EqualFold(known, name) {
				name = known
			}
		}
		inner, object := value.(map[string]any)
		switch {
		case value == nil:
			delete(fields, name)
		case object:
			into, ok := fields[name].(map[string]any)
			if !ok {
				into = make(map[string]any, len(inner))
			}
			merge(into, inner)
			fields[name] = into
		default:
			fields[name] = value
		}
	}
}

// template looks up the job that a user names as a template, 0 for none.
func (s *server) template(ctx context.Context, namespace, key string) (int64, error) {
	if key == "" {
		return 0, nil
	}
	j, err := s.config.Jobs.Job(ctx, namespace, key)
	if job.Is(err, job.NotFound) {
		return 0, job.FieldErrorf("template", "there is no job %q in namespace %q: create it first", key, namespace)
	}
	return j.ID, err
}
