package wiretest

import (
	"context"
	"errors"
	"time"
)

// step does what one step says and returns what is not so.
func (r *round) step(ctx context.Context, s *step) error {
	switch {
	case s.Run != nil, s.Send != nil:
		return r.send(ctx, s)
	case s.Raw != "":
		return r.raw(ctx, s)
	case s.Executor != nil, s.Create != nil, s.Trigger != nil, s.Taken != nil, s.Untaken != nil, s.Runs != nil, s.Kill != nil:
		return r.adminStep(ctx, s)
	case s.Switch != nil:
		return r.switches(ctx, s)
	case s.Drained != nil:
		return r.drain(*s.Drained)
	case s.Shown != nil:
		return r.logShown(ctx, s.Shown)
	case s.Stop:
		return r.stop()
	case s.Start:
		return r.start(ctx)
	case s.Wait == "idle":
		return r.wait(ctx, r.target.Idle)
	case s.Wait == "registers":
		return r.wait(ctx, r.target.Registers)
	case s.Wait == "settle":
		return r.wait(ctx, settleFor)
	case s.Wait == "soon":
		return r.wait(ctx, soonAfter)
	case s.Wait == "fires":
		return r.wait(ctx, twoFirings)
	case s.Answers != nil:
		a, err := r.admin(s.Answers.Admin)
		if err == nil {
			a.answer(s.Answers)
		}
		return err
	}
	return r.check(ctx, s)
}

// check does the steps that only look.
func (r *round) check(ctx context.Context, s *step) error {
	switch {
	case s.Callback != nil:
		return r.calledBack(s.Callback)
	case s.Silent != nil:
		return r.silent(s.Silent, s.Admin)
	case s.Registered != nil:
		return r.registered(s)
	case s.Called != nil:
		return r.wasCalled(s.Called)
	case s.Calls != nil:
		return r.inOrder(s.Calls)
	case s.Unseen != nil:
		return r.unseen(*s.Unseen)
	case s.Log != nil:
		return r.holds(ctx, s.Log, s.Holds)
	case s.Begun > 0:
		return until(ctx, min(logSoon, r.target.Patience), func() error { return r.holds(ctx, &logQuery{Log: s.Begun}, []string{"begin "}) })
	case s.Apart != nil:
		return r.apart(ctx, s.Apart)
	case s.Pages > 0:
		return r.pages(ctx, s.Pages)
	case s.Unlike != nil:
		return r.unlike(s.Unlike)
	case s.Alike != nil:
		return r.alike(s.Alike)
	}
	return errors.New("the step says nothing")
}

func (r *round) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
