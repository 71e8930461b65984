package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/taskrecord"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
)

const (
	// bootMeta is where the store keeps the boot of its last user.
	bootMeta = "runner/boot"
	// recoverPage bounds the memory of recovery: bodies may hold large scripts.
	recoverPage = 32
	// maxReruns is how often a task that dies with its executor runs again. It
	// may be what kills the executor.
	maxReruns = 3
)

// recover settles the tasks that a former process left, and fills the lanes with waiting
// ones. It keeps only keys in memory; their number is bounded by the queue's capacity.
func (r *Runner) recover(ctx context.Context) error {
	past, err := r.lookBack(ctx)
	if err != nil {
		return fmt.Errorf("compare the boot: %w", err)
	}
	var sum Recovery
	places := []queue.Place{queue.Processing}
	if past.uncertain > 0 { // first, because others come back to it
		places = []queue.Place{queue.Scheduled, queue.Processing}
	}
	for _, place := range places {
		err = r.pages(ctx, place, func(items []queue.Item) error {
			return r.settleLeft(ctx, place, items, past, &sum)
		})
		if err != nil {
			return fmt.Errorf("settle interrupted tasks: %w", err)
		}
	}
	failpoint.Hit("runner/settled")
	if err := r.config.Starts.Reset(); err != nil {
		return err
	}
	if err := r.settled(ctx); err != nil {
		return fmt.Errorf("keep the boot: %w", err)
	}
	err = r.pages(ctx, queue.Scheduled, func(items []queue.Item) error {
		return r.fillLanes(ctx, items, &sum)
	})
	if err != nil {
		return fmt.Errorf("line up waiting tasks: %w", err)
	}
	failpoint.Hit("runner/recovered")
	r.config.Hooks.Recovered(sum)
	return nil
}

// past is the known state from before the start.
type past struct {
	same      bool // the machine has run without a break
	uncertain int  // tasks that were stored before damage
	marked    func(attempt int64) bool
}

// started reports whether the handler of a task found in a place may have been
// called. Marks prove nothing after a reboot, and after damage not that a task has
// not started: the end that freed its mark may be what is missing.
func (p past) started(item queue.Item, place queue.Place) bool {
	return item.Uncertain || place == queue.Processing && !p.same || p.marked(item.Key)
}

// lookBack reads the state from before the start.
func (r *Runner) lookBack(ctx context.Context) (past, error) {
	p := past{marked: r.config.Starts.Marked}
	err := r.config.Store.View(ctx, func(tx *queue.Tx) error {
		last, _ := tx.Meta(bootMeta)
		p.same, p.uncertain = r.boot != "" && string(last) == r.boot, r.config.Tasks.Uncertain(tx)
		return nil
	})
	return p, err
}

// settled records that nothing from before the start is open any more. A start that dies
// before that changes nothing.
func (r *Runner) settled(ctx context.Context) error {
	return r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		return tx.SetMeta(bootMeta, []byte(r.boot))
	})
}

// pages calls fn with all items of a place, in the order of arrival.
func (r *Runner) pages(ctx context.Context, place queue.Place, fn func([]queue.Item) error) error {
	for after := uint64(0); ; {
		var items []queue.Item
		err := r.config.Store.View(ctx, func(tx *queue.Tx) error {
			var err error
			items, err = r.config.Tasks.List(tx, place, after, recoverPage)
			return err
		})
		if err != nil || len(items) == 0 {
			return err
		}
		after = items[len(items)-1].Seq
		if err := fn(items); err != nil {
			return err
		}
	}
}

// fate is the treatment of a task that a former process left in processing.
type fate int

const (
	notStarted  fate = iota // back to the queue
	interrupted             // its outcome is Failed
	rerun                   // back to the queue, counted
	exhausted               // run again too often
	unreadable
)

// verdict is the fate of one task, with its text.
type verdict struct {
	fate fate
	task job.Task
	text string
}

// judge decides the fate of an item. started means that its handler may have been called.
func judge(item queue.Item, started bool) verdict {
	task, err := taskrecord.Decode(item.Body)
	switch {
	case err != nil:
		return verdict{unreadable, job.Task{AttemptID: item.Key}, fmt.Sprintf(texts.UnreadableText, err)}
	case !started:
		return verdict{notStarted, task, texts.NotStartedNote}
	case task.OnCrash != job.CrashRerun:
		return verdict{interrupted, task, texts.InterruptedText}
	case item.Tries >= maxReruns:
		return verdict{exhausted, task, fmt.Sprintf(texts.BuriedText, item.Tries+1)}
	}
	return verdict{rerun, task, texts.InterruptedText}
}

