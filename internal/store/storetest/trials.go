package storetest

import (
	"fmt"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func trialTests() []test {
	return []test{
		{"a trial keeps what it tries, as long as its run", trialKept},
		{"a user tries a job once at a time, and the server has room for ten", trialRoom},
		{"a trial counts nowhere and makes no dead letter", trialCountsNowhere},
		{"a trial is skipped when no executor takes it", trialExpires},
		{"no run of the job waits for a trial, and it waits for none", trialBesides},
		{"the log of a trial is that of its job, also when those are off", trialLog},
	}
}

// trial writes a run that tries a job.
func (b *bench) trial(j job.Job, owner string, h *job.Handler) (job.Run, error) {
	b.Helper()
	r := b.firing(j, b.now)
	r.PlannedAt, r.Cause, r.CauseID = time.Time{}, job.CauseTrial, r.ID
	err := b.AddTrial(b.ctx(), r, job.Trial{
		RunID: r.ID, JobID: j.ID, By: job.Author{Kind: "user", Name: owner}, Owner: owner, Handler: h, Timeout: 90 * time.Second,
	})
	return r, err
}

// tried writes a run that tries the job, by a separate user.
func (b *bench) tried(j job.Job) job.Run {
	b.Helper()
	b.ids++
	r, err := b.trial(j, fmt.Sprintf("user:%d", b.ids), nil)
	b.ok(err)
	return b.run(r.ID)
}

func trialKept(b *bench) {
	j := b.create()
	plain := b.tried(j)
	h := job.Handler{Kind: job.HandlerPython, Source: "print('ä')", SourceAt: b.now}
	coded, err := b.trial(j, "user:77", &h)
	b.ok(err)
	other := b.trigger(j, b.now)
	found, err := b.Trials(b.ctx(), []int64{plain.ID, coded.ID, other.ID, 9999})
	b.ok(err)
	b.same("number of trials", len(found), 2)
	byRun := map[int64]job.Trial{found[0].RunID: found[0], found[1].RunID: found[1]}
	b.same("the one with code", byRun[coded.ID], job.Trial{
		RunID: coded.ID, JobID: j.ID, By: job.Author{Kind: "user", Name: "user:77"}, Owner: "user:77", Handler: &h, Timeout: 90 * time.Second,
	})
	if own := byRun[plain.ID]; own.Handler != nil {
		b.Errorf("the other one has the code %+v", own.Handler)
	}
	b.same("its run", []any{plain.Cause, plain.State, plain.JobVersion, plain.GroupID}, []any{job.CauseTrial, job.Planned, j.Version, j.GroupID})
	b.same("removed", b.remove(plain.ID), 0)
	_, err = b.CancelRun(b.ctx(), plain.ID, "", b.now)
	b.ok(err)
	b.same("removed", b.remove(plain.ID), 1)
	found, err = b.Trials(b.ctx(), []int64{plain.ID})
	b.ok(err)
	b.same("what is left", len(found), 0)
	j.ID = 4711
	_, err = b.trial(j, "user:1", nil)
	b.kind(err, job.NotFound)
}

func trialRoom(b *bench) {
	j, other := b.create(), b.create()
	first, err := b.trial(j, "user:1", nil)
	b.ok(err)
	_, err = b.trial(j, "user:1", nil)
	b.kind(err, job.Conflict)
	_, err = b.trial(other, "user:1", nil)
	b.ok(err)
	for range job.MaxTrials - 2 {
		b.tried(j)
	}
	_, err = b.trial(other, "user:9", nil)
	b.kind(err, job.Full)
	b.complete(b.dispatch(b.run(first.ID)), job.Succeeded)
	again, err := b.trial(j, "user:1", nil)
	b.ok(err)
	_, err = b.CancelRun(b.ctx(), again.ID, "", b.now)
	b.ok(err)
	_, err = b.trial(j, "user:1", nil)
	b.ok(err)
}

func trialCountsNowhere(b *bench) {
	j := b.create()
	failed := b.completion(b.dispatch(b.tried(j)), job.Failed)
	failed.Cause, failed.JobID = job.CauseTrial, j.ID
	b.same("completion", b.commit(failed), []bool{true})
	_, err := b.CancelRun(b.ctx(), b.tried(j).ID, "", b.now)
	b.ok(err)
	b.same("statistics", len(b.statsOf(j)), 0)
	if letter := b.letter(failed.RunID); letter != nil {
		b.Errorf("there is a dead letter: %+v", letter)
	}
	jobs, err := b.JobPage(b.ctx(), queries.JobQuery{Sight: everywhere, Namespace: j.Namespace, Last: job.Failed, Limit: 10})
	b.ok(err)
	b.same("jobs whose last run failed", len(jobs), 0)
}

func trialExpires(b *bench) {
	j := b.create(func(j *job.Job) { j.Delivery.ExpireAfter = time.Hour })
	r := b.tried(j)
	b.same("given up at", r.ExpireAt, b.now.Add(job.TrialPatience))
	b.same("too early", b.expiring(b.at(59), 9), []int64(nil))
	due, err := b.Expiring(b.ctx(), b.at(60), 9)
	b.ok(err)
	if len(due) != 1 || due[0].Run.ID != r.ID || due[0].After != job.TrialPatience {
		b.Fatalf("to be given up: %+v", due)
	}
	r.Reason, r.EndedAt = "nobody took it", b.at(60)
	b.same("given up", b.expire(r), []bool{true})
	b.same("events", len(b.events(0)), 0)
	b.same("statistics", len(b.statsOf(j)), 0)
}

func trialBesides(b *bench) {
	j := b.create()
	part := func(r job.Run) dispatcher.Mark {
		m := b.limited(&j, r)
		m.Limit, m.Part, m.Attempt.JobID = dispatcher.Limit{}, true, r.TaskJobID()
		return m
	}
	running := b.dispatch(b.trigger(j, b.now))
	tried := b.tried(j)
	m := part(tried)
	done, err := b.MarkDispatched(b.ctx(), []dispatcher.Mark{m})
	b.ok(err)
	b.same("beside a run", done, []bool{true})
	b.complete(running, job.Succeeded)
	done, err = b.MarkDispatched(b.ctx(), []dispatcher.Mark{b.limited(&j, b.trigger(j, b.at(1)))})
	b.ok(err)
	b.same("beside the trial", done, []bool{true})
	attempts, err := b.Attempts(b.ctx(), tried.ID)
	b.ok(err)
	if len(attempts) != 1 || attempts[0].JobID != tried.TaskJobID() || attempts[0].JobID <= job.MaxJobID {
		b.Errorf("its attempts are %+v", attempts)
	}
}

func trialLog(b *bench) {
	j := b.create(func(j *job.Job) { j.Logs.Off = true })
	r := b.tried(j)
	a := b.dispatch(r)
	c := b.completion(a, job.Succeeded)
	c.Cause = job.CauseTrial
	open, err := b.OpenLogs(b.ctx(), 9)
	b.ok(err)
	if len(open) != 1 || open[0].Attempt.JobID != j.ID || open[0].Policy.Off {
		b.Errorf("open: %+v", open)
	}
	b.same("completion", b.commit([]completer.Completion{c}...), []bool{true})
	l := b.logOf(a)
	if l == nil || l.Job != j.ID {
		b.Errorf("the log is %+v", l)
	}
}
