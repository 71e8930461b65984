package xxladmin

import (
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// whose returns the job and the group that are asked for; 0 is any.
func whose(f *form) (jobID, group int64, err error) {
	if group, err = f.number("jobGroup", 0); err == nil {
		jobID, err = f.number("jobId", 0)
	}
	return max(jobID, 0), max(group, 0), err
}

// logQuery returns which rows of the log are asked for, without the part of the list.
func logQuery(f *form, zone *time.Location) (LogQuery, error) {
	var (
		q   LogQuery
		err error
	)
	if q.JobID, q.Group, err = whose(f); err != nil {
		return q, err
	}
	if q.JobID == 0 && q.Group == 0 {
		return q, job.Errorf(job.Invalid, textNoRows)
	}
	status, err := f.number("logStatus", int64(LogAny))
	if err != nil {
		return q, err
	}
	switch LogStatus(status) {
	case LogSuccess, LogFailure, LogRunning:
		q.Status = LogStatus(status)
	default:
		q.Status = LogAny // as with the old admins
	}
	q.Since, q.Until, err = parseLogTime(f.trimmed("filterTime"), zone)
	return q, err
}

// parseLogTime reads two instants of a zone. The whole second of the second one belongs to
// the range, so it returns the instant after it. Some scripts send 0 for no time.
func parseLogTime(text string, zone *time.Location) (since, until time.Time, err error) {
	if text == "" || text == "0" {
		return since, until, nil
	}
	from, to, found := strings.Cut(text, " - ")
	if found {
		since, err = time.ParseInLocation(time.DateTime, strings.TrimSpace(from), zone)
	}
	if found && err == nil {
		until, err = time.ParseInLocation(time.DateTime, strings.TrimSpace(to), zone)
	}
	if !found || err != nil || since.Year() < 1 || until.Year() < 1 {
		return time.Time{}, time.Time{}, job.FieldErrorf("filterTime", "must be two times such as 2030-01-31 00:00:00 - 2030-01-31 23:59:59")
	}
	return since, until.Add(time.Second), nil
}
