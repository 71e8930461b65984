package wiretest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// Executor plays the cases of executors in a test, each as a subtest. A case
// that does not apply is a skipped one that says why.
func Executor(t *testing.T, target Target) {
	t.Helper()
	report(t, target, PlayExecutor)
}

// Admin plays the cases of admins in a test, each as a subtest. A case that
// does not apply is a skipped one that says why.
func Admin(t *testing.T, target Target) {
	t.Helper()
	report(t, target, PlayAdmin)
}

func report(t *testing.T, target Target, play func(context.Context, Target) ([]Verdict, error)) {
	t.Helper()
	verdicts, err := play(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	Report(t, verdicts)
}

// Report tells verdicts as subtests, for tests that play several targets at the
// same time.
func Report(t *testing.T, verdicts []Verdict) {
	t.Helper()
	for _, v := range verdicts {
		t.Run(v.ID, func(t *testing.T) {
			t.Log(v)
			switch v.Outcome {
			case Passed:
			case Failed:
				t.Error(v.Transcript)
			case NotApplicable:
				t.SkipNow()
			}
		})
	}
}

// atOnce is how many cases are played at the same time.
const atOnce = 24

// PlayExecutor plays the cases of executors and returns a verdict for each, in
// the order of the data. The error says that none could be played. Everything
// that it starts has ended when it returns.
func PlayExecutor(ctx context.Context, target Target) ([]Verdict, error) {
	b, err := readBook()
	if err != nil {
		return nil, err
	}
	cases, err := readCases(executorFiles())
	if err != nil {
		return nil, err
	}
	target.defaults()
	if err := target.check(b, cases); err != nil {
		return nil, err
	}
	w := b.wordsOf(target.Flavour).with("token", target.Token).with("app", target.App).with("now", number(time.Now().UnixMilli()))
	admin, err := newFakeAdmin(ctx, target.Listen, w, target.Token)
	if err != nil {
		return nil, fmt.Errorf("listen for the executor: %w", err)
	}
	defer admin.stop()
	if target.Announce != nil {
		target.Announce(admin.url)
	}
	url, stop, err := shared(ctx, &target, admin)
	if err != nil {
		return nil, err
	}
	defer stop()
	return playAll(ctx, cases, &target, func(r *round) {
		if r.c.Setup == nil {
			r.admins, r.url = []*fakeAdmin{admin}, url
		}
	}, w.with("address", url))
}

// shared returns the executor of the cases that have no setup, once it answers.
func shared(ctx context.Context, target *Target, admin *fakeAdmin) (url string, stop func(), err error) {
	url, stop = strings.TrimSuffix(target.URL, "/"), func() {}
	if target.Start != nil {
		data, err := os.MkdirTemp("", "wiretest-")
		if err != nil {
			return "", nil, err
		}
		own, err := target.Start(ctx, Setup{
			Admins: []string{admin.url}, Token: target.Token, App: target.App, Scripts: true, Data: data,
		})
		if err != nil {
			_ = os.RemoveAll(data)
			return "", nil, fmt.Errorf("start the target: %w", err)
		}
		url, stop = strings.TrimSuffix(own.URL, "/"), func() {
			_ = own.Stop()
			_ = os.RemoveAll(data)
		}
	}
	err = until(ctx, target.Patience, func() error {
		_, err := exchange(ctx, url, 1, format(url, "POST", "/beat", nil, nil))
		return err
	})
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("call the executor: %w", err)
	}
	return url, stop, nil
}

// playAll plays cases, some at the same time, and judges them.
func playAll(ctx context.Context, cases []numbered, target *Target, equip func(*round), w words) ([]Verdict, error) {
	// The ids of one suite are not those of the one before: executors remember.
	first := time.Now().Unix() % 10_000_000 * 200
	can := target.can()
	rounds := make([]*round, len(cases))
	places := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, c := range cases {
		r := newRound(c, target, w.with("case", strings.ToLower(c.ID)), first+int64(i)+1)
		rounds[i] = r
		if reason := c.applies(target, can); reason != "" {
			r.verdict.Outcome, r.verdict.Reason = NotApplicable, reason
			continue
		}
		equip(r)
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			r.play(ctx)
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(rounds) > 0 {
		rounds[0].settle(ctx)
	}
	verdicts := make([]Verdict, len(rounds))
	for i, r := range rounds {
		if r.own == nil {
			r.count()
		}
		r.verdict.Transcript = r.transcript.String()
		verdicts[i] = r.verdict
	}
	return verdicts, nil
}
