package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/service"
)

const (
	sendAtOnce = 8
	firstPause = time.Second
	lastPause  = 30 * time.Second
	logAgain   = 5 * time.Minute
)

// param is what a run of the job is handed.
type param struct {
	Thread string `json:"thread"`
	Exec   uint64 `json:"exec"`
	// The rest is of executions that have ended.
	Key       string          `json:"key,omitempty"`
	Outcome   service.Outcome `json:"outcome,omitempty"`
	Class     string          `json:"class,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Slot      uint64          `json:"slot,omitempty"`
}

// keyOf is the report's own key: the server accepts it once, also when a crash makes the
// executor send it twice.
func keyOf(e *service.Report) string {
	what := e.Signature.String()
	if e.Signature.IsZero() {
		at := e.Stages.Begun
		if at.IsZero() {
			at = e.At
		}
		what = fmt.Sprint(at.UnixMilli())
	}
	return fmt.Sprintf("solana-%s-%s-%.24s", e.Task, e.Outcome, what)
}

func paramOf(e *service.Report) (string, error) {
	p := param{
		Thread: e.Thread.String(), Exec: e.ExecCount, Key: keyOf(e), Outcome: e.Outcome, Class: string(e.Class),
		Reason: job.Clean(e.Reason, 1000), Slot: e.Slot,
	}
	if !e.Signature.IsZero() {
		p.Signature = e.Signature.String()
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// sendReports brings reports to the server until ctx ends. While it is away it asks ever more seldom.
func (r *Report) sendReports(ctx context.Context) {
	var at string // how the server calls this executor; empty: not known
	var loggedAt time.Time
	ready := false // whether the jobs are there
	pause := firstPause
	for {
		err := r.prepare(ctx, &at, &ready)
		if err == nil {
			err = r.sendFunds(ctx, at)
		}
		if err == nil {
			err = r.sendSome(ctx, at)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil || errors.Is(err, errAwaited): // of what is awaited Settled tells
			pause = firstPause
			select {
			case <-ctx.Done():
				return
			case <-r.more:
			}
			continue
		case job.Is(err, job.NotFound):
			ready = false // the job was deleted
		}
		at = "" // it may be another one after this
		if time.Since(loggedAt) >= logAgain && (!errors.Is(err, errNotThere) || pause == lastPause) {
			loggedAt = time.Now()
			r.config.Logger.Warn("executions do not become runs at present; they wait in the ledger", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// prepare sees to it that the jobs are there, and finds out how the server calls this executor.
func (r *Report) prepare(ctx context.Context, at *string, ready *bool) (err error) {
	if !*ready {
		if err := r.makeJobs(ctx); err != nil {
			return err
		}
		*ready = true
	}
	if *at == "" {
		*at, err = r.place(ctx)
	}
	return err
}

// sendSome sends all that waits in the ledger, several at once. What the server has is kept no longer.
func (r *Report) sendSome(ctx context.Context, at string) error {
	for {
		some, err := r.config.Work.Reports(ctx, 0, sendAtOnce)
		if err != nil || len(some) == 0 {
			return err
		}
		errs := make([]error, len(some))
		var all sync.WaitGroup
		for i := range some {
			all.Go(func() { errs[i] = r.trigger(ctx, at, &some[i]) })
		}
		all.Wait()
		var over []uint64
		var failed error
		for i, err := range errs {
			switch {
			case err == nil:
			case job.Is(err, job.Invalid) || job.Is(err, job.Conflict):
				r.sent.refuse()
				r.config.Logger.Error("an execution does not become a run: the server refuses it", "thread", some[i].Thread, "error", err)
			default:
				failed = err
				continue
			}
			over = append(over, some[i].Number)
		}
		if err := r.config.Work.Reported(ctx, over...); err != nil || failed != nil {
			return errors.Join(failed, err)
		}
	}
}

// trigger has an execution become a run, for this executor, unless there is one for it.
func (r *Report) trigger(ctx context.Context, at string, e *service.Report) error {
	switch {
	case e.Unknown:
		return job.Errorf(job.Invalid, "report %d was written by a newer version", e.Number)
	case r.hasRun(e.Task):
		return nil
	case r.awaited(e.Task):
		return errAwaited
	}
	text, err := paramOf(e)
	if err != nil {
		return job.Errorf(job.Invalid, "%w", err)
	}
	r.sent.holdReport(keyOf(e), e) // before the run comes
	if err = r.triggerOnce(ctx, keyOf(e), r.config.Execute, text, at); err == nil {
		r.sent.count()
	}
	return err
}

// triggerOnce has a job run for this executor, once for a key. The error is one of kind job.Invalid or job.Conflict where the server will
// never take the parameter, and passes otherwise: also when there is a run, whose answer was lost and cannot be had again.
func (r *Report) triggerOnce(ctx context.Context, key, wanted, param, at string) error {
	_, err := r.config.API.Trigger(client.WithKey(ctx, key), wanted, api.Trigger{Param: &param, Addresses: []string{at}})
	wrong, told := errors.AsType[*job.Error](err)
	switch {
	case !told:
		return err
	case wrong.Kind == job.Invalid && wrong.Field == "addresses":
		// A server that begins, or was away for longer than a lease, knows this executor from its next beat on.
		return fmt.Errorf("%w: %s", errNotThere, wrong.Message)
	case wrong.Kind == job.Invalid && wrong.Field == "Idempotency-Key":
		return nil // it was taken for another address of this executor
	}
	return err
}

// errAwaited reports that a run waits for the end of this execution, and is about to report
// it.
var errAwaited = errors.New("a run is about to report it")

// requiredJobs are those that the executor needs.
func (r *Report) requiredJobs() []api.NewJob {
	named := func(key, title, handler string) api.NewJob {
		return api.NewJob{Key: key, Title: title, Group: r.config.Group, Handler: api.Handler{Kind: job.HandlerNamed, Name: handler}, OnCrash: job.CrashRerun}
	}
	execute := named(r.config.Execute, "Executions of Solana threads", HandlerExecute)
	execute.Overlap, execute.Concurrency, execute.OverlapScope, execute.OverlapQueue = job.OverlapConcurrent, 64, job.ScopeExecutor, 100_000
	redrive := named(r.config.Redrive, "Dead letters of Solana threads, tried again", HandlerRedrive)
	redrive.OnCrash = job.CrashReport
	funds := named(r.config.Funds, "Whether executors of Solana threads can pay", HandlerFunds)
	funds.Overlap, funds.Concurrency, funds.OverlapScope = job.OverlapConcurrent, 8, job.ScopeExecutor
	return []api.NewJob{execute, redrive, funds}
}

// makeJobs makes those that are missing.
func (r *Report) makeJobs(ctx context.Context) error {
	for _, j := range r.requiredJobs() {
		_, err := r.config.API.Job(ctx, j.Key)
		if job.Is(err, job.NotFound) {
			_, err = r.config.API.CreateJob(ctx, j)
			switch {
			case err == nil:
				r.config.Logger.Info("job made", "key", j.Key, "namespace", r.config.Namespace)
			case job.Is(err, job.Conflict): // another executor of the group was faster
				err = nil
			}
		}
		if err != nil {
			return fmt.Errorf("job %s: %w", j.Key, err)
		}
	}
	return nil
}
