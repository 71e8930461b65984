package storetest

import (
	"context"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

func revisionTests() []test {
	return []test{
		{"each save is kept, with its author and its changes", revisionsKept},
		{"what is no save makes none", revisionsOfNothing},
		{"a source is kept once, and comes back with each revision that has it", revisionSources},
		{"revisions are found in pages, and by the code", revisionsFound},
		{"an auto-stopped job was not stopped by the next author", revisionAfterStop},
		{"a deleted job is found by its key until another has it", revisionsOfDeleted},
		{"what is old goes behind the newest hundred, what is too much goes anyway", revisionsPruned},
		{"those of a job deleted long ago go", revisionsForgotten},
	}
}

// revisions returns those of a job, the newest first.
func (b *bench) revisions(q jobrows.RevisionQuery) []job.Revision {
	b.Helper()
	found, err := b.Revisions(b.ctx(), q)
	b.ok(err)
	return found
}

// revisionNumbers returns the numbers of those.
func (b *bench) revisionNumbers(q jobrows.RevisionQuery) []int64 {
	b.Helper()
	var all []int64
	for _, r := range b.revisions(q) {
		all = append(all, r.Number)
	}
	return all
}

func (b *bench) revision(j job.Job, number int64) job.Revision {
	b.Helper()
	r, err := b.Revision(b.ctx(), j.ID, number)
	b.ok(err)
	return r
}

func shell(source string) func(*job.Job) {
	return func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerShell, Source: source} }
}

func revisionsKept(b *bench) {
	note := func(text string) func(*intent.Intent) { return func(i *intent.Intent) { i.Note = text } }
	draft := b.draft()
	draft.Labels, draft.NextAt, draft.UpdatedAt = map[string]string{"team": "data"}, b.at(600), b.now
	j, err := b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}, note("for the month")), draft)
	b.ok(err)
	written := j.Written()
	b.now = b.at(60)
	j.Title, j.Param, j.UpdatedAt = changed, "p", b.now
	j, err = b.SaveJob(b.ctx(), j, "")
	b.ok(err)
	j.Enabled, j.UpdatedAt = false, b.at(60)
	j, err = b.SaveJob(intent.WithCaller(b.ctx(), access.Principal{Kind: access.Executors, Name: "demo"}), j, "")
	b.ok(err)
	ann := job.Author{Kind: "user", Name: "ann"}
	b.same("revisions", b.revisions(jobrows.RevisionQuery{JobID: j.ID}), []job.Revision{
		{JobID: j.ID, Number: 3, At: b.at(60), By: job.Author{Kind: "group", Name: "demo"}, Changed: []string{"enabled"}},
		{JobID: j.ID, Number: 2, At: b.now, By: job.Author{Kind: job.AuthorServer}, Changed: []string{"param", "title"}},
		{JobID: j.ID, Number: 1, At: b.now.Add(-time.Minute), By: ann, Operation: "create-job", Note: "for the month", Recoded: true},
	})
	b.same("what was saved", b.revision(j, 1).Job, written)
	b.same("who", b.revision(j, 1).By, ann)
	b.same("what is", b.revision(j, 3).Job, j.Written())
	_, err = b.Revision(b.ctx(), j.ID, 4)
	b.kind(err, job.NotFound)
}

func revisionsOfNothing(b *bench) {
	j := b.create()
	stale := j
	j = b.save(j, func(j *job.Job) { j.Title = changed })
	_, err := b.SaveJob(b.ctx(), stale, "")
	b.kind(err, job.Conflict)
	dry := b.wants("update-job", jobNamed(j.Key), func(i *intent.Intent) { i.Dry = true })
	j.Title = "dry"
	_, err = b.SaveJob(dry, j, "")
	b.ok(err)
	j = b.job(j.Key)
	b.fire(j, b.now)
	b.same("revisions", b.revisionNumbers(jobrows.RevisionQuery{JobID: j.ID}), []int64{2, 1})
}

func revisionSources(b *bench) {
	long := strings.Repeat("echo über\n", 40_000)
	j := b.create(shell(long))
	j = b.save(j, func(j *job.Job) { j.Param = "p" })
	j = b.save(j, shell("exit 1"))
	j = b.save(j, func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerNamed, Name: "x"} })
	j = b.save(j, shell(long))
	for number, want := range map[int64]string{1: long, 2: long, 3: "exit 1", 4: "", 5: long} {
		if got := b.revision(j, number).Job.Handler.Source; got != want {
			b.Errorf("revision %d has a source of %d bytes, want %d", number, len(got), len(want))
		}
	}
	b.same("changed", b.revision(j, 3).Changed, []string{"handler"})
	b.same("recoded", b.revisionNumbers(jobrows.RevisionQuery{JobID: j.ID, Recoded: true}), []int64{5, 4, 3, 1})
}

