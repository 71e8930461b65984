package sqlstore

import "github.com/orthd/orth/job"

// revives reports, as Conflict, a change that was made from a job which had firings
// to come, and comes after the planner has taken the last of them: the planner ends a
// job under the version that it has. Written as it is, it would start the job again
// at a firing that was.
func (was *standing) revives(j *job.Job, schedule string) error {
	ended := !was.enabled && was.stopReason != ""
	if !ended || !j.Enabled || was.schedule != schedule || j.NextAt.After(was.last) {
		return nil
	}
	return job.Errorf(job.Conflict, "job %s had its last firing since it was read", j.Key)
}
