package xxl

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// The calls by which executors keep jobs, from release 3.5 on.
const (
	callAddJob     = "addJob"
	callUpdateJob  = "updateJob"
	callRemoveJob  = "removeJob"
	callStartJob   = "startJob"
	callStopJob    = "stopJob"
	callTriggerJob = "triggerJob"
)

// The texts of these calls, as the dialect's own servers write them in English. The fault
// in the value follows a colon.
const (
	textNoJob       = "Job ID is illegal"
	textNoJobToEdit = "Job IDnot exist"
	textNoStart     = "The current schedule type disables startup"
	textTooMany     = "Too many requests, please try again later."
)

// JobBook keeps the jobs of groups. A job of another group is to each method one
// that does not exist.
type JobBook interface {
	// AddJob writes a new job of its Group, stopped, and returns its id. Kinds:
	// Invalid, and Conflict when the key is taken.
	AddJob(ctx context.Context, j job.Job) (int64, error)
	// EditJob writes what edit makes of the group's job, or returns edit's error.
	// edit may be called several times. Kinds: Invalid, NotFound.
	EditJob(ctx context.Context, group string, id int64, edit func(job.Job) (job.Job, error)) error
	// RemoveJob removes the group's job, or returns NotFound.
	RemoveJob(ctx context.Context, group string, id int64) error
}

// JobSwitch sets the jobs of groups going. A job of another group is to each
// method one that does not exist.
type JobSwitch interface {
	// StartJob lets the job fire. Starting a started one changes nothing. Kinds:
	// NotFound, and Refused when the job never fires by itself.
	StartJob(ctx context.Context, group string, id int64) error
	// StopJob lets it fire no more, or returns NotFound.
	StopJob(ctx context.Context, group string, id int64) error
	// TriggerJob makes a run, with the param in the place of the job's own unless
	// it is nil, on one of the addresses unless there are none. Kinds: NotFound,
	// and Invalid for an address that is none of the group's executors.
	TriggerJob(ctx context.Context, group string, id int64, param *string, addresses []string) error
}

// GroupIDs maps groups to ids and back.
type GroupIDs interface {
	// GroupID returns the id of a group, 0 for one of which nothing is known.
	GroupID(ctx context.Context, group string) (int64, error)
}

// JobCalls is what serves the calls by which executors keep the jobs of their own
// group. The zero JobCalls serves none: then their names are unknown paths.
type JobCalls struct {
	Book   JobBook
	Switch JobSwitch
	Groups GroupIDs
	// Zone is the IANA name of the zone in which schedules are read that have none.
	// Defaults to UTC.
	Zone string
}

// jobCall is one call of one group.
type jobCall struct {
	JobCalls

	name  string
	group string
	form  dialect.JobForm
}

// isJobCall reports whether this server has a call of the name.
func (h *AdminHandler) isJobCall(name string) bool {
	switch name {
	case callAddJob, callUpdateJob, callRemoveJob, callStartJob, callStopJob, callTriggerJob:
		return h.config.JobCalls.Book != nil
	}
	return false
}

// serveJobCall answers a call by which an executor keeps the jobs of its group. All
// is answered in the one envelope of the releases that have these calls.
func (h *AdminHandler) serveJobCall(w http.ResponseWriter, r *http.Request, caller job.Caller, name string, body []byte) {
	group, err := spokenFor(caller, r.Header)
	if err != nil {
		h.denyJobCall(w, name, err)
		return
	}
	wait, ok := h.jobRate.take(group, time.Now())
	if !ok || !pause(r.Context(), wait) {
		answer(w, adminContent, string(appendResponse(nil, dialect.CodeTimeout, textTooMany, "")))
		return
	}
	call := jobCall{JobCalls: h.config.JobCalls, name: name, group: group}
	if call.form, err = dialect.DecodeJobForm(body); err != nil {
		h.denyJobCall(w, name, job.Errorf(job.Invalid, "%s%w", dialect.TextAPIError, malformed(err)))
		return
	}
	id, err := call.serve(r.Context(), caller)
	if err != nil {
		h.denyJobCall(w, name, err)
		return
	}
	data := ""
	if name == callAddJob {
		data = strconv.FormatInt(id, 10)
	}
	if id != 0 {
		h.config.Logger.Info("an executor group has called for its job", "call", name,
			"author", "executor group "+group, "job_id", id)
	}
	answer(w, adminContent, string(appendResponse(nil, dialect.CodeSuccess, dialect.TextSuccess, data)))
}

