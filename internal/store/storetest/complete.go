package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func completeTests() []test {
	return []test{
		{"a snapshot has the attempt, its run and its job's policies", snapshotHasAll},
		{"snapshots of many attempts", snapshotMany},
		{"an outcome ends attempt and run", completeEnds},
		{"an executor's outcome means that it took the attempt", completeTaken},
		{"a retry waits until its time", completeRetries},
		{"a retry remembers the executors to avoid until the next outcome", completeAvoids},
		{"a second outcome changes nothing", completeOnce},
		{"children are started once", completeChildren},
		{"children follow their job", completeChildVersion},
		{"of contradicting outcomes one wins", completeRace},
		{"an outcome that is none is invalid", completeInvalid},
		{"outcomes of a batch stand alone", completeBatch},
		{"what was decided from memory stands while the job is what it was", completeRemembered},
	}
}

// snapshot returns the one snapshot of the attempt.
func (b *bench) snapshot(attempt int64) completer.Snapshot {
	b.Helper()
	snapshots, err := b.Snapshots(b.ctx(), []int64{attempt})
	b.ok(err)
	b.same("number of snapshots", len(snapshots), 1)
	return snapshots[0]
}

// completion returns the end of an attempt, with its run.
func (b *bench) completion(a job.Attempt, outcome job.State) completer.Completion {
	return completer.Completion{
		AttemptID: a.ID, RunID: a.RunID, Outcome: outcome, RunState: outcome, Message: "said " + string(outcome), EndedAt: b.at(6),
	}
}

func (b *bench) commit(completions ...completer.Completion) []bool {
	b.Helper()
	done, err := b.CommitCompletions(b.ctx(), completions)
	b.ok(err)
	return done
}

// complete ends an attempt and its run.
func (b *bench) complete(a job.Attempt, outcome job.State) {
	b.Helper()
	b.same("completion", b.commit(b.completion(a, outcome)), []bool{true})
}

// retrying fails the run once and returns it as it waits for its retry.
func (b *bench) retrying(r job.Run, at time.Time) job.Run {
	b.Helper()
	c := b.completion(b.dispatch(r), job.Failed)
	c.RunState, c.RetryAt, c.Reason = job.WaitingRetry, at, "retry follows"
	b.same("completion", b.commit(c), []bool{true})
	return b.run(r.ID)
}

func snapshotHasAll(b *bench) {
	child, gone := b.create(func(j *job.Job) { j.Group = "children" }), b.create()
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	policy := retry.Policy{Tries: 3, Initial: time.Second}
	j := b.create(func(j *job.Job) {
		j.Retry, j.Children = policy, []job.Child{{JobID: child.ID}, {JobID: gone.ID}}
		j.Title, j.Labels, j.AlarmEmails = "What it says", map[string]string{"crew": "data"}, []string{mailAddress, "b@example.com"}
	})
	child = b.save(child, func(j *job.Job) { j.Title = changed })
	a := b.dispatch(b.trigger(j, b.now))
	run := b.run(a.RunID)
	run.JobKey = ""
	b.same("snapshot", b.snapshot(a.ID), completer.Snapshot{
		Attempt: a, Run: run, Retry: policy,
		Children: []completer.Child{{Child: job.Child{JobID: child.ID}, Version: 2, GroupID: child.GroupID}},
		Subject: completer.Subject{
			Namespace: j.Namespace, Key: j.Key, Title: "What it says", Group: j.Group, Labels: j.Labels, Emails: j.AlarmEmails,
		},
	})
	b.ok(b.DeleteJob(b.ctx(), j, ""))
	b.same("deleted", b.snapshot(a.ID).Deleted, true)

	for want, inputs := range map[string][]job.Input{"day=${input:day}": nil, "{}": {{Name: "day", Default: new("today")}}} {
		named := b.create(func(j *job.Job) {
			j.Param, j.Inputs, j.Children = "day=${input:day}", inputs, []job.Child{{JobID: child.ID, Param: "{{param}}"}}
		})
		b.same("parameter that a child names", b.snapshot(b.dispatch(b.trigger(named, b.now)).ID).Param, want)
	}

	snapshots, err := b.Snapshots(b.ctx(), []int64{777_777})
	b.ok(err)
	b.same("snapshots of nothing", len(snapshots), 0)
	snapshots, err = b.Snapshots(b.ctx(), nil)
	b.ok(err)
	b.same("snapshots of none", len(snapshots), 0)
}

func snapshotMany(b *bench) {
	child := b.create()
	withChild := b.create(func(j *job.Job) { j.Children = []job.Child{{JobID: child.ID}} })
	plain := b.create()
	want := map[int64]int{}
	var ids []int64
	for i := range 120 {
		j := plain
		if i%2 == 0 {
			j = withChild
		}
		a := b.dispatch(b.trigger(j, b.now))
		want[a.ID] = len(j.Children)
		ids = append(ids, a.ID, a.ID+777_777)
	}
	snapshots, err := b.Snapshots(b.ctx(), ids)
	b.ok(err)
	got := map[int64]int{}
	for _, s := range snapshots {
		b.same("run of the attempt", s.Run.AttemptID, s.Attempt.ID)
		got[s.Attempt.ID] = len(s.Children)
	}
	b.same("number", len(snapshots), len(want))
	b.same("children by attempt", got, want)
}

