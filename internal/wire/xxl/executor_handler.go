package xxl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// executorContent is what executors of this dialect call their JSON.
const executorContent = "text/html;charset=UTF-8"

// Tasks is what an executor does with tasks.
type Tasks interface {
	// Accept returns nil only when the task will be run. A Refused error's Message is the
	// reply, word for word; Duplicate means that the attempt is known; after Full and
	// Unavailable the caller may ask again. Ambiguous means that the task may be here or
	// not: the caller gets no answer at all, since the dialect has no word for it and every
	// other word means no. After the deadline of ctx it accepts none.
	Accept(ctx context.Context, t job.Task) error
	// Busy reports whether the job runs or waits here.
	Busy(jobID int64) bool
	// Kill ends what runs and what waits of the job, and reports false when
	// there is nothing.
	Kill(ctx context.Context, jobID int64, reason string) bool
}

// Canceller is a [Tasks] that can end one attempt alone, which servers of Orth
// ask for. Without it they are refused.
type Canceller interface {
	// CancelAttempt ends the attempt in the way of Kill, and reports false when
	// it has ended, or is not here and is not accepted any more.
	CancelAttempt(ctx context.Context, attempt int64, reason string) (bool, error)
}

// Knower is a [Tasks] that can be asked for one attempt, which servers of Orth do.
// Without it the answer is about the job.
type Knower interface {
	// Knows reports whether the attempt is here or was. After false it is not
	// accepted any more.
	Knows(ctx context.Context, attempt int64) (bool, error)
}

// Drainer is a [Tasks] that can be about to stop.
type Drainer interface {
	// Draining reports whether nothing is accepted any more: beats are then
	// answered with a no, so that servers that ask first go elsewhere.
	Draining() bool
}

// Logs is where run logs are read.
type Logs interface {
	// Read returns the log of the attempt triggered at that instant, from a
	// line on. A log that does not exist is a page, not an error.
	Read(attempt int64, at time.Time, fromLine int) (job.LogPage, error)
}

// ExecutorConfig sets what an ExecutorHandler serves.
type ExecutorConfig struct {
	// Token is what servers must show. Defaults to "": everyone may call, so the owner of
	// the listener must restrict access.
	Token string
	// Tokens are others of which servers may show one instead. Empty ones count
	// for nothing. Defaults to none.
	Tokens []string
	// Group is what servers must name that name a group. Defaults to "": any.
	Group string
	// Dialect is that of all servers. Defaults to "": each is answered in the one
	// that it shows.
	Dialect job.Dialect
	// Speeches are the dialects of forks, besides those of XXL-JOB itself. Defaults to
	// none.
	Speeches []dialect.Speech
	// Tasks may also be a [Canceller], a [Drainer] and a [Knower].
	Tasks Tasks
	Logs  Logs
	// Kinds are the kinds of handler that the operator allows. A task of
	// another kind is refused in the words that servers of the dialect show,
	// and Tasks is not asked. Defaults to all.
	Kinds []job.HandlerKind
	// MaxRequests is how many requests are served at the same time; a quarter
	// of it is kept for logs, questions and kills. One more is answered that
	// the executor cannot take it now. Defaults to 512.
	MaxRequests int
	// Logger gets the errors whose text no caller may see. Defaults to
	// discarding them.
	Logger *slog.Logger
}

// ExecutorHandler serves an executor to servers of the family and answers each in
// its dialect. It must be the server's only handler: the whole request target is
// compared, only slashes that are doubled or at the end do not count, and a mux would
// redirect those. Every reply has HTTP status 200
// but that to a body over 5 MiB, and what has two names in the family is in it under
// both. An attempt that runs or has ended is refused like one that waits; XXL-JOB's
// own executors would run it a second time.
type ExecutorHandler struct {
	config     ExecutorConfig
	credential credential
	ears       ears
	canceller  Canceller // nil: one attempt cannot be ended alone
	drainer    Drainer   // nil: never draining
	knower     Knower    // nil: it cannot be asked for one attempt
	shares     shares
	bodies     bodies
}

// NewExecutorHandler returns a handler. Tasks and Logs must be set.
func NewExecutorHandler(c ExecutorConfig) *ExecutorHandler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	h := &ExecutorHandler{
		config: c, credential: newCredential(append([]string{c.Token}, c.Tokens...)...),
		shares: newShares(c.MaxRequests), ears: newEars(c.Dialect, c.Speeches),
	}
	h.canceller, _ = c.Tasks.(Canceller)
	h.drainer, _ = c.Tasks.(Drainer)
	h.knower, _ = c.Tasks.(Knower)
	return h
}

