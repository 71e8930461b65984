package sqlstore

import (
	"fmt"

	"github.com/orthd/orth/job"
)

// A parameter is given to a run for what it means to the job at that time. These
// statements find those that would get another meaning.
const (
	// By jobs' primary key.
	readParamUse = `SELECT j.inputs, CASE WHEN t.id IS NULL THEN j.handler ELSE t.handler END FROM jobs j
		LEFT JOIN jobs t ON t.id = j.template AND j.template > 0 AND j.template_version = 0 WHERE j.id = ?`
	// By runs_ready: the waiting runs of the job's group.
	readOwnParamWaiting = `SELECT r.id FROM runs r JOIN jobs j ON j.id = r.job_id
		WHERE r.group_id = j.group_id AND r.ready_at > 0 AND r.job_id = ? AND r.param IS NOT NULL LIMIT 1`
	// By runs_busy.
	readOwnParamOpen = `SELECT id FROM runs WHERE open_job = ? AND open_job > 0 AND param IS NOT NULL LIMIT 1`
	// By backfills_job.
	readOwnParamBackfill = `SELECT id FROM backfills WHERE job_id = ? AND state = 'running' AND param IS NOT NULL LIMIT 1`
	// By jobs_template: those whose parameter is not one of inputs.
	readFollower = `SELECT id, job_key FROM jobs WHERE template = ? AND template > 0 AND template_version = 0
		AND tombstone = 0 AND inputs = '[]' AND id > ? ORDER BY id LIMIT 1`
)

// uses is what the parameters of runs mean: those of a job, and those of a job without
// inputs that has the same code.
type uses struct{ own, code job.ParamUse }

// paramUse returns what the parameters of the runs of a job mean.
func (t *tx) paramUse(id int64) (uses, error) {
	var inputs []job.Input
	var code job.Handler
	_, err := t.read(readParamUse, []any{id}, []any{document[[]job.Input]{&inputs}, document[job.Handler]{&code}})
	return uses{own: job.ParamUseOf(inputs, &code), code: job.ParamUseOf(nil, &code)}, err
}

// keepsMeaning refuses a change of a job that gives its parameters another use, while there
// are runs whose parameter was given for the earlier use.
func (t *tx) keepsMeaning(id int64, key string, before job.ParamUse) error {
	now, err := t.paramUse(id)
	if err != nil || before.Becomes(now.own) {
		return err
	}
	for _, q := range []struct{ query, what string }{
		{readOwnParamWaiting, "run %d"}, {readOwnParamOpen, "run %d"}, {readOwnParamBackfill, "backfill %d"},
	} {
		var of int64
		switch found, err := t.read(q.query, []any{id}, []any{&of}); {
		case err != nil:
			return err
		case found:
			what := fmt.Sprintf(q.what, of)
			wrong := job.Errorf(job.Conflict, "%s of job %s is not over, and was given a parameter as %s: the job would take it for %s",
				what, key, useOf(before), useOf(now.own))
			wrong.Hint = "wait until it is over, or cancel it first"
			return wrong
		}
	}
	return nil
}

// recode applies the effects of other inputs or code of a job, whose parameters had a
// meaning before: rewritten means that the code has changed. The waiting runs have moved to
// the group of the job.
func (t *tx) recode(j *job.Job, before uses, rewritten bool) error {
	if err := t.keepsMeaning(j.ID, j.Key, before.own); err != nil || !rewritten {
		return err
	}
	if err := t.followersKeepMeaning(j.ID, before.code); err != nil {
		return err
	}
	return t.renew(j.ID)
}

// useOf describes the use of a parameter for messages.
func useOf(u job.ParamUse) string {
	switch u {
	case job.ParamInputs:
		return "values of its inputs"
	case job.ParamCode:
		return "what it executes"
	default:
		return "data of its code"
	}
}

// followersKeepMeaning does the same for the jobs that run the code of a template, to
// which a parameter meant something else before.
func (t *tx) followersKeepMeaning(template int64, before job.ParamUse) error {
	if now, err := t.paramUse(template); err != nil || before.Becomes(now.code) {
		return err
	}
	for last := int64(0); ; {
		var key string
		found, err := t.read(readFollower, []any{template, last}, []any{&last, &key})
		if err == nil && found {
			err = t.keepsMeaning(last, key, before)
		}
		if err != nil || !found {
			return err
		}
	}
}

// meantFor refuses a parameter that was given for another version of a job than it has; 0
// is any.
func meantFor(param *string, version, has int64) error {
	if param == nil || version == 0 || version == has {
		return nil
	}
	wrong := job.Errorf(job.Conflict, "the job was changed at this moment: it has version %d, and the parameter was given for version %d", has, version)
	wrong.Hint = "look at the job, and try again"
	return wrong
}

// tighten gives a run of a job whose parameter defines what is executed that parameter,
// when the one made for it is loose.
func (t *tx) tighten(r *job.Run) error {
	if !r.Loose || r.Param == nil {
		return nil
	}
	if use, err := t.paramUse(r.JobID); err != nil || use.own != job.ParamCode {
		return err
	}
	r.Param = nil
	r.Reason += "; it has the parameter of its own job: that says what is executed, and a value in the template could say more than was meant"
	return nil
}