func completeEnds(b *bench) {
	j := b.create()
	for _, outcome := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped} {
		for _, accepted := range []bool{false, true} {
			a := b.dispatch(b.trigger(j, b.now))
			if accepted {
				b.accept(a)
			}
			run, attempt := b.run(a.RunID), b.attempts(a.RunID)[0]
			c := b.completion(a, outcome)
			c.Reason = "gave up"
			b.same("completion", b.commit(c), []bool{true})
			attempt.State, attempt.Message, attempt.EndedAt = outcome, c.Message, b.at(6)
			b.same("attempts", b.attempts(a.RunID), []job.Attempt{attempt})
			run.State, run.Message, run.Reason, run.EndedAt = outcome, c.Message, "gave up", b.at(6)
			b.same("run", b.run(a.RunID), run)
		}
	}
}

func completeTaken(b *bench) {
	j := b.create()
	quick, slow, refused := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.accept(slow)
	for _, a := range []job.Attempt{quick, slow, refused} {
		c := b.completion(a, job.Failed)
		c.StartedAt, c.Reported = b.at(3), a.ID != refused.ID
		b.same("completion", b.commit(c), []bool{true})
	}
	for a, want := range map[*job.Attempt]time.Time{&quick: b.at(3), &slow: b.at(1), &refused: {}} {
		b.same("accepted at", b.attempts(a.RunID)[0].AcceptedAt, want)
	}
}

func completeRetries(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	waiting := b.retrying(r, b.at(40))
	want := r
	want.State, want.Reason, want.Message = job.WaitingRetry, "retry follows", "said failed"
	want.ReadyAt, want.DueAt = b.at(40), b.at(40)
	want.Tries, want.AttemptID = 1, waiting.AttemptID
	b.same("run", waiting, want)
	b.same("claim before its time", len(b.claim(b.at(39), b.at(99), 9, j.GroupID)), 0)
	claimed := b.claim(b.at(40), b.at(99), 9, j.GroupID)
	b.same("claim", idsOf(claimed), []int64{r.ID})
	b.complete(b.dispatch(claimed[0]), job.Succeeded)
	got := b.state(r.ID, job.Succeeded)
	b.same("tries", got.Tries, 2)
	b.same("reason of a retry is over", got.Reason, "")
}

func completeAvoids(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	fail := func(avoid string) {
		c := b.completion(b.dispatch(b.run(r.ID)), job.Failed)
		c.RunState, c.RetryAt, c.Avoid = job.WaitingRetry, b.at(40), avoid
		b.same("completion", b.commit(c), []bool{true})
		claimed := b.claim(b.at(40), b.at(40), 9, j.GroupID)
		b.same("claim", idsOf(claimed), []int64{r.ID})
		b.same("avoided by the claimed run", claimed[0].Avoid, avoid)
	}
	fail(executorAddress)
	a := b.dispatch(b.run(r.ID))
	b.same("snapshot", b.snapshot(a.ID).Run.Avoid, executorAddress)
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{{
		RunID: r.ID, AttemptID: a.ID, Reason: "not delivered", ReadyAt: b.at(40), Now: b.at(2),
	}}))
	b.same("after an attempt that was not delivered", b.run(r.ID).Avoid, executorAddress)
	fail("")
	b.same("after the next failure", b.run(r.ID).Avoid, "")
}

func completeOnce(b *bench) {
	a := b.dispatch(b.trigger(b.create(), b.now))
	b.complete(a, job.Succeeded)
	run, attempts := b.run(a.RunID), b.attempts(a.RunID)
	for _, outcome := range []job.State{job.Succeeded, job.Failed} {
		second := b.completion(a, outcome)
		second.EndedAt, second.Message = b.at(99), "late"
		b.same("second", b.commit(second), []bool{false})
	}
	unknown := b.completion(job.Attempt{ID: 777_777, RunID: a.RunID}, job.Failed)
	b.same("unknown", b.commit(unknown), []bool{false})
	b.same("run", b.run(a.RunID), run)
	b.same("attempts", b.attempts(a.RunID), attempts)
	b.same("none", len(b.commit()), 0)
}

// child returns the run of a child job that the attempt's run starts.
func (b *bench) child(a job.Attempt, j job.Job) job.Run {
	b.Helper()
	r := b.firing(j, b.at(6))
	r.Cause, r.CauseID, r.Reason = job.CauseParent, a.RunID, fmt.Sprintf("run %d succeeded", a.RunID)
	return r
}

