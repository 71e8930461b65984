package xxladmin

import (
	"context"
	"html"
	"net/http"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// The texts of the page of the log.
const (
	textNoLog      = "Log ID is illegal"
	textNoKill     = "Trigger Fail, can not kill job"
	textNoCleaning = "Clean Type is illegal"
	textNoRows     = "please choose Executor: give a jobGroup or a jobId"
	textKillByHand = "killed by a script of the old log"
	textUncleaned  = "there are more to remove than one request may: ask again"
)

// Attempts is where the rows of the log come from: to the old admins each attempt is
// one, and its id that of the row. The caller of a context sees those of jobs that it
// may see.
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

// LogRow is a row of the log.
type LogRow struct {
	Attempt job.Attempt
	Run     job.Run
	// Job is the zero Job when it was removed.
	Job     job.Job
	Telling Telling
}

// LogQuery selects rows: of a job, or of a group, or of both.
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
)

// listAttempts answers joblog/pageList.
func (h *Handler) listAttempts(ctx context.Context, c *adminCall) (any, error) {
	part, err := c.form.readRows(maxLogRows)
	if err != nil {
		return nil, err
	}
	q, err := logQuery(&c.form, h.zone)
	if err != nil {
		return nil, err
	}
	if q.Offset, q.Limit = part.offset, part.shown(); q.Offset > maxLogOffset {
		return nil, job.FieldErrorf("start", "%d is more than %d: narrow the list with filterTime", q.Offset, maxLogOffset)
	}
	found, total, err := h.config.Attempts.List(ctx, q)
	if err != nil {
		return nil, err
	}
	shown := make([]logRow, len(found))
	for i := range found {
		shown[i] = logRowOf(&found[i], c.speech)
	}
	return part.answerPage(shown, total)
}

// logLines is a part of a log, with its end under the names of all generations.
type logLines struct {
	From  int    `json:"fromLineNum"`
	To    int    `json:"toLineNum"`
	Text  string `json:"logContent"`
	IsEnd bool   `json:"isEnd"`
	End   bool   `json:"end"`
}

// readLog answers joblog/logDetailCat with lines, escaped as the page shows them. An answer
// without lines marks the end.
func (h *Handler) readLog(ctx context.Context, c *adminCall) (any, error) {
	row, err := h.attemptOf(ctx, c, "logId")
	if err != nil {
		return nil, err
	}
	from, err := c.form.number("fromLineNum", 1)
	if err != nil {
		return nil, err
	}
	lines, err := h.config.Attempts.Lines(ctx, &row, int(max(from, 1)))
	if err != nil {
		return nil, err
	}
	end := lines.End && lines.Text == ""
	// An answer to another question is thrown away: the first line is the one asked for.
	return logLines{int(from), lines.To, html.EscapeString(lines.Text), end, end}, nil
}

// killRun answers joblog/logKill: only what an executor has, and has not ended, is killed.
func (h *Handler) killRun(ctx context.Context, c *adminCall) (any, error) {
	row, err := h.attemptOf(ctx, c, "id")
	if err != nil {
		return nil, err
	}
	switch life := LifecycleOf(row.Attempt, row.Telling); {
	case life.Trigger != codeSuccess:
		return nil, job.Errorf(job.Refused, textNoKill)
	case row.Attempt.State.Final():
		return nil, job.Errorf(job.Conflict, "it is over already: its state is %s", row.Attempt.State)
	}
	path := "/runs/" + strconv.FormatInt(row.Run.ID, 10) + "/cancel"
	_, err = h.request(ctx, http.MethodPost, path, api.Cancel{Reason: textKillByHand}, nil)
	return nil, err
}

// clean answers joblog/clearLog: it removes rows until there are no more, or the time of
// the request is up.
func (h *Handler) clean(ctx context.Context, c *adminCall) (any, error) {
	jobID, group, err := whose(&c.form)
	if err != nil {
		return nil, err
	}
	kind, err := c.form.number("type", 0)
	if err != nil {
		return nil, err
	}
	now := time.Now().In(h.zone)
	what, known := ParseCleaning(int(kind), now)
	if !known {
		return nil, job.Errorf(job.Invalid, "%s: use 1 to 9", textNoCleaning)
	}
	j, err := h.config.Jobs.Job(ctx, jobID)
	if job.Is(err, job.NotFound) || err == nil && group != 0 && group != j.GroupID {
		return nil, job.Errorf(job.NotFound, "%s: clearLog needs the jobId of a job that you may see, and its jobGroup or 0", textNoJob)
	}
	if err != nil {
		return nil, err
	}
	wish := api.Clean{Job: j.Key, Namespace: j.Namespace, Keep: what.Keep, All: what.Keep == 0 && what.Before.IsZero()}
	if !what.Before.IsZero() {
		wish.OlderThan = api.Duration(now.Sub(what.Before))
	}
	for done := (api.Cleaned{More: true}); done.More; {
		done = api.Cleaned{}
		_, err := h.request(ctx, http.MethodPost, "/runs/clean", wish, &done)
		if ctx.Err() != nil {
			return nil, job.Errorf(job.Unavailable, textUncleaned)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // the answer holds nothing
}

// attemptOf returns the row that a parameter names.
func (h *Handler) attemptOf(ctx context.Context, c *adminCall, name string) (LogRow, error) {
	id, err := c.form.number(name, 0)
	if err != nil {
		return LogRow{}, err
	}
	row, err := h.config.Attempts.Row(ctx, id)
	if job.Is(err, job.NotFound) {
		err = job.Errorf(job.NotFound, "%s: there is no row %d that you may see", textNoLog, id)
	}
	return row, err
}
