package wiretest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// round is one case while it is played.
type round struct {
	transcript

	c      numbered
	target *Target
	words  words
	job    int64
	url    string // of the peer under test

	admins  []*fakeAdmin
	want    map[place]int // how many callbacks there must have been, in the end
	own     *Instance     // nil: the case shares the target
	stopped bool          // the case has stopped it
	setup   Setup
	remotes []*fakeExecutor
	looked  map[string]int // by executor and path: how many of its requests were looked at
	verdict Verdict
}

// place is a log id at an admin.
type place struct {
	log   string
	admin *fakeAdmin
}

// logsOfCase is how many log ids a case has.
const logsOfCase = 10

func newRound(c numbered, t *Target, w words, job int64) *round {
	r := &round{
		c: c, target: t, words: w, job: job, url: t.URL,
		want: make(map[place]int), looked: make(map[string]int), verdict: Verdict{ID: c.ID, Title: c.Title},
	}
	r.words = w.with("job", number(job)).with("log", number(r.log(1)))
	for n := 2; n < logsOfCase; n++ {
		r.words = r.words.with(fmt.Sprintf("log%d", n), number(r.log(n)))
	}
	return r
}

// log returns the n-th log id of the case.
func (r *round) log(n int) int64 { return r.job*logsOfCase + int64(n) }

// play plays the case and keeps the verdict. It returns when nothing of the
// case goes on but what the target does.
func (r *round) play(ctx context.Context) {
	began := time.Now()
	defer func() { r.verdict.Took = time.Since(began) }()
	err := r.prepare(ctx)
	for i := 0; err == nil && i < len(r.c.Steps); i++ {
		s := r.c.Steps[i]
		within := time.Duration(s.Within) * time.Millisecond
		if within == 0 && (s.Callback != nil || s.Taken != nil || s.Runs != nil) {
			within = r.target.Patience
		}
		if err = until(ctx, min(within, r.target.Patience), func() error { return r.step(ctx, &s) }); err != nil {
			err = fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	r.verdict.Outcome = Passed
	if err != nil {
		r.fail(err)
	}
	if r.own != nil { // its admins end with the case, so what is too much must come now
		r.settle(ctx)
		r.count()
	}
	r.release(ctx)
}

func (r *round) fail(err error) {
	r.verdict.Outcome = Failed
	r.verdict.Reason = strings.TrimPrefix(r.verdict.Reason+"; "+err.Error(), "; ")
}

// prepare starts the target for a case that has a setup.
func (r *round) prepare(ctx context.Context) error {
	if r.c.Setup == nil {
		return nil
	}
	r.setup = Setup{Token: r.target.Token, App: r.target.App, Scripts: !r.c.Setup.ScriptsOff}
	if r.c.Setup.Open {
		r.setup.Token, r.setup.Scripts = "", false
		r.words = r.words.with("token", "")
	}
	var err error
	if r.setup.Data, err = os.MkdirTemp("", "wiretest-"); err != nil {
		return err
	}
	kinds := r.c.Setup.Admins
	if len(kinds) == 0 {
		kinds = []string{"live"}
	}
	r.admins = nil
	for _, kind := range kinds {
		if kind == "dead" {
			dead, err := newDeadAdmin(ctx, r.words)
			if err != nil {
				return err
			}
			r.setup.Admins = append(r.setup.Admins, dead.url)
			r.admins = append(r.admins, dead)
			continue
		}
		a, err := newFakeAdmin(ctx, "127.0.0.1:0", r.words, r.setup.Token)
		if err != nil {
			return err
		}
		r.admins = append(r.admins, a)
		r.setup.Admins = append(r.setup.Admins, a.url)
	}
	return r.start(ctx)
}

func (r *round) start(ctx context.Context) error {
	own, err := r.target.Start(ctx, r.setup)
	if err != nil {
		return fmt.Errorf("start the target: %w", err)
	}
	r.own, r.url = own, strings.TrimSuffix(own.URL, "/")
	r.words = r.words.with("address", r.url)
	return nil
}

func (r *round) stop() error {
	if r.own == nil {
		return errors.New("the case stops a target that it did not start")
	}
	stop := r.own.Stop
	r.stopped, r.own.Stop = true, func() error { return nil }
	for _, a := range r.admins {
		a.mark()
	}
	return stop()
}

// settle waits until a callback that is one too many would be there.
func (r *round) settle(ctx context.Context) {
	select {
	case <-time.After(settleFor):
	case <-ctx.Done():
	}
}

// settleFor is how long after the last step a callback may still come that
// must not.
const settleFor = 300 * time.Millisecond

// count fails the case when a log id was called back too often or not at all.
func (r *round) count() {
	if r.verdict.Outcome != Passed {
		return
	}
	for at, want := range r.want {
		got := at.admin.of(at.log)
		if r.stopped { // who stops may leave an answer unheard, and sends the same once more
			got = distinct(got)
		}
		if len(got) != want {
			r.fail(fmt.Errorf("log %s was called back %d times, want %d: %s", at.log, len(got), want, show(got)))
		}
	}
}

// distinct returns the callbacks without those that repeat an earlier one word for
// word.
func distinct(items []any) []any {
	seen := make(map[string]bool)
	return slices.DeleteFunc(items, func(item any) bool {
		text := show(item)
		again := seen[text]
		seen[text] = true
		return again
	})
}

// release ends what the case started.
func (r *round) release(ctx context.Context) {
	for _, e := range r.remotes {
		if err := r.tell(ctx, "registryRemove", e); err != nil {
			r.note("take executor %s away: %v", e.url, err)
		}
		e.stop()
	}
	if r.own != nil {
		if err := r.own.Stop(); err != nil {
			r.fail(fmt.Errorf("stop the target: %w", err))
		}
	}
	if r.c.Setup == nil {
		return
	}
	for _, a := range r.admins {
		if a.server != nil {
			a.stop()
		}
	}
	if r.setup.Data != "" {
		_ = os.RemoveAll(r.setup.Data)
	}
}
