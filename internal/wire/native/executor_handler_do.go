package native

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// What an executor does for each name.

// maxAhead is how far ahead of this clock tasks may be signed: further, they would be
// good for that much longer than their sender waits.
const maxAhead = 2 * time.Second

// errUntimely is the cause of refusals because of the time of sending.
var errUntimely = errors.New("sign it anew, by the clock of this answer")

// waited returns when the sender of tasks waits no longer, by this process's own
// clock. The error is of a request that left too long ago, or that is of the future: by
// a clock that differs, or because it was held back on its way.
func (r *tasksRequest) waited(sentAt, now time.Time) (time.Time, error) {
	age := now.Sub(sentAt)
	if age < -maxAhead || age >= r.within {
		return time.Time{}, job.Errorf(job.Unavailable, "the tasks left %s ago by this clock, and their sender waits for %s: %w",
			age.Round(time.Millisecond), r.within, errUntimely)
	}
	return now.Add(r.within - age), nil
}

// accept takes tasks. All of a request become durable together, and none when its
// sender waits no longer.
func (h *ExecutorHandler) accept(ctx context.Context, in asked) ([]byte, error) {
	r, err := decodeTasks(in.body)
	if err != nil {
		return nil, err
	}
	if r.within > 0 && !in.sentAt.IsZero() {
		until, err := r.waited(in.sentAt, time.Now())
		if err != nil {
			return nil, err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, until)
		defer cancel()
	}
	if until, limited := ctx.Deadline(); limited && !time.Now().Before(until) {
		return nil, job.Errorf(job.Unavailable, "the tasks came too late: their sender waits no longer")
	}
	// The tasks do not depend on the follower: one that cannot be reached counts as none.
	followed := h.minor >= minorTasks && r.server != "" && checkFollower(r.server, r.address) == nil
	answers := make([]taskAnswer, len(r.tasks))
	for i, err := range h.offer(ctx, r.tasks) {
		t := &r.tasks[i]
		answers[i] = h.answer(ctx, t.AttemptID, err)
		if here := answers[i].state; followed && t.follow && (here == taskAccepted || here == taskDuplicate) {
			_ = h.config.Follows.Follow(Follow{
				Server: r.server, Address: r.address, Attempt: t.AttemptID, TriggeredAt: t.TriggeredAt, From: 1, For: taskFollow, Task: true,
			}) // the server asks for what does not come
		}
	}
	return appendTaskAnswers(make([]byte, 0, 32+64*len(answers)), answers), nil
}

// offer has those of the tasks accepted that this executor may run, and returns what
// became of each.
func (h *ExecutorHandler) offer(ctx context.Context, tasks []arrival) []error {
	now := time.Now()
	errs := make([]error, len(tasks))
	allowed, places := make([]*job.Task, 0, len(tasks)), make([]int, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		if errs[i] = h.allows(t); errs[i] == nil {
			if t.startIn > 0 {
				t.StartAt = now.Add(t.startIn)
			}
			allowed, places = append(allowed, &t.Task), append(places, i)
		}
	}
	for n, err := range h.config.Tasks.AcceptAll(ctx, allowed) {
		errs[places[n]] = err
	}
	return errs
}

// allows reports why a task cannot be run here, for any caller.
func (h *ExecutorHandler) allows(t *arrival) error {
	err := checkTask(t)
	if err == nil && len(h.config.Kinds) > 0 && !slices.Contains(h.config.Kinds, t.Handler.Kind) {
		err = job.Errorf(job.Refused, "handlers of kind %s are switched off on this executor", t.Handler.Kind)
	}
	return err
}

// answer returns the reply about a task.
func (h *ExecutorHandler) answer(ctx context.Context, attempt int64, err error) taskAnswer {
	answer := taskAnswer{attempt: attempt, state: taskAccepted}
	if err == nil {
		return answer
	}
	answer.message = h.problem(ctx, nameTasks, err).message
	switch job.KindOf(err) {
	case job.Duplicate:
		answer.state = taskDuplicate
	case job.Refused, job.Invalid:
		answer.state = taskRefused
		if errors.Is(err, job.ErrDiscarded) {
			answer.state = taskDiscarded
		}
	case job.Full:
		answer.state = taskFull
	case job.Ambiguous:
		answer.state = taskUncertain
	default:
		answer.state = taskUnavailable
	}
	return answer
}

func (h *ExecutorHandler) standings(ctx context.Context, body []byte) ([]byte, error) {
	refs, err := decodeAttempts(body)
	if err != nil {
		return nil, err
	}
	attempts := make([]int64, len(refs))
	for i, r := range refs {
		attempts[i] = r.attempt
	}
	stand, err := h.config.Attempts.Standings(ctx, attempts)
	if err != nil {
		return nil, err
	}
	states := make([]attemptState, len(refs))
	for i, attempt := range attempts {
		states[i] = attemptState{attempt: attempt, state: stand[i].String(), rid: stand[i] == Rid}
	}
	return appendAttemptStates(nil, states), nil
}

// cancelReason is the reason that attempts get when they are cancelled without one.
const cancelReason = "cancelled by the server"

func (h *ExecutorHandler) cancel(ctx context.Context, body []byte) ([]byte, error) {
	request, err := decodeCancel(body)
	if err != nil {
		return nil, err
	}
	reason := request.reason
	if reason == "" {
		reason = cancelReason
	}
	states := make([]attemptState, len(request.attempts))
	for i, attempt := range request.attempts {
		states[i] = attemptState{attempt: attempt, state: attemptUnknown}
		told, err := h.config.Tasks.CancelAttempt(ctx, attempt, reason)
		if err != nil {
			return nil, err
		}
		if told {
			states[i].state = attemptEnded
		}
	}
	return appendAttemptStates(nil, states), nil
}

func (h *ExecutorHandler) busy(_ context.Context, body []byte) ([]byte, error) {
	jobID, err := decodeJob(body)
	if err != nil {
		return nil, err
	}
	return appendFlag(nil, flagBusy, h.config.Tasks.Busy(jobID)), nil
}

func (h *ExecutorHandler) log(_ context.Context, body []byte) ([]byte, error) {
	request, err := decodeLogRequest(body)
	if err != nil {
		return nil, err
	}
	page, err := h.config.Logs.Read(request.attempt, request.triggeredAt, request.from)
	if err != nil {
		return nil, err
	}
	page.From = request.from // the page answers this question
	return appendLogPage(nil, page), nil
}

func (h *ExecutorHandler) follow(_ context.Context, body []byte) ([]byte, error) {
	r, err := decodeFollow(body)
	if err != nil {
		return nil, err
	}
	return []byte(nothing), h.config.Follows.Follow(Follow{
		Server: r.server, Address: r.address, Attempt: r.attempt, TriggeredAt: r.triggeredAt, From: r.from, For: min(r.wait, maxFollow),
	})
}

func (h *ExecutorHandler) drain(_ context.Context, body []byte) ([]byte, error) {
	on, err := decodeFlag(body, flagOn)
	if err != nil {
		return nil, err
	}
	h.config.Drainer.Suspend(on)
	return appendFlag(nil, flagDraining, h.config.Drainer.Draining()), nil
}

func (h *ExecutorHandler) beat(_ context.Context, body []byte) ([]byte, error) {
	if err := empty(body); err != nil {
		return nil, err
	}
	load := h.config.Drainer.Load()
	return appendBeatAnswer(nil, beatAnswer{draining: h.config.Drainer.Draining(), load: &load}), nil
}
