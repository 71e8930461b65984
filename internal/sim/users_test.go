package sim

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

// users do what people do while a storm lasts: they run jobs by hand, change their
// minds, stop whole groups for maintenance, ask for the past, change, stop and delete
// jobs, and run workflows.
type users struct {
	w    *world
	dice *dice

	mine, flows []int64         // runs, and those of workflows, that they were promised
	backfills   []int64         // that they have asked for
	halted      map[string]bool // jobs that they have ended
}

// use acts until an instant, each time through whichever server answers.
func (u *users) use(end time.Time) {
	time.Sleep(u.dice.between(time.Second, 3*time.Second))
	for time.Now().Before(end) {
		if l := u.w.servers[u.dice.below(len(u.w.servers))].current(); l != nil {
			u.act(l, end)
		}
		time.Sleep(u.dice.between(500*time.Millisecond, 4*time.Second))
	}
}

// act does one thing. What a server did not confirm may have happened or not.
func (u *users) act(l *serverLife, end time.Time) {
	c := l.catalog
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	switch u.dice.below(20) {
	case 0:
		u.pause(ctx, c, end)
	case 1:
		u.backfill(ctx, c)
	case 2, 3:
		u.change(ctx, c)
	case 4, 5:
		u.edit(ctx, c)
	case 6, 7:
		u.halt(ctx, c)
	case 8, 9, 10:
		u.flow(ctx, l.flows)
	case 11, 12:
		u.redrive(ctx, l.letters)
	case 13, 14:
		u.giveUp(ctx, c)
	default:
		run, err := c.Trigger(ctx, job.DefaultNamespace, byHand, jobs.Trigger{Delay: time.Duration(u.dice.below(2)) * time.Second})
		if err == nil {
			u.w.judge.promised(run.ID)
			u.mine = append(u.mine, run.ID)
		}
	}
}

// pause holds a group back for some seconds, before the storm is over.
func (u *users) pause(ctx context.Context, c *jobs.Catalog, end time.Time) {
	until := time.Now().Add(u.dice.between(2*time.Second, 8*time.Second))
	if !until.Before(end) {
		return
	}
	_, err := c.SavePause(ctx, job.Pause{Key: "maintenance", Namespace: job.DefaultNamespace, Groups: []string{beta}, Until: until})
	u.w.trace.note("users: pause until %s: %v", until.Format(time.TimeOnly), err)
}

// backfill asks for two minutes of the past.
func (u *users) backfill(ctx context.Context, c *jobs.Catalog) {
	now := time.Now()
	made, err := c.CreateBackfill(ctx, job.DefaultNamespace, backfilled, job.Backfill{
		From: now.Add(-2 * time.Minute), To: now, Parallel: 1 + u.dice.below(3),
	})
	u.w.trace.note("users: backfill %d of %d slots: %v", made.ID, made.Slots, err)
	if err == nil {
		u.backfills = append(u.backfills, made.ID)
	}
}

// change cancels the newest run that was promised.
func (u *users) change(ctx context.Context, c *jobs.Catalog) {
	if len(u.mine) == 0 {
		return
	}
	run := u.mine[len(u.mine)-1]
	r, err := c.CancelRun(ctx, run, "a user changed their mind")
	u.w.trace.note("users: cancel run %d: %s, %v", run, r.State, err)
	if err == nil && r.State == job.Cancelled {
		u.w.judge.ended(run, job.Cancelled)
	}
}
