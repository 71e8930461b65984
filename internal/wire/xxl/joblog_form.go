package xxl

import (
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// logForm is the parameters of a request for the log. Of one that is there twice the
// first counts, and one in the body before one in the address.
type logForm struct{ values url.Values }

// readLogForm reads the parameters. Errors are Invalid and come with an HTTP status.
func readLogForm(w http.ResponseWriter, r *http.Request) (logForm, int, error) {
	const malformed = "malformed request: the parameters are no form"
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return logForm{}, http.StatusBadRequest, job.Errorf(job.Invalid, malformed)
	}
	if r.Method != http.MethodPost {
		return logForm{values}, http.StatusOK, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLogBody))
	if err != nil {
		return logForm{}, http.StatusRequestEntityTooLarge, job.Errorf(job.Invalid, "malformed request: the body is over 64 KiB, or did not arrive")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); len(body) > 0 && (err != nil || kind != "application/x-www-form-urlencoded") {
		return logForm{}, http.StatusUnsupportedMediaType, job.Errorf(job.Invalid, "malformed request: the body must be of the type application/x-www-form-urlencoded")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return logForm{}, http.StatusBadRequest, job.Errorf(job.Invalid, malformed)
	}
	for name, more := range values {
		form[name] = append(form[name], more...)
	}
	return logForm{form}, http.StatusOK, nil
}

// number returns a whole number, and otherwise when it is absent or empty. What does
// not fit 53 bits is refused: scripts cannot tell such numbers apart.
func (f *logForm) number(name string, otherwise int64) (int64, error) {
	text := strings.TrimSpace(f.values.Get(name))
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > 1<<53 || n < -1<<53 {
		return 0, job.FieldErrorf(name, "is no whole number")
	}
	return n, nil
}

// whose returns the job and the group that are asked for; 0 is any.
func (f *logForm) whose() (jobID, group int64, err error) {
	if group, err = f.number("jobGroup", 0); err == nil {
		jobID, err = f.number("jobId", 0)
	}
	return max(jobID, 0), max(group, 0), err
}

// paged reports whether the parameters are those of releases from 3.3 on.
func (f *logForm) paged() bool { return f.values.Has("offset") || f.values.Has("pagesize") }

// query returns which rows are asked for.
func (f *logForm) query(zone *time.Location) (LogQuery, error) {
	offset, limit := "start", "length"
	if f.paged() {
		offset, limit = "offset", "pagesize"
	}
	var (
		q   LogQuery
		err error
	)
	if q.JobID, q.Group, err = f.whose(); err != nil {
		return q, err
	}
	if q.JobID == 0 && q.Group == 0 {
		return q, job.Errorf(job.Invalid, textNoRows)
	}
	if q.Offset, err = f.within(offset, 0, 0, maxLogOffset); err != nil {
		return q, err
	}
	if q.Limit, err = f.within(limit, 10, 1, maxLogRows); err != nil {
		return q, err
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
	q.Since, q.Until, err = parseLogTime(f.values.Get("filterTime"), zone)
	return q, err
}

// within returns a number between two.
func (f *logForm) within(name string, otherwise, low, high int) (int, error) {
	n, err := f.number(name, int64(otherwise))
	if err == nil && (n < int64(low) || n > int64(high) || n > math.MaxInt32) {
		err = job.FieldErrorf(name, "%d is not between %d and %d", n, low, high)
	}
	return int(n), err
}

// parseLogTime reads two instants of a zone; the second one is a part of the time
// between them, which is told by the instant after it.
func parseLogTime(text string, zone *time.Location) (since, until time.Time, err error) {
	if text = strings.TrimSpace(text); text == "" {
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