func completeChildren(b *bench) {
	parent, first, second := b.create(), b.create(), b.create()
	a := b.dispatch(b.trigger(parent, b.now))
	c := b.completion(a, job.Succeeded)
	c.Children = []job.Run{b.child(a, first), b.child(a, second), b.child(a, first)}
	b.same("completion", b.commit(c), []bool{true})
	want := c.Children[0]
	want.JobKey = first.Key
	b.same("runs of the first child", b.runs(first), []job.Run{want})
	b.same("runs of the second child", len(b.runs(second)), 1)
	b.same("claim", len(b.claim(b.at(6), b.at(99), 9, first.GroupID)), 2)

	c.Children = []job.Run{b.child(a, second)}
	b.same("again", b.commit(c), []bool{false})
	b.same("runs of the second child", len(b.runs(second)), 1)
}

func completeChildVersion(b *bench) {
	parent, child, gone := b.create(), b.create(), b.create()
	a := b.dispatch(b.trigger(parent, b.now))
	c := b.completion(a, job.Succeeded)
	c.Children = []job.Run{b.child(a, gone), b.child(a, child)}
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	saved := b.save(child, func(j *job.Job) { j.Group = changed })
	b.same("completion", b.commit(c), []bool{true})
	b.same("runs of a deleted child", len(b.runs(gone)), 0)
	got := b.run(c.Children[1].ID)
	b.same("version and group", []int64{got.JobVersion, got.GroupID}, []int64{2, saved.GroupID})
	b.same("the caller's run", c.Children[1].JobVersion, int64(1))
	b.dispatch(got)
}

func completeRace(b *bench) {
	parent, child := b.create(), b.create()
	a := b.dispatch(b.trigger(parent, b.now))
	b.accept(a)
	outcomes := []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost}
	var mu sync.Mutex
	var winners []completer.Completion
	var all sync.WaitGroup
	for i := range 100 {
		c := b.completion(a, outcomes[i%len(outcomes)])
		c.Message = fmt.Sprintf("from %d", i)
		c.Children = []job.Run{b.child(a, child)} // one a caller: only the winner's may stay
		if c.Outcome == job.Failed {
			c.RunState, c.RetryAt, c.Children = job.WaitingRetry, b.at(60), nil
		}
		all.Go(func() {
			done, err := b.CommitCompletions(b.ctx(), []completer.Completion{c})
			if err != nil || len(done) != 1 {
				b.Errorf("got %v, %v", done, err)
				return
			}
			if done[0] {
				mu.Lock()
				winners = append(winners, c)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	b.same("number of winners", len(winners), 1)
	winner := winners[0]
	run, attempt := b.state(a.RunID, winner.RunState), b.attempts(a.RunID)[0]
	b.same("messages", []string{run.Message, attempt.Message}, []string{winner.Message, winner.Message})
	b.same("attempt", attempt.State, winner.Outcome)
	b.same("children", idsOf(b.runs(child)), idsOf(winner.Children))
}

func completeInvalid(b *bench) {
	j := b.create()
	a := b.dispatch(b.trigger(j, b.now))
	for _, c := range []struct{ outcome, run job.State }{
		{job.Running, job.Succeeded},
		{job.Dispatched, job.Failed},
		{"", job.Failed},
		{"odd", job.Failed},
		{job.Failed, job.Planned},
		{job.Failed, job.Running},
		{job.Failed, job.Dispatched},
		{job.Failed, ""},
	} {
		wrong := b.completion(a, c.outcome)
		wrong.RunState = c.run
		_, err := b.CommitCompletions(b.ctx(), []completer.Completion{wrong})
		b.kind(err, job.Invalid)
	}
	b.state(a.RunID, job.Dispatched)
}

func completeBatch(b *bench) {
	j := b.create()
	one, two, three := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.complete(two, job.Lost)
	got := b.commit(b.completion(one, job.Failed), b.completion(two, job.Succeeded), b.completion(three, job.Succeeded))
	b.same("results", got, []bool{true, false, true})
	b.state(one.RunID, job.Failed)
	b.state(two.RunID, job.Lost)
	b.state(three.RunID, job.Succeeded)
}

// completeRemembered ends attempts by what a server remembers of their jobs, along with
// others whose rows were read.
func completeRemembered(b *bench) {
	same, edited, deleted, read := b.create(), b.create(), b.create(), b.create()
	attempts := make([]job.Attempt, 4)
	completions := make([]completer.Completion, 4)
	for i, j := range []job.Job{same, edited, deleted, read} {
		attempts[i] = b.dispatch(b.trigger(j, b.now))
		completions[i] = b.completion(attempts[i], job.Succeeded)
		completions[i].JobID, completions[i].JobVersion = j.ID, j.Version
	}
	completions[3].JobVersion = 0
	b.save(edited, func(j *job.Job) { j.Title = "another" })
	b.ok(b.DeleteJob(b.ctx(), deleted, "gone"))
	b.same("took effect", b.commit(completions...), []bool{true, false, false, true})
	for i, want := range []job.State{job.Succeeded, job.Dispatched, job.Dispatched, job.Succeeded} {
		s := b.snapshot(attempts[i].ID)
		b.same("states", []job.State{s.Attempt.State, s.Run.State}, []job.State{want, want})
	}
	completions[1].JobVersion, completions[2].JobVersion = 0, 0
	b.same("by rows", b.commit(completions...), []bool{false, true, true, false})
}
