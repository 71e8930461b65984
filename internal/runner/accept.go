package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/overlap"
	"github.com/orthd/orth/internal/runner/taskrecord"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
)

// Accept takes a task. Nil means that the task is durable and will have an outcome,
// whatever happens to this process. Otherwise nothing was written, unless the kind is
// Ambiguous.
//
// Kinds: Invalid; Refused, no handler for it; Duplicate, this attempt was accepted before;
// Full, too many tasks wait already; Unavailable, the executor stops or its disk fails;
// Ambiguous, the disk failed in the commit itself and the task may be there all the same.
// Before Run has recovered the store, Accept waits for it. Nothing is accepted after the
// deadline of ctx.
func (r *Runner) Accept(ctx context.Context, t job.Task) error {
	return r.AcceptAll(ctx, []*job.Task{&t})[0]
}

// AcceptAll takes several tasks in one transaction, and returns for each what Accept would,
// in their order. The caller keeps what tasks point to.
func (r *Runner) AcceptAll(ctx context.Context, tasks []*job.Task) []error {
	answers := make([]error, len(tasks))
	if !r.recovered(ctx) {
		for i := range answers {
			answers[i] = job.Errorf(job.Unavailable, "the executor is not ready yet: %w", ctx.Err())
		}
		return answers
	}
	arrivals := make([]arrival, 0, len(tasks))
	now := time.Now()
	for i, t := range tasks {
		a, err := r.reservePlace(t, now)
		if answers[i] = err; err == nil {
			a.answer = &answers[i]
			arrivals = append(arrivals, a)
		}
	}
	r.store(ctx, arrivals)
	r.repeated(ctx, tasks, answers)
	for i, t := range tasks {
		if answers[i] == nil {
			r.config.Hooks.Accepted(*t)
		}
	}
	return answers
}

// arrival is a task on its way into the store.
type arrival struct {
	item   queue.Item
	place  reservation
	answer *error // the result of the task
}

// reservePlace reserves a place for a task.
func (r *Runner) reservePlace(t *job.Task, now time.Time) (arrival, error) {
	if t.AttemptID < 1 || t.JobID < 0 {
		return arrival{}, job.Errorf(job.Invalid, "attempt %d of job %d: ids must be positive", t.AttemptID, t.JobID)
	}
	if _, err := r.config.Handlers.Handler(t.Handler); err != nil {
		return arrival{}, err
	}
	body := taskrecord.Encode(*t)
	place, err := r.reserve(t, len(body))
	if err != nil {
		return arrival{}, err
	}
	return arrival{item: queue.Item{Key: t.AttemptID, Due: now, AddedAt: now, Body: body}, place: place}, nil
}

// store makes tasks durable, and releases the places of those that it cannot store.
func (r *Runner) store(ctx context.Context, arrivals []arrival) {
	if len(arrivals) == 0 {
		return
	}
	for range arrivals {
		failpoint.Hit("runner/accepting")
	}
	err := r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		late := isLate(ctx)
		for _, a := range arrivals {
			if late {
				*a.answer = errLate()
			} else {
				*a.answer = r.storeTask(tx, a.item, a.place.entry.processing)
			}
		}
		tx.OnCommit(func() { r.admit(arrivals) })
		return nil // a rejected task does not affect the others
	})
	switch {
	case job.Is(err, job.Ambiguous):
		r.findFate(ctx, arrivals, err)
		return
	case err != nil && isLate(ctx):
		err = errLate()
	}
	for _, a := range arrivals {
		if err != nil {
			*a.answer = err
		}
		if *a.answer == nil {
			failpoint.Hit("runner/stored")
			continue
		}
		r.release(a.place)
		*a.answer = fmt.Errorf("accept attempt %d: %w", a.item.Key, *a.answer)
	}
}

// isLate reports whether the deadline of a context has passed, also when the process
// has just been woken and the timers have not.
func isLate(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return limited && !time.Now().Before(deadline)
}

func errLate() error {
	return job.Errorf(job.Unavailable, "the task came too late: its sender waits no longer")
}

// repeated answers job.Duplicate for the tasks that were not taken and whose attempts were
// accepted before. A sender that repeats an attempt, because the first answer was lost,
// must learn that it is here: after any other answer it would run elsewhere as well. The
// check is ordered with the commits, so it finds a twin that is being stored; a twin that
// arrives after a permanent refusal is refused as well.
func (r *Runner) repeated(ctx context.Context, tasks []*job.Task, answers []error) {
	if !slices.ContainsFunc(answers, doubtful) {
		return
	}
	known := make([]error, len(tasks))
	err := r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		for i, t := range tasks {
			if known[i] = answers[i]; !doubtful(answers[i]) {
				continue
			}
			_, place, _, err := r.config.Tasks.Find(tx, t.AttemptID)
			switch {
			case err != nil:
			case place != 0:
				known[i] = duplicate(t.AttemptID, place)
			case job.Is(answers[i], job.Refused) && !r.fence.Contains(t.AttemptID):
				r.refused.Add(t.AttemptID, answers[i])
			}
		}
		return nil
	})
	if err == nil {
		copy(answers, known)
	}
}

// doubtful reports whether an attempt with this answer may be here all the same.
func doubtful(answer error) bool {
	return answer != nil && !job.Is(answer, job.Duplicate) && !job.Is(answer, job.Ambiguous)
}