// settleLeft commits the verdicts about one page in one transaction.
func (r *Runner) settleLeft(ctx context.Context, place queue.Place, items []queue.Item, past past, sum *Recovery) error {
	verdicts := make([]verdict, 0, len(items))
	for _, item := range items {
		v := judge(item, past.started(item, place))
		if place == queue.Scheduled && (v.fate == notStarted || v.fate == unreadable) {
			continue // fill lines it up, or buries it
		}
		if v.fate == interrupted && item.Uncertain && !past.marked(item.Key) {
			v.text = texts.PerhapsText
		}
		verdicts = append(verdicts, v)
	}
	if len(verdicts) == 0 {
		return nil
	}
	err := r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		for _, v := range verdicts {
			if place == queue.Scheduled {
				if err := r.config.Tasks.Start(tx, v.task.AttemptID); err != nil {
					return err
				}
			}
			if err := r.commit(tx, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		switch v.fate {
		case notStarted:
			continue
		case interrupted:
			sum.Interrupted++
		case rerun:
			sum.Rerun++
		case exhausted, unreadable:
			sum.Buried++
			r.config.Logger.Error("a task is given up", "attempt_id", v.task.AttemptID, "reason", v.text)
		}
		if v.fate != unreadable {
			r.noteInterruption(v.task)
		}
	}
	return nil
}

// commit applies a verdict about a task in processing.
func (r *Runner) commit(tx *queue.Tx, v verdict) error {
	o := r.outcome(&v.task, end{state: job.Failed, message: v.text})
	switch v.fate {
	case notStarted:
		return r.config.Tasks.Defer(tx, o.AttemptID, o.EndedAt, v.text)
	case rerun:
		return r.config.Tasks.Nack(tx, o.AttemptID, o.EndedAt, v.text)
	case interrupted:
		return r.endTask(tx, o)
	case exhausted, unreadable:
		if err := r.config.Tasks.Bury(tx, o.AttemptID, v.text); err != nil {
			return err
		}
	}
	return r.config.Outbox.Put(tx, o)
}

// noteInterruption writes into the run log that the run was interrupted.
func (r *Runner) noteInterruption(task job.Task) {
	log, err := r.config.Logs.Create(task.AttemptID, task.TriggeredAt)
	if err != nil {
		return // the outcome contains it too
	}
	defer log.Close()
	t := handler.NewTask(handler.TaskConfig{Task: task, Output: log, Zone: r.config.Zone})
	t.Log(texts.CrashedLine)
}

// fillLanes puts waiting tasks into their lanes, which start when recovery is over. Limits do
// not apply: the tasks were accepted.
func (r *Runner) fillLanes(ctx context.Context, items []queue.Item, sum *Recovery) error {
	for _, item := range items {
		task, err := taskrecord.Decode(item.Body)
		if err == nil {
			sum.Waiting++
			r.lineUp(task)
			continue
		}
		v := verdict{unreadable, job.Task{AttemptID: item.Key}, fmt.Sprintf(texts.UnreadableText, err)}
		err = r.config.Store.Update(ctx, func(tx *queue.Tx) error {
			if err := r.config.Tasks.Start(tx, item.Key); err != nil {
				return err
			}
			return r.commit(tx, v)
		})
		if err != nil {
			return err
		}
		sum.Buried++
		r.config.Logger.Error("a task is given up", "attempt_id", item.Key, "reason", v.text)
	}
	return nil
}

func (r *Runner) lineUp(task job.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.append(task)
}

// append puts a task that waits at the end of its lane. mu is held.
func (r *Runner) append(task job.Task) *lane {
	l := r.lanes[task.JobID]
	if l == nil {
		l = newLane(task.JobID)
		r.lanes[task.JobID] = l
	}
	l.endIdle(r)
	e := entry{key: task.AttemptID, shape: l.internShape(shapeOf(&task))}
	now := time.Now()
	if wait := task.StartAt.Sub(now); !task.StartAt.IsZero() && wait > 0 {
		// At most as long as at first, and from now on by a clock that cannot be set back.
		e.startAt = now.Add(min(wait, job.MaxHold))
	}
	l.enter(e, now)
	r.attempts[task.AttemptID] = l
	return l
}

// Adopt queues tasks that were put back into the store, such as dead letters that an
// operator retried. It skips tasks that are here already, or do not wait.
func (r *Runner) Adopt(ctx context.Context, keys []int64) error {
	if !r.recovered(ctx) {
		return fmt.Errorf("adopt tasks: %w", ctx.Err())
	}
	for _, key := range keys {
		var item queue.Item
		var place queue.Place
		err := r.config.Store.View(ctx, func(tx *queue.Tx) error {
			var err error
			item, place, _, err = r.config.Tasks.Find(tx, key)
			return err
		})
		if err != nil {
			return fmt.Errorf("adopt task %d: %w", key, err)
		}
		task, err := taskrecord.Decode(item.Body)
		if place != queue.Scheduled || err != nil {
			continue // one that cannot be read is buried at the next start
		}
		r.adopt(task)
	}
	return nil
}

// adopt checks whether the task is here and queues it in one step: two callers that adopt
// the same task must not make it run twice.
func (r *Runner) adopt(task job.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.attempts[task.AttemptID] == nil {
		r.settle(r.append(task))
	}
}