func revisionsFound(b *bench) {
	j, other := b.create(shell("a")), b.create()
	for _, source := range []string{"b", "b", "c"} {
		j = b.save(j, func(j *job.Job) { j.Handler.Source, j.StopAfter = source, j.StopAfter+1 })
	}
	of := func(before int64, recoded bool, limit int) []int64 {
		return b.revisionNumbers(jobrows.RevisionQuery{JobID: j.ID, Before: before, Recoded: recoded, Limit: limit})
	}
	b.same("all", of(0, false, 10), []int64{4, 3, 2, 1})
	b.same("the first page", of(0, false, 2), []int64{4, 3})
	b.same("the second page", of(3, false, 2), []int64{2, 1})
	b.same("the code", of(0, true, 10), []int64{4, 2, 1})
	b.same("a page of it", of(4, true, 1), []int64{2})
	b.same("another job", b.revisionNumbers(jobrows.RevisionQuery{JobID: other.ID}), []int64{1})
	b.reopen()
	b.same("after a restart", of(0, false, 10), []int64{4, 3, 2, 1})
}

func revisionAfterStop(b *bench) {
	j := b.create(func(j *job.Job) { j.StopAfter = 1 })
	a := b.dispatch(b.trigger(j, b.now))
	c := b.completion(a, job.Failed)
	c.StopReason = "stopped after a failed run"
	b.same("completion", b.commit(c), []bool{true})
	j = b.save(b.job(j.Key), func(j *job.Job) { j.Title = changed })
	b.same("changed", b.revisions(jobrows.RevisionQuery{JobID: j.ID})[0].Changed, []string{"title"})
}

func revisionsOfDeleted(b *bench) {
	find := func(key string) (int64, bool) {
		id, deleted, err := b.JobIDOf(b.ctx(), job.DefaultNamespace, key)
		b.ok(err)
		return id, deleted
	}
	j := b.create()
	_, err := b.Place(b.ctx(), "deleted job", j.Namespace, j.Key)
	b.kind(err, job.NotFound)
	if id, deleted := find(j.Key); id != j.ID || deleted {
		b.Errorf("found %d, deleted %v", id, deleted)
	}
	b.ok(b.DeleteJob(b.wants("delete-job", jobNamed(j.Key)), j, ""))
	if id, deleted := find(j.Key); id != j.ID || !deleted {
		b.Errorf("found %d, deleted %v", id, deleted)
	}
	last := b.revisions(jobrows.RevisionQuery{JobID: j.ID})[0]
	if last.Number != 2 || !last.Deleted || last.By.Name != "ann" || last.Operation != "delete-job" || len(last.Changed) != 0 {
		b.Errorf("the last revision is %+v", last)
	}
	b.same("as it was", b.revision(j, 2).Job, j.Written())
	b.same("place", b.place("deleted job", j.Namespace, j.Key), access.Object{Namespace: j.Namespace, Group: j.Group})
	next := b.create(func(n *job.Job) { n.Key = j.Key })
	if id, deleted := find(j.Key); id != next.ID || deleted {
		b.Errorf("found %d, deleted %v", id, deleted)
	}
	_, _, err = b.JobIDOf(b.ctx(), job.DefaultNamespace, "nobody")
	b.kind(err, job.NotFound)
}

func revisionsPruned(b *bench) {
	j := b.create(shell("0"))
	save := func(source string) {
		j = b.save(j, func(j *job.Job) { j.Handler.Source, j.UpdatedAt = source, b.now })
	}
	for range 109 {
		save("1")
	}
	b.same("young ones", len(b.revisions(jobrows.RevisionQuery{JobID: j.ID})), 110)
	b.now = b.now.Add(91 * 24 * time.Hour)
	save("2")
	left := b.revisionNumbers(jobrows.RevisionQuery{JobID: j.ID})
	b.same("the newest", []int64{int64(len(left)), left[0], left[99]}, []int64{100, 111, 12})
	b.same("the source of the oldest", b.revision(j, 12).Job.Handler.Source, "1")
	b.same("that of the newest", b.revision(j, 111).Job.Handler.Source, "2")
}

func revisionsForgotten(b *bench) {
	later := func(days int) time.Time { return time.Now().Add(time.Duration(days) * 24 * time.Hour) }
	j, other := b.create(shell("a"), func(j *job.Job) { j.NextAt = later(1) }), b.create()
	j.UpdatedAt = later(0)
	b.ok(b.DeleteJob(context.Background(), j, ""))
	other = b.save(other, func(j *job.Job) { j.Title, j.UpdatedAt = changed, later(29) })
	b.same("within a month", len(b.revisions(jobrows.RevisionQuery{JobID: j.ID})), 2)
	b.save(other, func(j *job.Job) { j.Title, j.UpdatedAt = "", later(31) })
	b.same("after it", len(b.revisions(jobrows.RevisionQuery{JobID: j.ID})), 0)
	_, _, err := b.JobIDOf(b.ctx(), j.Namespace, j.Key)
	b.kind(err, job.NotFound)
	b.same("those of others", len(b.revisions(jobrows.RevisionQuery{JobID: other.ID})), 3)
}