// storeTask puts a task into the store, if there is room for its outcome too.
func (r *Runner) storeTask(tx *queue.Tx, item queue.Item, started bool) error {
	if reason := r.refused.Reason(item.Key); reason != nil {
		return reason
	}
	if r.fence.Contains(item.Key) {
		return job.Errorf(job.Refused, "this executor has said that it does not know attempt %d, so it does not take it any more", item.Key)
	}
	held, err := r.config.Tasks.Stats(tx)
	if err != nil {
		return err
	}
	if err := r.config.Outbox.Room(tx, held.Scheduled+held.Processing+1); err != nil {
		return err
	}
	if started {
		err = r.config.Tasks.PushStarted(tx, item)
	} else {
		err = r.config.Tasks.Push(tx, item)
	}
	if job.Is(err, job.Duplicate) {
		_, place, _, _ := r.config.Tasks.Find(tx, item.Key)
		return duplicate(item.Key, place)
	}
	return err
}

// duplicate is the error that names where the first task of an attempt is.
func duplicate(key int64, place queue.Place) error {
	where := "finished"
	switch place {
	case queue.Scheduled:
		where = "queued"
	case queue.Processing:
		where = "running"
	case queue.Dead:
		where = "dead letter"
	case queue.Remembered:
	}
	return job.Errorf(job.Duplicate, "attempt %d was accepted before (%s)", key, where)
}

// recovered waits for recovery, and reports false when ctx ends first.
func (r *Runner) recovered(ctx context.Context) bool {
	select {
	case <-r.ready: // whatever has become of ctx
		return true
	default:
	}
	select {
	case <-r.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

// reservation is a task's place in a lane while the task is on its way into the
// store.
type reservation struct {
	lane  *lane
	entry entry
	cover bool
}

// shapeOf returns the shape of a task that is not refused.
func shapeOf(t *job.Task) shape {
	return shape{code: codeOf(t.Handler), width: overlap.Of(t.Overlap).Decide(false, t).Width}
}

// reserve finds the lane of a task, whose record has so many bytes, and asks the
// job's overlap. A task that may begin at once goes straight into processing; its
// entry has the task.
func (r *Runner) reserve(t *job.Task, size int) (reservation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.draining:
		return reservation{}, job.Errorf(job.Unavailable, "the executor is stopping and takes no more tasks")
	case r.resting && r.attempts[t.AttemptID] == nil:
		return reservation{}, job.Errorf(job.Unavailable, "the executor is drained: it finishes what it has and takes no more tasks")
	case r.attempts[t.AttemptID] != nil:
		return reservation{}, duplicate(t.AttemptID, r.placeOf(t.AttemptID))
	case r.unsettled[t.AttemptID]:
		return reservation{}, job.Errorf(job.Ambiguous, "the disk failed while attempt %d was accepted: it is not known yet whether it is here", t.AttemptID)
	case len(r.unsettled) > 0:
		return reservation{}, job.Errorf(job.Unavailable, "the disk fails: no task is taken until it is known what the last commit has left")
	}
	l, err := r.laneOf(t.JobID)
	if err != nil {
		return reservation{}, err
	}
	rule := overlap.Of(t.Overlap).Decide(l.isBusy(), t)
	if err := r.admissible(l, rule); err != nil {
		r.settle(l)
		return reservation{}, err
	}
	form := l.internShape(shape{code: codeOf(t.Handler), width: rule.Width})
	place := reservation{lane: l, entry: entry{key: t.AttemptID, shape: form, startAt: t.StartAt}, cover: rule.Cover}
	place.entry.processing = l.direct(form)
	if place.entry.processing || size <= keptBytes && len(r.attempts)+r.pending < keptTasks {
		kept := *t // so that it does not keep those in memory that came with it
		place.entry.task = &kept
	}
	l.endIdle(r)
	l.pending++
	r.pending++
	return place, nil
}

// admissible returns the error of a task that its lane rejects. mu is held.
func (r *Runner) admissible(l *lane, rule overlap.Ruling) error {
	switch {
	case rule.Refuse != nil:
		return rule.Refuse
	case l.blocked():
		return job.Errorf(job.Full, "job %d: %d handlers ignore that they were cancelled and cannot be stopped; "+
			"until they return or this executor is restarted it runs no more of this job", l.job, l.stuck)
	case len(l.waiting)+l.pending >= r.config.LaneQueue && !rule.Cover:
		return job.Errorf(job.Full,
			"job %d has %d tasks that wait on this executor, the most it takes", l.job, r.config.LaneQueue)
	}
	return nil
}

// placeOf returns where an accepted task is. mu is held.
func (r *Runner) placeOf(key int64) queue.Place {
	for _, e := range r.attempts[key].waiting {
		if e.key == key {
			return queue.Scheduled
		}
	}
	return queue.Processing
}

// admit puts tasks that are durable into their lanes. It is called in the order of
// the commits, so the lanes have the order of the store.
func (r *Runner) admit(arrivals []arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range arrivals {
		if *arrivals[i].answer != nil {
			continue
		}
		place := &arrivals[i].place
		l := place.lane
		l.pending--
		r.pending--
		l.ending = false
		if place.cover {
			r.cover(l)
		}
		r.attempts[place.entry.key] = l
		if len(l.waiting) == 0 && r.mayBegin(l, &place.entry) {
			r.handToWorkers(r.start(l, place.entry))
			continue
		}
		l.enter(place.entry, time.Now())
		r.settle(l)
	}
}

// cover ends what the lane has for a task that covers it. mu is held.
func (r *Runner) cover(l *lane) {
	stop := &cancelled{reason: texts.CoverReason}
	for _, a := range l.running {
		r.cancelServed(l, a, stop)
	}
	if len(l.waiting) == 0 || r.stopped {
		return
	}
	waiting := r.strip(l)
	r.routines.Go(func() { r.endWaiting(r.disk, l, waiting, stop) })
}

// release gives up the place of a task that was not stored.
func (r *Runner) release(place reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place.lane.pending--
	r.pending--
	r.settle(place.lane)
	r.signalIdle()
}
