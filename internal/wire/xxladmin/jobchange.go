package xxladmin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// The fields that a form has for a job, besides those that package xxl reads.
const (
	fieldTitle    = "jobDesc" // name, from release 3.5 on
	fieldCron     = "jobCron" // up to release 2.2, in the place of the next two
	fieldSchedule = "scheduleType"
	fieldConf     = "scheduleConf"
	fieldChildren = "childJobId"
	fieldStatus   = "triggerStatus"
)

// jobForm reads a form's description of a job.
func jobForm(f *form) (dialect.JobForm, error) {
	var j dialect.JobForm
	for name, values := range f.values {
		if err := j.Set(name, values[0]); err != nil {
			return j, err
		}
	}
	if f.has(fieldTitle) {
		if err := j.Set("name", f.values.Get(fieldTitle)); err != nil {
			return j, err
		}
	}
	if f.has(fieldCron) && !f.has(fieldSchedule) {
		if err := j.Set(fieldSchedule, "CRON"); err != nil {
			return j, err
		}
		return j, j.Set(fieldConf, f.values.Get(fieldCron)) //nolint:gocritic // The order does not matter.
	}
	return j, nil
}

// keyTries is how many keys are tried for a new job. All but the first hold something
// random.
const keyTries = 4

// addJob answers jobinfo/add and jobinfo/insert: with the id of the new job, as a text.
// It lives in the namespace of its group.
func (h *Handler) addJob(ctx context.Context, c *adminCall) (any, error) {
	f, err := jobForm(&c.form)
	if err != nil {
		return nil, err
	}
	group, err := h.groupOf(ctx, &c.form, "jobGroup")
	if err != nil {
		return nil, err
	}
	j := job.Job{Namespace: group.Namespace, Group: group.Key}
	if err := f.Apply(&j, true, h.config.Zone); err != nil {
		return nil, err
	}
	fields, err := fieldsOf(&j)
	if err != nil {
		return nil, err
	}
	if c.form.trimmed(fieldStatus) == "1" {
		fields["enabled"] = true
	}
	if c.form.has(fieldChildren) {
		if fields["children"], err = h.children(ctx, &j, c.form.trimmed(fieldChildren)); err != nil {
			return nil, err
		}
	}
	var made api.Job
	for try := range keyTries {
		fields["key"] = dialect.JobKey(&j, try > 0)
		_, err = h.request(ctx, http.MethodPost, "/jobs", fields, &made)
		if !job.Is(err, job.Conflict) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return strconv.FormatInt(made.ID, 10), nil
}

// changeTries is how often a change of a job is tried after concurrent changes.
const changeTries = 3

// updateJob answers jobinfo/update. Fields that are absent, or as lists show them, stay.
func (h *Handler) updateJob(ctx context.Context, c *adminCall) (any, error) {
	var err error
	for range changeTries {
		var j job.Job
		if j, err = h.jobOf(ctx, c); err != nil {
			return nil, err
		}
		var patch map[string]any
		if patch, err = h.patchOf(ctx, c, &j); err != nil {
			return nil, err
		}
		patch["version"] = j.Version
		if _, err = h.request(ctx, http.MethodPatch, jobPath(&j, ""), patch, nil); !job.Is(err, job.Conflict) {
			return nil, err
		}
	}
	return nil, err
}

// patchOf returns what a form changes of a job, as the API takes it.
func (h *Handler) patchOf(ctx context.Context, c *adminCall, j *job.Job) (map[string]any, error) {
	f, err := jobForm(&c.form)
	if err != nil {
		return nil, err
	}
	shown := rowOf(j, c.speech)
	for name, value := range map[string]string{
		"name": shown.Description, "author": shown.Author, "alarmEmail": shown.Email, fieldSchedule: shown.Schedule, fieldConf: shown.Conf,
		"misfireStrategy": shown.Misfire, "executorRouteStrategy": shown.Route, "executorHandler": shown.Handler, "executorParam": shown.Param,
		"executorBlockStrategy": shown.Overlap, "executorTimeout": strconv.FormatInt(shown.Timeout, 10),
		"executorFailRetryCount": strconv.Itoa(shown.Retries), "glueRemark": shown.Remark,
	} {
		f.Forget(name, value)
	}
	wanted := *j
	if err := f.Apply(&wanted, false, h.config.Zone); err != nil {
		return nil, err
	}
	if err := h.moveToGroup(ctx, c, &wanted); err != nil {
		return nil, err
	}
	before, err := fieldsOf(j)
	if err != nil {
		return nil, err
	}
	after, err := fieldsOf(&wanted)
	if err != nil {
		return nil, err
	}
	patch := difference(before, after)
	if list := c.form.trimmed(fieldChildren); c.form.has(fieldChildren) && list != shown.Children {
		if patch["children"], err = h.children(ctx, j, list); err != nil {
			return nil, err
		}
	}
	return patch, nil
}

// moveToGroup gives a job another group if the form names another one than it has.
func (h *Handler) moveToGroup(ctx context.Context, c *adminCall, j *job.Job) error {
	id, err := c.form.number("jobGroup", 0)
	if err != nil || id <= 0 || id == j.GroupID {
		return err
	}
	group, err := h.groupOf(ctx, &c.form, "jobGroup")
	j.Group = group.Key
	return err
}

// children returns the children of a job that a list of ids means. Those that the job
// has keep their condition and their parameter, new ones are started by a success.
func (h *Handler) children(ctx context.Context, j *job.Job, list string) ([]api.Child, error) {
	wanted := []api.Child{}
	hidden := slices.ContainsFunc(j.Children, func(c job.Child) bool { return c.Key == "" })
	if list != "" && hidden {
		return nil, &job.Error{
			Kind: job.Invalid, Field: fieldChildren, Message: "the job has children that are gone, or that you may not see, and this list would remove them",
			Hint: "leave the field out, send it empty to remove all children, or change them in the console",
		}
	}
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		id, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return nil, job.FieldErrorf(fieldChildren, "Child Job ID(%.40s)illegal: ids are numbers with commas between them", text)
		case len(wanted) == job.MaxChildren:
			return nil, job.FieldErrorf(fieldChildren, "names more than %d jobs", job.MaxChildren)
		}
		if i := slices.IndexFunc(j.Children, func(c job.Child) bool { return c.JobID == id }); i >= 0 {
			known := j.Children[i]
			wanted = append(wanted, api.Child{Key: known.Key, On: known.On, Param: known.Param})
			continue
		}
		child, err := h.config.Jobs.Job(ctx, id)
		switch {
		case job.Is(err, job.NotFound), err == nil && child.Namespace != j.Namespace:
			return nil, job.FieldErrorf(fieldChildren, "Child Job ID(%d)not exist: in the namespace of the job there is none that you may see", id)
		case err != nil:
			return nil, err
		}
		wanted = append(wanted, api.Child{Key: child.Key})
	}
	return wanted, nil
}