// serve does what is asked and returns the id of the job, 0 when there is none.
func (c *jobCall) serve(ctx context.Context, caller job.Caller) (int64, error) {
	id := int64(0)
	if c.form.ID != nil {
		id = *c.form.ID
	}
	unknown, err := textNoJob, error(nil)
	switch c.name {
	case callAddJob:
		return c.add(ctx, caller)
	case callUpdateJob:
		unknown = textNoJobToEdit
		err = c.Book.EditJob(ctx, c.group, id, func(j job.Job) (job.Job, error) {
			err := c.form.Apply(&j, false, c.Zone)
			return j, err
		})
	case callRemoveJob:
		if err = c.Book.RemoveJob(ctx, c.group, id); job.Is(err, job.NotFound) {
			return 0, nil // what is not there is removed
		}
	case callStartJob:
		if err = c.Switch.StartJob(ctx, c.group, id); job.Is(err, job.Refused) {
			return 0, job.Errorf(job.Refused, textNoStart)
		}
	case callStopJob:
		err = c.Switch.StopJob(ctx, c.group, id)
	case callTriggerJob:
		err = c.trigger(ctx, id)
	}
	if job.Is(err, job.NotFound) {
		return 0, job.Errorf(job.NotFound, "%s", unknown)
	}
	return id, err
}

// addTries is how many keys are tried for a new job. All but the first hold
// something random.
const addTries = 4

func (c *jobCall) add(ctx context.Context, caller job.Caller) (int64, error) {
	if err := c.checkGroup(ctx, caller); err != nil {
		return 0, err
	}
	j := job.Job{Group: c.group}
	if err := c.form.Apply(&j, true, c.Zone); err != nil {
		return 0, err
	}
	for try := range addTries {
		j.Key = dialect.JobKey(&j, try > 0)
		id, err := c.Book.AddJob(ctx, j)
		if !job.Is(err, job.Conflict) {
			return id, err
		}
	}
	return 0, job.Errorf(job.Conflict, "no key could be found for the job: give it another name")
}

// checkGroup checks the group of a new job. It reveals no other groups.
func (c *jobCall) checkGroup(ctx context.Context, caller job.Caller) error {
	wanted := c.form.Group
	if wanted == nil || *wanted == 0 {
		return nil
	}
	own := caller.GroupID
	if own == 0 {
		var err error
		if own, err = c.Groups.GroupID(ctx, c.group); err != nil {
			return err
		}
	}
	c.form.Foreign = *wanted != own
	return nil
}

func (c *jobCall) trigger(ctx context.Context, id int64) error {
	addresses, err := c.form.Addresses()
	if err != nil {
		return err
	}
	return c.Switch.TriggerJob(ctx, c.group, id, c.form.Param(), addresses)
}

// spokenFor returns the group that the caller speaks for: that of its token, or,
// with a token that all groups share, the one it names. The error is Refused.
func spokenFor(caller job.Caller, h http.Header) (string, error) {
	named := ""
	if values := h[dialect.HeaderGroupCanonical]; len(values) > 0 {
		named = values[0]
	}
	switch {
	case job.WellKnownToken(caller.TokenID):
		return "", job.Errorf(job.Refused,
			"%s (everybody knows the token shown, so it is good for no call about jobs: make one with 'orth group token add')", dialect.TextGroupWrong)
	case dialect.Blank(named) && caller.GroupID == 0:
		return "", job.Errorf(job.Refused, "%s (the token shown is shared by all groups, and does not identify the caller: "+
			"name the executor group in the header %s, or show a token of the group, made with 'orth group token add')", dialect.TextGroupEmpty, dialect.HeaderGroup)
	case dialect.Blank(named):
		return caller.Group, nil
	}
	if err := job.CheckGroup(dialect.HeaderGroup, named); err != nil {
		return "", job.Errorf(job.Refused, "%s (%w)", dialect.TextGroupWrong, err)
	}
	if err := caller.Speaks(named); err != nil {
		return "", job.Errorf(job.Refused, "%s (%w)", dialect.TextGroupWrong, err)
	}
	return named, nil
}

// denyJobCall refuses a call. Failures that a retry may mend, and objects that the caller
// may not see, get the answers of other calls.
func (h *AdminHandler) denyJobCall(w http.ResponseWriter, name string, err error) {
	text, known := message(err)
	if hint := dialect.FormHint(err); known && hint != "" {
		text += ": " + hint
	}
	status := http.StatusOK
	switch {
	case !known || job.Is(err, job.Unavailable):
		h.config.Logger.Error("serve a call about a job", "name", name, "error", err)
		status = http.StatusServiceUnavailable
	case job.Is(err, job.Full):
		status = http.StatusServiceUnavailable
	}
	answerStatus(w, status, adminContent, string(appendResponse(nil, dialect.CodeFailure, dialect.Shorten(text), "")))
}

// appendResponse appends the envelope of the releases that have these calls. An
// empty data is none.
func appendResponse(dst []byte, code int64, text, data string) []byte {
	dst = jsontext.AppendIntField(dst, `{"code":`, code)
	dst = jsontext.AppendTextField(dst, `,"msg":`, text)
	if data == "" {
		dst = append(dst, `,"data":null`...)
	} else {
		dst = jsontext.AppendTextField(dst, `,"data":`, data)
	}
	return append(jsontext.AppendBoolField(dst, `,"success":`, code == dialect.CodeSuccess), '}')
}
