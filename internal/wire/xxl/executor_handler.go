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

	"github.com/orthd/orth/job"
)

// executorContent is what executors of this dialect call their JSON.
const executorContent = "text/html;charset=UTF-8"

// Tasks is what an executor does with tasks.
type Tasks interface {
	// Accept returns nil only when the task will be run. A Refused error's
	// Message is the reply, word for word; Duplicate says that the attempt is
	// known; after Full and Unavailable the caller may ask again.
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
	// it is not here or has ended.
	CancelAttempt(ctx context.Context, attempt int64, reason string) bool
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

// ExecutorConfig says what an ExecutorHandler serves.
type ExecutorConfig struct {
	// Token is what servers must show. Defaults to "": everyone may call, so
	// whoever opens the listener must care for that.
	Token string
	// Tasks may also be a [Canceller] and a [Drainer].
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

// ExecutorHandler serves an executor to servers of this dialect. It must be
// the server's only handler: paths are compared with the whole request target
// and a mux would rewrite some. Every reply has HTTP status 200 but that to a
// body over 5 MiB. An attempt that runs or has ended is refused like one that
// waits; the dialect's own executors would run it a second time.
type ExecutorHandler struct {
	config     ExecutorConfig
	credential credential
	canceller  Canceller // nil: one attempt cannot be ended alone
	drainer    Drainer   // nil: never draining
	shares     shares
	bodies     bodies
}

// NewExecutorHandler returns a handler. Tasks and Logs must be set.
func NewExecutorHandler(c ExecutorConfig) *ExecutorHandler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	h := &ExecutorHandler{config: c, credential: newCredential(c.Token), shares: newShares(c.MaxRequests)}
	h.canceller, _ = c.Tasks.(Canceller)
	h.drainer, _ = c.Tasks.(Drainer)
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
	switch {
	case r.Method != http.MethodPost:
		refuse(w, textMethod)
	case strings.TrimSpace(r.RequestURI) == "":
		refuse(w, textPathEmpty)
	case !h.credential.allows(r.Header):
		refuse(w, textToken)
	case r.RequestURI == pathBeat: // its body is never looked at
		h.beat(w)
	default:
		h.route(w, r)
	}
}

func (h *ExecutorHandler) beat(w http.ResponseWriter) {
	if h.drainer != nil && h.drainer.Draining() {
		refuse(w, textFull+textStopping)
		return
	}
	answer(w, executorContent, executorSuccess)
}

// route serves the paths that take a body.
func (h *ExecutorHandler) route(w http.ResponseWriter, r *http.Request) {
	var serve func(http.ResponseWriter, *http.Request, []byte) error
	places := h.shares.control
	switch r.RequestURI {
	case pathRun, pathTrigger:
		serve, places = h.run, h.shares.tasks
	case pathIdleBeat:
		serve = h.idleBeat
	case pathKill:
		serve = h.kill
	case pathLog:
		serve, places = h.log, h.shares.logs
	default:
		refuse(w, pathUnknown(r.RequestURI))
		return
	}
	if !places.take() {
		// A caller that is still writing when its connection closes would
		// never see the answer.
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody))
		refuse(w, fmt.Sprintf("%sit serves %d such requests already, the most it does at the same time; ask again, or another executor",
			textFull, cap(places)))
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
		err = serve(w, r, body.Bytes())
	}
	if err != nil {
		h.fail(w, r, err)
	}
}

func (h *ExecutorHandler) run(w http.ResponseWriter, r *http.Request, body []byte) error {
	task, err := decodeTask(body)
	if err != nil {
		return err
	}
	if len(h.config.Kinds) > 0 && !slices.Contains(h.config.Kinds, task.Handler.Kind) {
		return job.Errorf(job.Refused, "%s%s%s", textKindOff, kindTitle(task.Handler.Kind), textKindOffEnd)
	}
	readExtras(r.Header, &task)
	err = h.config.Tasks.Accept(r.Context(), task)
	switch {
	case err == nil:
		answer(w, executorContent, executorSuccess)
	case r.Context().Err() != nil:
		// Nobody knows whether the task was accepted, so nothing is said.
		panic(http.ErrAbortHandler)
	case job.Is(err, job.Duplicate):
		refuse(w, textRepeat+", logId:"+strconv.FormatInt(task.AttemptID, 10))
	default:
		return err
	}
	return nil
}

func (h *ExecutorHandler) idleBeat(w http.ResponseWriter, _ *http.Request, body []byte) error {
	jobID, err := decodeJobID(body)
	if err != nil {
		return err
	}
	if h.config.Tasks.Busy(jobID) {
		refuse(w, textBusy)
	} else {
		answer(w, executorContent, executorSuccess)
	}
	return nil
}

func (h *ExecutorHandler) kill(w http.ResponseWriter, r *http.Request, body []byte) error {
	jobID, err := decodeJobID(body)
	if err != nil {
		return err
	}
	ended, err := h.end(r, jobID)
	switch {
	case err != nil:
		return err
	case ended:
		answer(w, executorContent, executorSuccess)
	default:
		answer(w, executorContent, string(appendPayload(nil, appendText(nil, textKilledAlready))))
	}
	return nil
}

// end ends the attempt that the request names, or else the whole job, and
// reports false when there was nothing to end.
func (h *ExecutorHandler) end(r *http.Request, jobID int64) (bool, error) {
	if _, one := r.Header[headerAttemptID]; !one {
		return h.config.Tasks.Kill(r.Context(), jobID, textKillReason), nil
	}
	attempt, ok := headerInteger(r.Header, headerAttemptID, math.MaxInt64)
	switch {
	case !ok: // whoever means one attempt must not end the whole job
		return false, job.Errorf(job.Invalid, "the header %s must be a whole number from 1 on", headerAttemptID)
	case h.canceller == nil:
		return false, job.Errorf(job.Refused, textNoCancel)
	}
	return h.canceller.CancelAttempt(r.Context(), attempt, textKillReason), nil
}

func (h *ExecutorHandler) log(w http.ResponseWriter, _ *http.Request, body []byte) error {
	request, err := decodeLogRequest(body)
	if err != nil {
		return err
	}
	page, err := h.config.Logs.Read(request.attempt, request.at, request.from)
	if err != nil {
		return err
	}
	page.From = request.from // readers drop a page that answers another question
	answer(w, executorContent, string(appendPayload(nil, appendLogPage(nil, page))))
	return nil
}

// fail answers an error: a refusal word for word, anything else behind a
// prefix that says what to make of it.
func (h *ExecutorHandler) fail(w http.ResponseWriter, r *http.Request, err error) {
	text, known := message(err)
	if !known {
		h.config.Logger.Error("serve a request of a server", "path", r.RequestURI, "error", err)
	}
	switch job.KindOf(err) {
	case job.Refused:
		refuse(w, text)
	case job.Full, job.Unavailable:
		refuse(w, textFull+text)
	default:
		refuse(w, textRequestError+text)
	}
}

func refuse(w http.ResponseWriter, text string) {
	answer(w, executorContent, string(appendExecutorRefusal(nil, text)))
}

func tooLarge(w http.ResponseWriter) {
	w.Header()["Content-Length"] = []string{"0"}
	w.WriteHeader(http.StatusRequestEntityTooLarge)
}
