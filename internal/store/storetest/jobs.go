package storetest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

func jobTests() []test {
	return []test{
		{"created jobs are read", createdIsRead},
		{"a taken key is a conflict", takenKey},
		{"one of many creators wins", oneCreatorWins},
		{"jobs of a group share it", sharedGroup},
		{"a missing job is not found", missingJob},
		{"jobs are listed in pages", jobPages},
		{"jobs are read by id", jobsByID},
		{"a save counts versions and compares them", saveCompares},
		{"a save moves waiting runs to the new version and group", saveMovesRuns},
		{"a save writes overlap and labels", saveWords},
		{"a save leaves the planner its next firing", saveKeepsNext},
		{"a stop leaves alone what is due or asked for", stopKeepsDue},
		{"a stop, another schedule and a deletion wait for firings that are due", changeWaitsForDue},
		{"a job that is due is read alone", dueAlone},
		{"an edit that is late keeps the slots that were planned before its own", lateEditKeepsPlanned},
		{"a slot that was planned comes again", slotComesAgain},
		{"a slot that was given back before its time is decided again", givenBackWithdrawn},
		{"another schedule decides about slots that were planned", rescheduleWithdraws},
		{"a last slot that was planned comes again", lastSlotComesAgain},
		{"a fixed delay forgets a run that was withdrawn", delayForgetsWithdrawn},
		{"a deleted job is not found and frees its key", deleteFrees},
	}
}

func createdIsRead(b *bench) {
	child := b.create()
	want := job.Job{
		Namespace: "team-a", Key: "full", Title: "Всё 全部", Description: "为了账目。\n\tWhen it fails: call 'them' <&>", Group: "Workers_1",
		Schedule: schedule.Spec{
			Kind: schedule.KindCron, Cron: "0 0 12 * * ?", Zone: "Asia/Shanghai", Anchor: b.now, At: b.at(9),
		},
		Misfire:       schedule.MisfireFireAll,
		MisfireLimits: schedule.MisfireLimits{Threshold: time.Second, Max: 3}, StopAfter: 9,
		Handler: job.Handler{
			Kind: job.HandlerShell, Source: strings.Repeat("echo '\"<&>\" 中文'\n", 4000), SourceAt: b.at(-5),
		},
		Param:  "{\"a\": \"\n\t'${input:day}\"}",
		Inputs: []job.Input{{Name: "day", Description: "哪天", Default: new("2030-01-31"), Options: []string{"2030-01-31", "<&>"}, Pattern: ".+"}}, Route: job.RouteFailover, Overlap: job.OverlapConcurrent, Concurrency: 7,
		OverlapScope: job.ScopeCluster, OverlapQueue: 50,
		Labels: map[string]string{"team": "数据", "cost-centre": "a\"b", "empty": ""}, Timeout: 1500 * time.Millisecond,
		Retry: retry.Policy{
			Tries: 3, Initial: time.Second, Multiplier: 1.5, Max: time.Minute, Jitter: 0.25,
			Delays: []time.Duration{0, time.Minute}, On: []string{retry.OnFailed, retry.OnLost},
		},
		OnCrash: job.CrashRerun, Children: []job.Child{{JobID: child.ID, On: job.ChildOnAlways, Param: "{{result}} <&> 数据"}}, Enabled: true, NextAt: b.at(7), LastAt: b.at(-7),
		CreatedAt: b.at(-2), UpdatedAt: b.at(-1),
	}
	created, err := b.CreateJob(b.ctx(), want)
	b.ok(err)
	want.ID, want.GroupID, want.Version = created.ID, created.GroupID, 1
	b.same("created job", created, want)
	if created.ID <= child.ID || created.GroupID == child.GroupID || created.GroupID == 0 {
		b.Fatalf("ids %d, %d after %d, %d", created.ID, created.GroupID, child.ID, child.GroupID)
	}
	read, err := b.Job(b.ctx(), "team-a", "full")
	b.ok(err)
	b.same("job", read, want)

	bare := b.create(func(j *job.Job) { j.Enabled = false })
	b.same("next firing of a stopped job", bare.NextAt, time.Time{})
	b.same("bare job", b.job(bare.Key), bare)
}

func takenKey(b *bench) {
	j := b.create()
	again := b.draft()
	again.Key = j.Key
	_, err := b.CreateJob(b.ctx(), again)
	b.kind(err, job.Conflict)
	if !strings.Contains(err.Error(), j.Key) {
		b.Fatalf("error %q does not name the key", err)
	}
	again.Namespace = "other"
	_, err = b.CreateJob(b.ctx(), again)
	b.ok(err)

	other := b.create()
	other.Key = j.Key
	_, err = b.SaveJob(b.ctx(), other, "")
	b.kind(err, job.Conflict)
}

