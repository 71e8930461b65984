package sim

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

// redrive has a dead run made again, mostly by two servers at the same time.
func (u *users) redrive(ctx context.Context, c *deadletters.Keeper) {
	letters, err := c.DeadLetters(ctx, deadletters.LetterQuery{
		Sight: access.Sight{All: true}, Namespace: job.DefaultNamespace, Status: job.LetterOpen, Limit: 20,
	})
	letters = slices.DeleteFunc(letters, func(l job.DeadLetter) bool { return isStep(l.JobKey) || l.JobKey == everywhere })
	if err != nil || len(letters) == 0 {
		return
	}
	dead := letters[u.dice.below(len(letters))].RunID
	callers := []*deadletters.Keeper{c}
	if l := u.w.servers[u.dice.below(len(u.w.servers))].current(); l != nil && u.dice.chance(0.7) {
		callers = append(callers, l.letters)
	}
	for _, c := range callers {
		u.w.background.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
			defer cancel()
			r, err := c.Redrive(ctx, dead, nil, 0)
			u.w.trace.note("users: run %d takes the place of run %d: %v", r.ID, dead, err)
			if err == nil {
				u.w.judge.promised(r.ID)
			}
		})
	}
}

// giveUp cancels the newest backfill.
func (u *users) giveUp(ctx context.Context, c *jobs.Catalog) {
	if len(u.backfills) == 0 {
		return
	}
	id := u.backfills[len(u.backfills)-1]
	b, err := c.CancelBackfill(ctx, id, "a user changed their mind")
	u.w.trace.note("users: cancel backfill %d: %s, %v", id, b.State, err)
	if err == nil {
		u.w.judge.gaveUp(id)
	}
}

// gaveUp notes a backfill of which a user was told that it is over, and the runs that it has
// by now: no other follows.
func (j *judge) gaveUp(id int64) {
	runs := make(map[int64]bool)
	for _, r := range j.runs() {
		if r.Cause == job.CauseBackfill && r.CauseID == id {
			runs[r.ID] = true
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.givenUp[id] == nil {
		j.givenUp[id] = runs
	}
}

// letters judges dead letters: each run that ended badly after its last attempt has one, of
// no other there is one, and one run takes the place of each that was driven again.
func (j *judge) letters(runs []job.Run) {
	ctx := context.Background()
	replaced := make(map[int64]int64)
	for _, r := range runs {
		if r.Cause != job.CauseRedrive {
			continue
		}
		if other, twice := replaced[r.CauseID]; twice {
			j.fault("I2: runs %d and %d take the place of run %d", other, r.ID, r.CauseID)
		}
		replaced[r.CauseID] = r.ID
	}
	for _, r := range runs {
		if _, gone := j.past[r.ID]; gone || r.JobKey == everywhere {
			continue
		}
		found, err := j.w.store.DeadLettersOf(ctx, []int64{r.ID})
		if err != nil {
			j.w.t.Fatalf("read the dead letter of run %d: %v", r.ID, err)
		}
		bad := (r.State == job.Failed || r.State == job.TimedOut || r.State == job.Lost) && r.Cause != job.CauseShard
		switch {
		case bad != (len(found) == 1):
			j.fault("I6: run %d is %s and has %d dead letters", r.ID, r.State, len(found))
		case bad && found[0].RedrivenRun != replaced[r.ID]:
			j.fault("I6: run %d was replaced by run %d, and its dead letter names run %d", r.ID, replaced[r.ID], found[0].RedrivenRun)
		}
	}
}
