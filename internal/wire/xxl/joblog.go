package xxl

import (
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// The calls of the page of the log, below /joblog/.
const (
	callLogList  = "pageList"
	callLogLines = "logDetailCat"
	callLogKill  = "logKill"
	callLogClean = "clearLog"
)

// The texts of these calls.
const (
	textNoLog       = "Log ID is illegal"
	textNoKill      = "Trigger Fail, can not kill job"
	textNoCleaning  = "Clean Type is illegal"
	textNoRows      = "please choose Executor: give a jobGroup or a jobId"
	textKillByHand  = "killed by a script of the old log"
	textTooSlow     = "it took too long: ask for less, or for a shorter time"
	textUncleaned   = "there are more to remove than one request may: ask again"
	textTooManyLogs = "too many requests for the log at the same time: ask again"
)

// Attempts is where the rows of the log come from: to the old admins each attempt is
// one, and its id that of the row.
type Attempts interface {
	// List returns the rows of a page, the newest first, and how many there are in
	// all, counted up to MaxLogCount.
	List(ctx context.Context, q LogQuery) ([]LogRow, int, error)
	// Row returns a row, or NotFound.
	Row(ctx context.Context, id int64) (LogRow, error)
	// Lines returns lines of the row's log from one on. End is set when none will
	// follow.
	Lines(ctx context.Context, row *LogRow, from int) (job.LogPage, error)
}

// LogChanges is what may be changed by way of the log.
type LogChanges interface {
	// Kill ends the row's run.
	Kill(ctx context.Context, row *LogRow, reason string) error
	// Clean removes rows of a job, which has to be of the group unless that is 0, and
	// returns whether there may be more. Kinds: NotFound.
	Clean(ctx context.Context, jobID, group int64, what job.Cleaning) (more bool, err error)
}

// LogRow is a row of the log.
type LogRow struct {
	Attempt job.Attempt
	Run     job.Run
	// Job is the zero Job when it was removed.
	Job     job.Job
	Telling Telling
}

// LogQuery says which rows are wanted: of a job, or of a group, or of both.
type LogQuery struct {
	JobID, Group int64
	Status       LogStatus
	// Since and Until bound when they were triggered; zero for no bound. Until itself
	// is not a part of it.
	Since, Until  time.Time
	Offset, Limit int
}

// LogStatus is what the page of the log can be narrowed down to.
type LogStatus int

// The statuses.
const (
	LogAny     LogStatus = -1
	LogSuccess LogStatus = 1
	LogFailure LogStatus = 2
	LogRunning LogStatus = 3
)

// Limits of the page of the log.
const (
	maxLogRows   = 200
	maxLogOffset = 10_000
	// MaxLogCount is how many rows are counted.
	MaxLogCount = maxLogOffset + maxLogRows + 1
	maxLogBody  = 64 << 10
	maxLogBusy  = 4
)

// JobLogConfig says what a JobLogHandler serves.
type JobLogConfig struct {
	Attempts Attempts
	Changes  LogChanges
	// Token is what every request must show: nobody gets in without one.
	Token string
	// Zone is the one of times that name none. Defaults to time.Local.
	Zone *time.Location
	// Timeout ends a request. Defaults to 20 s.
	Timeout time.Duration
	// Logger gets the errors whose text no caller may see, and who changed what.
	// Defaults to discarding them.
	Logger *slog.Logger
}

// JobLogHandler serves the page of the log of the old admins to scripts that use it.
// It takes the token as a bearer or in the header that executors use; the tokens of
// executors open nothing. At most four requests are served at the same time.
type JobLogHandler struct {
	config     JobLogConfig
	credential credential
	busy       chan struct{}
}

// NewJobLogHandler returns a handler. Attempts and Changes must be set.
func NewJobLogHandler(c JobLogConfig) *JobLogHandler {
	if c.Zone == nil {
		c.Zone = time.Local
	}
	if c.Timeout <= 0 {
		c.Timeout = 20 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &JobLogHandler{config: c, credential: newCredential(c.Token), busy: make(chan struct{}, maxLogBusy)}
}

// IsJobLog reports whether a path is one of the page of the log, at the root or at
// the context paths of the old admins.
func IsJobLog(path string) bool {
	_, is := jobLogName(path)
	return is
}

// jobLogName returns the last part of /joblog/{name}, and false for another path.
func jobLogName(path string) (string, bool) {
	return strings.CutPrefix(underContext(path), "joblog/")
}

// ServeHTTP implements http.Handler.
func (h *JobLogHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if !h.allows(r.Header) { // before all else: who may not ask learns nothing
		w.Header().Set("WWW-Authenticate", `Bearer realm="orth"`)
		h.deny(w, http.StatusUnauthorized, "the request must show the token of the API")
		return
	}
	name, _ := jobLogName(r.URL.Path)
	reads := name == callLogList || name == callLogLines
	switch {
	case !reads && name != callLogKill && name != callLogClean:
		h.deny(w, http.StatusNotFound, pathUnknown(r.URL.Path))
		return
	case r.Method != http.MethodPost && (r.Method != http.MethodGet || !reads):
		h.deny(w, http.StatusMethodNotAllowed, textMethod)
		return
	}
	select {
	case h.busy <- struct{}{}:
		defer func() { <-h.busy }()
	default:
		h.deny(w, http.StatusServiceUnavailable, textTooManyLogs)
		return
	}
	form, status, err := readLogForm(w, r)
	if err != nil {
		text, _ := message(err)
		h.deny(w, status, text)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.config.Timeout)
	defer cancel()
	reply, err := h.serve(ctx, name, &form)
	if err != nil {
		h.fail(ctx, w, name, err)
		return
	}
	answer(w, adminContent, string(reply))
}

// allows reports whether the token is shown: as the one bearer, or as executors show
// theirs.
func (h *JobLogHandler) allows(header http.Header) bool {
	if !h.credential.required {
		return false
	}
	if values := header["Authorization"]; len(values) == 1 {
		scheme, token, _ := strings.Cut(values[0], " ")
		if strings.EqualFold(scheme, "Bearer") && h.credential.matches([]string{strings.TrimSpace(token)}) {
			return true
		}
	}
	return h.credential.allows(header)
}

func (h *JobLogHandler) serve(ctx context.Context, name string, f *logForm) ([]byte, error) {
	switch name {
	case callLogList:
		return h.list(ctx, f)
	case callLogLines:
		return h.lines(ctx, f)
	case callLogKill:
		return h.kill(ctx, f)
	default:
		return h.clean(ctx, f)
	}
}

// list answers with a page of rows, in the envelope that the names of the parameters
// belong to.
func (h *JobLogHandler) list(ctx context.Context, f *logForm) ([]byte, error) {
	q, err := f.query(h.config.Zone)
	if err != nil {
		return nil, err
	}
	rows, total, err := h.config.Attempts.List(ctx, q)
	if err != nil {
		return nil, err
	}
	if f.paged() {
		return appendLogPaged(nil, rows, total, &q, h.config.Zone), nil
	}
	return appendLogTable(nil, rows, total, h.config.Zone), nil
}

// lines answers with lines of a log, escaped as the page shows them. The end is told
// by an answer without lines.
func (h *JobLogHandler) lines(ctx context.Context, f *logForm) ([]byte, error) {
	row, err := h.row(ctx, f, "logId")
	if err != nil {
		return nil, err
	}
	from, err := f.number("fromLineNum", 1)
	if err != nil {
		return nil, err
	}
	page, err := h.config.Attempts.Lines(ctx, &row, int(max(from, 1)))
	if err != nil {
		return nil, err
	}
	page.From = int(from) // an answer to another question is thrown away
	page.End = page.End && page.Text == ""
	page.Text = html.EscapeString(page.Text)
	size := len(page.Text) + 1024 // it stands in the answer twice
	return appendPayload(make([]byte, 0, 2*size), appendLogPage(make([]byte, 0, size), page)), nil
}

func (h *JobLogHandler) kill(ctx context.Context, f *logForm) ([]byte, error) {
	row, err := h.row(ctx, f, "id")
	if err != nil {
		return nil, err
	}
	switch life := LifecycleOf(row.Attempt, row.Telling); {
	case life.Trigger != codeSuccess:
		return nil, job.Errorf(job.Refused, textNoKill)
	case row.Attempt.State.Final():
		return nil, job.Errorf(job.Conflict, "it is over already: its state is %s", row.Attempt.State)
	}
	if err := h.config.Changes.Kill(ctx, &row, textKillByHand); err != nil {
		return nil, err
	}
	h.config.Logger.Info("a script of the old log has killed a run", "run_id", row.Run.ID, "attempt_id", row.Attempt.ID)
	return []byte(executorSuccess), nil
}

// clean removes rows until there are no more, or the time of the request is up.
func (h *JobLogHandler) clean(ctx context.Context, f *logForm) ([]byte, error) {
	jobID, group, err := f.whose()
	if err != nil {
		return nil, err
	}
	if jobID == 0 {
		return nil, job.Errorf(job.Invalid, "%s: clearLog needs a jobId", textNoJob)
	}
	kind, err := f.number("type", 0)
	if err != nil {
		return nil, err
	}
	what, known := ParseCleaning(int(kind), time.Now().In(h.config.Zone))
	if !known {
		return nil, job.Errorf(job.Invalid, textNoCleaning)
	}
	for more := true; more; {
		if ctx.Err() != nil {
			return nil, job.Errorf(job.Full, textUncleaned)
		}
		more, err = h.config.Changes.Clean(ctx, jobID, group, what)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, job.Errorf(job.Full, textUncleaned)
		case job.Is(err, job.NotFound):
			return nil, job.Errorf(job.NotFound, textNoJob)
		case err != nil:
			return nil, fmt.Errorf("clean the log of job %d: %w", jobID, err)
		}
	}
	h.config.Logger.Info("a script of the old log has removed runs", "job_id", jobID, "type", kind)
	return []byte(executorSuccess), nil
}

// row returns the row that a parameter names.
func (h *JobLogHandler) row(ctx context.Context, f *logForm, name string) (LogRow, error) {
	id, err := f.number(name, 0)
	if err != nil {
		return LogRow{}, err
	}
	if id <= 0 {
		return LogRow{}, job.Errorf(job.NotFound, textNoLog)
	}
	row, err := h.config.Attempts.Row(ctx, id)
	if job.Is(err, job.NotFound) {
		err = job.Errorf(job.NotFound, textNoLog)
	}
	return row, err
}

// fail answers that a request was not carried out. What may be the next time is told
// by the HTTP status too.
func (h *JobLogHandler) fail(ctx context.Context, w http.ResponseWriter, name string, err error) {
	text, known := message(err)
	status := http.StatusOK
	switch {
	case job.Is(err, job.Full):
		status = http.StatusServiceUnavailable
	case ctx.Err() != nil:
		status, text = http.StatusServiceUnavailable, textTooSlow
	case !known || job.Is(err, job.Unavailable):
		h.config.Logger.Error("serve a script of the old log", "name", name, "error", err)
		status = http.StatusServiceUnavailable
	}
	h.deny(w, status, text)
}

// deny says no. The code is that of the HTTP status when it says more than 500.
func (h *JobLogHandler) deny(w http.ResponseWriter, status int, text string) {
	code := int64(codeFailure)
	if status == http.StatusUnauthorized {
		code = http.StatusUnauthorized
	}
	reply := jsontext.AppendIntField(nil, `{"code":`, code)
	reply = jsontext.AppendTextField(reply, `,"msg":`, short(text))
	answerStatus(w, status, adminContent, string(append(reply, `,"content":null,"data":null}`...)))
}