func oneCreatorWins(b *bench) {
	j := b.draft()
	var wins, conflicts int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := b.CreateJob(b.ctx(), j)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				wins++
			case job.Is(err, job.Conflict):
				conflicts++
			default:
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	b.same("wins and conflicts", []int{wins, conflicts}, []int{1, 19})
	jobs, err := b.Jobs(b.ctx(), jobrows.JobFilter{Namespace: job.DefaultNamespace, Limit: 10})
	b.ok(err)
	b.same("number of jobs", len(jobs), 1)
}

func sharedGroup(b *bench) {
	one, two := b.create(), b.create()
	other := b.create(func(j *job.Job) { j.Group = "elsewhere" })
	elsewhere := b.create(func(j *job.Job) { j.Namespace = "team-b" })
	b.same("group", two.GroupID, one.GroupID)
	b.same("group across namespaces", elsewhere.GroupID, one.GroupID)
	if other.GroupID == one.GroupID {
		b.Fatal("two groups have one id")
	}
	e, err := b.PutLease(b.ctx(), job.Executor{Group: "elsewhere", Address: executorAddress, LeaseUntil: b.at(9), SeenAt: b.now})
	b.ok(err)
	b.same("executor's group", e.GroupID, other.GroupID)
}

func missingJob(b *bench) {
	j := b.create()
	_, err := b.Job(b.ctx(), job.DefaultNamespace, "nobody")
	b.kind(err, job.NotFound)
	_, err = b.Job(b.ctx(), "elsewhere", j.Key)
	b.kind(err, job.NotFound)
	j.ID += 100
	_, err = b.SaveJob(b.ctx(), j, "")
	b.kind(err, job.NotFound)
	b.kind(b.DeleteJob(b.ctx(), j, ""), job.NotFound)
}

func jobPages(b *bench) {
	for _, key := range []string{"d", "a", "c", "b", "e"} {
		b.create(func(j *job.Job) {
			j.Key = key
			if key == "c" || key == "e" {
				j.Group = "other"
			}
		})
	}
	b.create(func(j *job.Job) { j.Namespace, j.Key = "team", "x" })
	for _, c := range []struct {
		filter jobrows.JobFilter
		want   string
	}{
		{jobrows.JobFilter{Namespace: job.DefaultNamespace}, "a b c d e"},
		{jobrows.JobFilter{Namespace: job.DefaultNamespace, Limit: 2}, "a b"},
		{jobrows.JobFilter{Namespace: job.DefaultNamespace, Limit: 2, AfterKey: "b"}, "c d"},
		{jobrows.JobFilter{Namespace: job.DefaultNamespace, Limit: 9, AfterKey: "e"}, ""},
		{jobrows.JobFilter{Namespace: job.DefaultNamespace, Group: "other"}, "c e"},
		{jobrows.JobFilter{Namespace: job.DefaultNamespace, Group: "other", AfterKey: "c"}, "e"},
		{jobrows.JobFilter{Namespace: job.DefaultNamespace, Group: "none"}, ""},
		{jobrows.JobFilter{Namespace: "team"}, "x"},
		{jobrows.JobFilter{Namespace: "nowhere"}, ""},
	} {
		jobs, err := b.Jobs(b.ctx(), c.filter)
		b.ok(err)
		keys := make([]string, len(jobs))
		for i, j := range jobs {
			keys[i] = j.Key
		}
		b.same(fmt.Sprintf("keys of %+v", c.filter), strings.Join(keys, " "), c.want)
	}
}

func jobsByID(b *bench) {
	want := map[int64]job.Job{}
	ids := []int64{987654}
	for range 120 {
		j := b.create()
		want[j.ID] = j
		ids = append(ids, j.ID)
	}
	gone := b.create()
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	ids = append(ids, gone.ID)
	for _, n := range []int{0, 1, 2, 8, 9, 50, 51, len(ids)} {
		jobs, err := b.JobsByID(b.ctx(), ids[len(ids)-n:])
		b.ok(err)
		b.same("number of jobs", len(jobs), max(0, min(n-1, 120)))
		for _, j := range jobs {
			b.same("job", j, want[j.ID])
		}
	}
}

func saveCompares(b *bench) {
	old := b.create()
	saved := b.save(old, func(j *job.Job) { j.Title, j.UpdatedAt = changed, b.at(1) })
	want := old
	want.Title, want.UpdatedAt, want.Version = changed, b.at(1), 2
	b.same("saved job", saved, want)
	b.same("job", b.job(old.Key), want)
	_, err := b.SaveJob(b.ctx(), old, "")
	b.kind(err, job.Conflict)
	b.kind(b.DeleteJob(b.ctx(), old, ""), job.Conflict)
	b.same("job after conflicts", b.job(old.Key), want)
}

