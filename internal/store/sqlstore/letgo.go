package sqlstore

import (
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

// releaseWaiting releases runs that wait for others of their job, oldest first, as many as there is
// room for; those that were released before count too. Most jobs have none.
func (t *tx) releaseWaiting(jobID int64) error {
	var next seen
	var free, waits bool
	find := func() (bool, error) {
		return t.read(nextBlocked, []any{jobID, next.made, next.made, next.id},
			[]any{&next.made, &next.id, (*truth)(&free), (*truth)(&waits)})
	}
	found, err := find()
	if err != nil || !found {
		return err
	}
	room, err := t.roomOf(jobID)
	if err != nil {
		return err
	}
	if room < 0 {
		return t.letAllGo(jobID)
	}
	for passed := 0; found && room > 0 && passed < maxCovered; {
		switch {
		case !waits: // it is over
			passed++
			err = t.do(dropBlocked, jobID, next.made, next.id)
		case !free:
			t.released = true
			if err = t.do(unblockRun, next.id); err == nil {
				err = t.do(keepBlocked, 1, jobID, next.made, next.id)
			}
			room--
		default:
			room--
		}
		if err == nil {
			found, err = find()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// roomOf returns how many more runs of the job may be under way; less than 0 means
// any number.
func (t *tx) roomOf(jobID int64) (int, error) {
	j, err := t.overlapOf(jobID)
	limit := j.OverlapLimit()
	if err != nil || limit == 0 {
		return -1, err
	}
	open, err := t.openRuns(jobID, limit)
	return limit - len(open), err
}

// overlapOf returns a job with nothing but its overlap.
func (t *tx) overlapOf(jobID int64) (j job.Job, err error) {
	_, err = t.read(readOverlap, []any{jobID}, []any{(*text)(&j.Overlap), (*text)(&j.OverlapScope), (*count)(&j.Concurrency)})
	return j, err
}

// roomFor refuses a run that is to start at once and for which its job has no room:
// those under way, and those that wait for them and were made before, come first.
func (t *tx) roomFor(r *job.Run) error {
	j, err := t.overlapOf(r.JobID)
	limit := j.OverlapLimit()
	if err != nil || limit == 0 {
		return err
	}
	open, err := t.openRuns(r.JobID, limit)
	if err != nil {
		return err
	}
	room := limit - len(open)
	if room <= 0 {
		return job.CrowdedOut(j.Overlap, limit, open[0].id)
	}
	var before int64
	made := job.Millis(r.CreatedAt)
	crowded, err := t.read(nthBefore, []any{r.JobID, made, made, r.ID, room - 1}, []any{&before})
	if err == nil && crowded {
		return job.CrowdedOut(j.Overlap, limit, before)
	}
	return err
}

// handOver gives the waiting runs of a job that was changed its new version and
// group. It may have room for more of them by now.
func (t *tx) handOver(j *job.Job, was *standing) error {
	if err := t.do(moveWaiting, was.version+1, j.GroupID, was.group, j.ID); err != nil {
		return err
	}
	return t.releaseWaiting(j.ID)
}

// letAllGo makes all runs that wait for others of their job be sent.
func (t *tx) letAllGo(jobID int64) error {
	t.released = true
	if err := t.do(unblockAll, jobID); err != nil {
		return err
	}
	return t.do(clearBlocked, jobID)
}

// releaseAfter releases runs that waited for those that have ended, or have an attempt less.
// A completion without a job releases none.
func (t *tx) releaseAfter(completions []completer.Completion, done []bool) error {
	var some int64
	if _, err := t.read(anyBlocked, []any{0}, []any{(*integer)(&some)}); err != nil || some == 0 {
		return err
	}
	asked := make(map[int64]struct{})
	for i := range completions {
		c := &completions[i]
		if _, twice := asked[c.JobID]; !done[i] || twice && !c.Waiting {
			continue
		}
		asked[c.JobID] = struct{}{}
		release := t.releaseWaiting
		if c.Waiting {
			release = func(jobID int64) error { return t.unblocked(jobID, c.RunID) }
		}
		if err := release(c.JobID); err != nil {
			return err
		}
	}
	return nil
}

// unblocked notes that a run that waited is over: one that waited for it, or for
// the same as it, may go.
func (t *tx) unblocked(jobID, run int64) error {
	var some int64
	if _, err := t.read(anyBlocked, []any{jobID - 1}, []any{(*integer)(&some)}); err != nil || some != jobID {
		return err
	}
	var made int64
	var waits bool
	found, err := t.read(readPlace, []any{run}, []any{&jobID, &made, (*truth)(&waits)})
	if err == nil && found {
		err = t.do(dropBlocked, jobID, made, run)
	}
	if err != nil {
		return err
	}
	return t.releaseWaiting(jobID)
}

// displaced notes that runs were put back: one that waits for something else than others of
// its job loses its place, so that it blocks none of them. One that reached no executor
// comes back soon, and no other run goes before it.
func (t *tx) displaced(items []dispatcher.Requeued) error {
	var some int64
	if _, err := t.read(anyBlocked, []any{0}, []any{(*integer)(&some)}); err != nil || some == 0 {
		return err
	}
	for i := range items {
		r := &items[i]
		var jobID, made int64
		var waits bool
		found, err := t.read(readPlace, []any{r.RunID}, []any{&jobID, &made, (*truth)(&waits)})
		if err != nil {
			return err
		}
		if !found || waits && r.AttemptID != 0 {
			continue
		}
		if err := t.do(dropBlocked, jobID, made, r.RunID); err != nil {
			return err
		}
		if err := t.releaseWaiting(jobID); err != nil {
			return err
		}
	}
	return nil
}