// ServeHTTP implements http.Handler.
func (h *ExecutorHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > maxBody {
		tooLarge(w)
		return
	}
	if r.ProtoAtLeast(1, 1) && !r.Close { // net/http does it for 1.0 only
		w.Header()["Connection"] = []string{"keep-alive"}
	}
	says := h.ears.speech(r.Header)
	stranger := h.stranger(r.Header, says)
	path := post.CleanPath(r.RequestURI)
	switch {
	case r.Method != http.MethodPost:
		refuse(w, says.Answers.Method)
	case strings.TrimSpace(r.RequestURI) == "":
		refuse(w, says.Answers.PathEmpty)
	case stranger != "":
		refuse(w, stranger)
	case path == dialect.PathBeat: // its body is never looked at
		h.beat(w)
	default:
		h.route(w, r, path, says)
	}
}

// stranger returns the reason for refusing the caller, empty when it may call.
func (h *ExecutorHandler) stranger(header http.Header, says *dialect.Speech) string {
	allowed := h.credential.allows(header)
	if says.GroupHeader == "" {
		if !allowed {
			return says.Answers.Token
		}
		return ""
	}
	group := first(header, dialect.HeaderGroupCanonical)
	switch {
	case group == "", h.credential.required && shownTokens(header)[0] == "":
		return dialect.TextGroupEmpty
	case !allowed, h.config.Group != "" && group != h.config.Group:
		return dialect.TextGroupWrong
	}
	return ""
}

func (h *ExecutorHandler) beat(w http.ResponseWriter) {
	if h.drainer != nil && h.drainer.Draining() {
		refuse(w, dialect.TextFull+dialect.TextStopping)
		return
	}
	answer(w, executorContent, dialect.ExecutorSuccess)
}

// asked is a request that has a place, with its whole body.
type asked struct {
	*http.Request

	body []byte
	says *dialect.Speech // the dialect of the answer
}

// route serves the paths that accept a body.
func (h *ExecutorHandler) route(w http.ResponseWriter, r *http.Request, path string, says *dialect.Speech) {
	var serve func(http.ResponseWriter, asked) error
	places := h.shares.control
	switch path {
	case dialect.PathRun, dialect.PathTrigger:
		serve, places = h.run, h.shares.tasks
	case dialect.PathIdleBeat:
		serve = h.idleBeat
	case dialect.PathKill:
		serve = h.kill
	case dialect.PathLog:
		serve, places = h.log, h.shares.logs
	default:
		refuse(w, says.Answers.PathUnknown.With(dialect.Shorten(r.RequestURI)))
		return
	}
	if !places.take() {
		// A caller that is still writing when its connection closes would
		// never see the answer.
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody))
		refuse(w, fmt.Sprintf("%sit serves %d such requests already, the most it does at the same time; ask again, or another executor",
			dialect.TextFull, cap(places)))
		return
	}
	defer places.leave()
	body, err := h.bodies.read(r, maxBody)
	if errors.Is(err, errTooLarge) {
		tooLarge(w)
		return
	}
	if err == nil {
		defer h.bodies.release(body)
		err = serve(w, asked{r, body.Bytes(), says})
	}
	if err != nil {
		h.fail(w, r, says, err)
	}
}

func (h *ExecutorHandler) run(w http.ResponseWriter, r asked) error {
	task, err := dialect.DecodeTask(r.body)
	if err != nil {
		return err
	}
	if len(h.config.Kinds) > 0 && !slices.Contains(h.config.Kinds, task.Handler.Kind) {
		return job.Errorf(job.Refused, "%s%s%s", dialect.TextKindOff, dialect.KindTitle(task.Handler.Kind), dialect.TextKindOffEnd)
	}
	dialect.ReadExtras(r.Header, &task)
	if r.Header[headerWithin] != nil {
		w.Header()[headerTime] = []string{strconv.FormatInt(time.Now().UnixMilli(), 10)}
	}
	ctx, cancel, err := limited(r.Request, time.Now())
	if err != nil {
		return err
	}
	defer cancel()
	err = h.config.Tasks.Accept(ctx, task)
	switch {
	case err == nil:
		answer(w, executorContent, dialect.ExecutorSuccess)
	case r.Context().Err() != nil || job.Is(err, job.Ambiguous):
		// It is unknown whether the task was accepted, so there is no answer.
		panic(http.ErrAbortHandler)
	case job.Is(err, job.Duplicate):
		refuse(w, r.says.Answers.Repeated.With(strconv.FormatInt(task.AttemptID, 10)))
	default:
		return err
	}
	return nil
}