// fieldsOf returns the fields of a job that a form can set, in the API's form.
func fieldsOf(j *job.Job) (map[string]any, error) {
	text, err := json.Marshal(api.FromJob(*j))
	if err != nil {
		return nil, fmt.Errorf("encode job %s: %w", j.Key, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("take job %s apart: %w", j.Key, err)
	}
	maps.DeleteFunc(fields, func(name string, value any) bool {
		return value == "" || !slices.Contains([]string{
			"namespace", "group", "title", "schedule", "misfire", "handler", "param", "route", "overlap", "labels", "timeout", "retry", "alarm_emails",
		}, name)
	})
	if code, is := fields["handler"].(map[string]any); is {
		delete(code, "source_at")
	}
	return fields, nil
}

// difference returns the JSON merge patch (RFC 7396) that makes after of before.
func difference(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for name := range before {
		if _, kept := after[name]; !kept {
			patch[name] = nil
		}
	}
	for name, value := range after {
		was, there := before[name]
		if there && reflect.DeepEqual(was, value) {
			continue
		}
		inner, isObject := value.(map[string]any)
		wasInner, wasObject := was.(map[string]any)
		if isObject && wasObject {
			patch[name] = difference(wasInner, inner)
			continue
		}
		patch[name] = value
	}
	return patch
}
