package sqlstore

import (
	"strings"

	"github.com/orthd/orth/job"
)

const (
	// By jobs' primary key.
	readTemplate = `SELECT namespace, job_key, template FROM jobs WHERE id = ? AND tombstone = 0`
	// By jobs_template, in order of id.
	readInstance = `SELECT id, job_key FROM jobs
		WHERE template = ? AND template > 0 AND tombstone = 0 AND id > ? ORDER BY id LIMIT 1`
	// By jobs' primary key.
	readOtherHandler = `SELECT id FROM jobs WHERE id = ? AND handler <> ?`
	// By jobs_template.
	renewInstances = `UPDATE jobs SET version = version + 1
		WHERE template = ? AND template > 0 AND template_version = 0 AND tombstone = 0`
	// By runs_ready: the waiting runs of the groups of the instances.
	renewWaiting = `UPDATE runs SET job_version = (SELECT version FROM jobs WHERE id = runs.job_id)
		WHERE group_id IN (SELECT group_id FROM jobs WHERE template = ? AND template > 0)
		AND ready_at > 0 AND job_id IN (SELECT id FROM jobs WHERE template = ? AND template > 0)`
)

// mayInherit reports as Invalid that j cannot run the code of its template: the template
// must exist in the same namespace, have its own code, and no job may use j as its
// template. It fills in the template's key.
func (t *tx) mayInherit(j *job.Job) error {
	if j.TemplateKey = ""; j.Template == 0 {
		return nil
	}
	if j.Template == j.ID {
		return job.FieldErrorf("template", "job %s cannot be its own template", j.Key)
	}
	var template job.Job
	found, err := t.read(readTemplate, []any{j.Template}, []any{
		(*text)(&template.Namespace), (*text)(&template.Key), (*integer)(&template.Template),
	})
	switch {
	case err != nil:
		return err
	case !found || template.Namespace != j.Namespace:
		return job.FieldErrorf("template", "job %d does not exist in namespace %s", j.Template, j.Namespace)
	case template.Template != 0:
		wrong := job.FieldErrorf("template", "job %s has a template itself, so it has no code that others could run", template.Key)
		wrong.Hint = "name its template instead"
		return wrong
	}
	j.TemplateKey = template.Key
	instances, err := t.users(readInstance, j.ID)
	if err != nil || instances == "" {
		return err
	}
	wrong := job.FieldErrorf("template", "job %s is the template of %s, so it must have code of its own", j.Key, instances)
	wrong.Hint = "give those jobs another template, or code of their own, first"
	return wrong
}

// unshared reports as a Conflict that other jobs run the code of the job.
func (t *tx) unshared(j *job.Job) error {
	instances, err := t.users(readInstance, j.ID)
	if err != nil || instances == "" {
		return err
	}
	wrong := job.Errorf(job.Conflict, "job %s is the template of %s", j.Key, instances)
	wrong.Hint = "delete those jobs first, or detach them by giving them code of their own"
	return wrong
}

// mostUsers is the maximum number of users of an object that an error lists by their keys.
const mostUsers = 5

// users returns the keys of up to mostUsers rows that use the one with an id, as a
// list for people that shows whether there are more; empty when there are none.
// The query takes the id and the last user's, and returns the next user's id and key.
func (t *tx) users(query string, id int64) (string, error) {
	var keys []string
	for last := int64(0); len(keys) <= mostUsers; {
		var key string
		found, err := t.read(query, []any{id, last}, []any{&last, &key})
		if err != nil {
			return "", err
		}
		if !found {
			return strings.Join(keys, ", "), nil
		}
		keys = append(keys, key)
	}
	return strings.Join(keys[:mostUsers], ", ") + " and more", nil
}

// rewritten reports whether the job has another handler so far.
func (t *tx) rewritten(id int64, handler string) (bool, error) {
	return t.read(readOtherHandler, []any{id, handler}, []any{&id})
}

// renew gives the jobs that run the code of the job a new version, and their waiting runs
// too: holders of the old code in memory must read it again.
func (t *tx) renew(template int64) error {
	n, err := t.exec(renewInstances, template)
	if err != nil || n == 0 {
		return err
	}
	return t.do(renewWaiting, template, template)
}