func saveMovesRuns(b *bench) {
	j, other := b.create(), b.create()
	waiting, stranger, sent := b.trigger(j, b.now), b.trigger(other, b.now), b.trigger(j, b.now)
	b.dispatch(sent)
	saved := b.save(j, func(j *job.Job) { j.Group = changed })
	if saved.GroupID == j.GroupID {
		b.Fatal("the group did not change")
	}
	got := b.run(waiting.ID)
	b.same("version and group", []int64{got.JobVersion, got.GroupID}, []int64{2, saved.GroupID})
	b.same("run of another job", b.run(stranger.ID), stranger)
	b.same("version of a sent run", b.run(sent.ID).JobVersion, int64(1))
	b.same("claim", idsOf(b.claim(b.now, b.at(9), 9, saved.GroupID)), []int64{waiting.ID})

	stale := b.markOf(waiting, executorAddress)
	b.same("mark of the old version", b.mark(stale), []bool{false})
	b.dispatch(got)
}

func saveKeepsNext(b *bench) {
	j := b.create()
	if !b.plan(planner1(j, b.now, b.at(1))) {
		b.Fatal("the plan did not take effect")
	}
	saved := b.save(j, func(j *job.Job) { j.Title = changed }) // read before the plan
	b.same("next firing", saved.NextAt, b.at(1))
	b.same("job", b.job(j.Key), saved)

	saved = b.save(saved, func(j *job.Job) { j.Schedule.Every, j.NextAt = 2*time.Second, b.at(4) })
	b.same("next firing of a new schedule", b.job(j.Key).NextAt, b.at(4))
	saved = b.save(saved, func(j *job.Job) { j.Enabled = false })
	b.same("next firing of a stopped job", b.job(j.Key).NextAt, time.Time{})
	b.save(saved, func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(8) })
	b.same("next firing of a started job", b.job(j.Key).NextAt, b.at(8))
}

func deleteFrees(b *bench) {
	other := b.create()
	stranger := b.trigger(other, b.now)
	for range 3 { // the key can be used and freed again and again
		j := b.create(func(j *job.Job) { j.Key = "phoenix" })
		planned, queued, sent := b.trigger(j, b.at(3)), b.trigger(j, b.now), b.trigger(j, b.now)
		b.requeue(queued, 0)
		a := b.dispatch(sent)
		b.ok(b.DeleteJob(b.ctx(), j, "deleted by a test"))

		_, err := b.Job(b.ctx(), job.DefaultNamespace, "phoenix")
		b.kind(err, job.NotFound)
		b.kind(b.DeleteJob(b.ctx(), j, ""), job.NotFound)
		_, err = b.SaveJob(b.ctx(), j, "")
		b.kind(err, job.NotFound)
		b.same("reason", b.state(planned.ID, job.Cancelled).Reason, "deleted by a test")
		b.state(queued.ID, job.Cancelled)
		b.same("job key of a run", b.state(sent.ID, job.Dispatched).JobKey, "phoenix")
		b.kind(b.AddRun(b.ctx(), b.firing(j, b.now)), job.NotFound)
		b.same("snapshot is deleted", b.snapshot(a.ID).Deleted, true)
		b.same("plan of a deleted job", b.plan(planner1(j, b.now, b.at(1))), false)
	}
	b.state(stranger.ID, job.Planned)
	jobs, err := b.Jobs(b.ctx(), jobrows.JobFilter{Namespace: job.DefaultNamespace})
	b.ok(err)
	b.same("number of jobs", len(jobs), 1)
	due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(99), 9)
	b.ok(err)
	b.same("due jobs", len(due), 1)
}

func saveWords(b *bench) {
	j := b.create(func(j *job.Job) {
		j.Overlap, j.Concurrency, j.Labels = job.OverlapConcurrent, 3, map[string]string{"a": "1", "b": "2"}
	})
	b.same("created", b.job(j.Key), j)
	j = b.save(j, func(j *job.Job) { j.Concurrency, j.Labels = 64, map[string]string{"b": "3"} })
	b.same("changed", b.job(j.Key), j)
	j = b.save(j, func(j *job.Job) { j.Overlap, j.Concurrency, j.Labels = job.OverlapSerial, 0, nil })
	b.same("taken away", b.job(j.Key), j)
	jobs, err := b.JobsByID(b.ctx(), []int64{j.ID})
	b.ok(err)
	b.same("by id", jobs, []job.Job{j})
}
