package native

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// What an executor does for each name.

// maxAhead is how far ahead of this clock tasks may be signed: further, they would be
// good for that much longer than their sender waits.
const maxAhead = 2 * time.Second

// errUntimely is the cause of refusals because of the time of sending.
var errUntimely = errors.New("sign it anew, by the clock of this answer")

// waitsUntil returns when the sender of tasks waits no longer, by this process's own
// clock. The error is of a request that left too long ago, or that is of the future: by
// a clock that differs, or because it was held back on its way.
func waitsUntil(within time.Duration, sentAt, now time.Time) (time.Time, error) {
	age := now.Sub(sentAt)
	if age < -maxAhead || age >= within {
		return time.Time{}, job.Errorf(job.Unavailable, "the tasks left %s ago by this clock, and their sender waits for %s: %w",
			age.Round(time.Millisecond), within, errUntimely)
	}
	return now.Add(within - age), nil
}

// accept takes tasks. All of a request become durable together, and none when its
// sender waits no longer.
func (h *ExecutorHandler) accept(ctx context.Context, in asked) ([]byte, error) {
	r, err := message.DecodeTasks(in.body)
	if err != nil {
		return nil, err
	}
	if r.Within > 0 && !in.sentAt.IsZero() {
		until, err := waitsUntil(r.Within, in.sentAt, time.Now())
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
	followed := h.minor >= message.MinorTasks && r.Server != "" && message.CheckFollower(r.Server, r.Address) == nil
	answers := make([]message.TaskAnswer, len(r.Tasks))
	for i, err := range h.offer(ctx, r.Tasks, in.held) {
		t := &r.Tasks[i]
		answers[i] = h.answer(ctx, t.AttemptID, err)
		if here := answers[i].State; followed && t.Follow && (here == message.TaskAccepted || here == message.TaskDuplicate) {
			_ = h.config.Follows.Follow(Follow{
				Server: r.Server, Address: r.Address, Attempt: t.AttemptID, TriggeredAt: t.TriggeredAt, From: 1, For: message.TaskFollow, Task: true,
			}) // the server asks for what does not come
		}
	}
	return message.AppendTaskAnswers(make([]byte, 0, 32+64*len(answers)), answers), nil
}

// offer has those of the tasks accepted that this executor may run, and returns what
// became of each. held is how long they have waited at the server after it had computed
// when they begin.
func (h *ExecutorHandler) offer(ctx context.Context, tasks []message.Arrival, held time.Duration) []error {
	sent := time.Now().Add(-held)
	errs := make([]error, len(tasks))
	allowed, places := make([]*job.Task, 0, len(tasks)), make([]int, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		if errs[i] = h.allows(t); errs[i] == nil {
			if t.StartIn > 0 {
				t.StartAt = sent.Add(t.StartIn)
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
func (h *ExecutorHandler) allows(t *message.Arrival) error {
	err := message.CheckTask(t)
	if err == nil && len(h.config.Kinds) > 0 && !slices.Contains(h.config.Kinds, t.Handler.Kind) {
		err = job.Errorf(job.Refused, "handlers of kind %s are switched off on this executor", t.Handler.Kind)
	}
	return err
}

// answer returns the reply about a task.
func (h *ExecutorHandler) answer(ctx context.Context, attempt int64, err error) message.TaskAnswer {
	answer := message.TaskAnswer{Attempt: attempt, State: message.TaskAccepted}
	if err == nil {
		return answer
	}
	answer.Message = h.problem(ctx, message.NameTasks, err).Message
	switch job.KindOf(err) {
	case job.Duplicate:
		answer.State = message.TaskDuplicate
	case job.Refused, job.Invalid:
		answer.State = message.TaskRefused
		if errors.Is(err, job.ErrDiscarded) {
			answer.State = message.TaskDiscarded
		}
	case job.Full:
		answer.State = message.TaskFull
	case job.Ambiguous:
		answer.State = message.TaskUncertain
	default:
		answer.State = message.TaskUnavailable
	}
	return answer
}

func (h *ExecutorHandler) standings(ctx context.Context, body []byte) ([]byte, error) {
	refs, err := message.DecodeAttempts(body)
	if err != nil {
		return nil, err
	}
	attempts := make([]int64, len(refs))
	for i, r := range refs {
		attempts[i] = r.Attempt
	}
	stand, err := h.config.Attempts.Standings(ctx, attempts)
	if err != nil {
		return nil, err
	}
	states := make([]message.AttemptState, len(refs))
	for i, attempt := range attempts {
		states[i] = message.AttemptState{Attempt: attempt, State: stand[i].String(), Rid: stand[i] == Rid}
	}
	return message.AppendAttemptStates(nil, states), nil
}

// cancelReason is the reason that attempts get when they are cancelled without one.
const cancelReason = "cancelled by the server"

func (h *ExecutorHandler) cancel(ctx context.Context, body []byte) ([]byte, error) {
	request, err := message.DecodeCancel(body)
	if err != nil {
		return nil, err
	}
	reason := request.Reason
	if reason == "" {
		reason = cancelReason
	}
	states := make([]message.AttemptState, len(request.Attempts))
	for i, attempt := range request.Attempts {
		states[i] = message.AttemptState{Attempt: attempt, State: message.AttemptUnknown}
		told, err := h.config.Tasks.CancelAttempt(ctx, attempt, reason)
		if err != nil {
			return nil, err
		}
		if told {
			states[i].State = message.AttemptEnded
		}
	}
	return message.AppendAttemptStates(nil, states), nil
}

func (h *ExecutorHandler) busy(_ context.Context, body []byte) ([]byte, error) {
	jobID, err := message.DecodeJob(body)
	if err != nil {
		return nil, err
	}
	return message.AppendFlag(nil, message.FlagBusy, h.config.Tasks.Busy(jobID)), nil
}

func (h *ExecutorHandler) log(_ context.Context, body []byte) ([]byte, error) {
	request, err := message.DecodeLogRequest(body)
	if err != nil {
		return nil, err
	}
	page, err := h.config.Logs.Read(request.Attempt, request.TriggeredAt, request.From)
	if err != nil {
		return nil, err
	}
	page.From = request.From // the page answers this question
	return message.AppendLogPage(nil, page), nil
}

func (h *ExecutorHandler) follow(_ context.Context, body []byte) ([]byte, error) {
	r, err := message.DecodeFollow(body)
	if err != nil {
		return nil, err
	}
	return []byte(message.EmptyAnswer), h.config.Follows.Follow(Follow{
		Server: r.Server, Address: r.Address, Attempt: r.Attempt, TriggeredAt: r.TriggeredAt, From: r.From, For: min(r.Wait, message.MaxFollow),
	})
}

func (h *ExecutorHandler) drain(_ context.Context, body []byte) ([]byte, error) {
	on, err := message.DecodeFlag(body, message.FlagOn)
	if err != nil {
		return nil, err
	}
	h.config.Drainer.Suspend(on)
	return message.AppendFlag(nil, message.FlagDraining, h.config.Drainer.Draining()), nil
}

func (h *ExecutorHandler) beat(_ context.Context, body []byte) ([]byte, error) {
	if err := message.Empty(body); err != nil {
		return nil, err
	}
	load := h.config.Drainer.Load()
	return message.AppendBeatAnswer(nil, message.BeatAnswer{Draining: h.config.Drainer.Draining(), Load: &load}), nil
}