func (h *ExecutorHandler) idleBeat(w http.ResponseWriter, r asked) error {
	jobID, err := dialect.DecodeJobID(r.body)
	if err != nil {
		return err
	}
	busy := h.config.Tasks.Busy(jobID)
	if attempt, one := dialect.HeaderInteger(r.Header, dialect.HeaderAttemptID, math.MaxInt64); one && h.knower != nil {
		if busy, err = h.knower.Knows(r.Context(), attempt); err != nil {
			return err
		}
		w.Header()[headerKnown] = []string{knownNo}
		if busy {
			w.Header()[headerKnown] = []string{knownYes}
		}
	}
	if busy {
		refuse(w, r.says.Answers.Busy)
	} else {
		answer(w, executorContent, dialect.ExecutorSuccess)
	}
	return nil
}

func (h *ExecutorHandler) kill(w http.ResponseWriter, r asked) error {
	jobID, err := dialect.DecodeJobID(r.body)
	if err != nil {
		return err
	}
	ended, err := h.end(r, jobID)
	if err != nil {
		return err
	}
	text := r.says.Answers.NothingEnded
	if ended {
		text = r.says.Answers.Ended
	}
	if text == "" {
		answer(w, executorContent, dialect.ExecutorSuccess)
	} else {
		answer(w, executorContent, string(dialect.AppendPayload(nil, jsontext.AppendText(nil, text))))
	}
	return nil
}

// end ends the attempt that the request names, or else the whole job, and
// reports false when there was nothing to end.
func (h *ExecutorHandler) end(r asked, jobID int64) (bool, error) {
	reason := r.says.Ends.Killed
	if _, one := r.Header[dialect.HeaderAttemptID]; !one {
		return h.config.Tasks.Kill(r.Context(), jobID, reason), nil
	}
	attempt, ok := dialect.HeaderInteger(r.Header, dialect.HeaderAttemptID, math.MaxInt64)
	switch {
	case !ok: // whoever means one attempt must not end the whole job
		return false, job.Errorf(job.Invalid, "the header %s must be a whole number from 1 on", dialect.HeaderAttemptID)
	case h.canceller == nil:
		return false, job.Errorf(job.Refused, dialect.TextNoCancel)
	}
	return h.canceller.CancelAttempt(r.Context(), attempt, reason)
}

func (h *ExecutorHandler) log(w http.ResponseWriter, r asked) error {
	request, err := dialect.DecodeLogRequest(r.body)
	if err != nil {
		return err
	}
	page, err := h.read(request)
	if err != nil {
		return err
	}
	page.From = request.From // readers drop a page that answers another question
	if page.End {
		page.Text = h.ears.translate(r.says, page.Text)
	}
	answer(w, executorContent, string(dialect.AppendPayload(nil, dialect.AppendLogPage(nil, page))))
	return nil
}

// read reads a page. Servers of the dialect keep the instant of a run in whole
// seconds, to which their databases round it: a run of the last half second of a day
// is asked for with the first instant of the next.
func (h *ExecutorHandler) read(q dialect.LogRequest) (job.LogPage, error) {
	page, err := h.config.Logs.Read(q.Attempt, q.At, q.From)
	if err != nil || !page.End || q.At.UnixMilli()%time.Minute.Milliseconds() != 0 {
		return page, err
	}
	if earlier, err := h.config.Logs.Read(q.Attempt, q.At.Add(-time.Second), q.From); err == nil && !earlier.End {
		return earlier, nil
	}
	return page, nil
}

// fail answers an error: a refusal word for word, anything else behind a prefix that names
// its kind.
func (h *ExecutorHandler) fail(w http.ResponseWriter, r *http.Request, says *dialect.Speech, err error) {
	text, known := message(err)
	if !known && r.Context().Err() == nil { // a caller that has hung up reads no answer
		h.config.Logger.Error("serve a request of a server", "path", r.RequestURI, "error", err)
	}
	switch job.KindOf(err) {
	case job.Refused:
		refuse(w, h.ears.translate(says, text))
	case job.Full, job.Unavailable:
		refuse(w, dialect.TextFull+text)
	default:
		refuse(w, says.Answers.Failed+text)
	}
}

func refuse(w http.ResponseWriter, text string) {
	answer(w, executorContent, string(dialect.AppendExecutorRefusal(nil, text)))
}

func tooLarge(w http.ResponseWriter) {
	w.Header()["Content-Length"] = []string{"0"}
	w.WriteHeader(http.StatusRequestEntityTooLarge)
}
