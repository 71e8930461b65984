package storetest

import (
	"slices"
	"strings"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func templateTests() []test {
	return []test{
		{"an instance keeps its template", instanceIsRead},
		{"a new code of a template renews its instances and their runs", codeRenews},
		{"the jobs of a template are found", instancesFound},
		{"templates go one level deep", oneLevel},
		{"a template is not deleted while it has instances", templateStays},
	}
}

// instance creates a job that runs the code of the template; a version other
// than 0 pins it.
func (b *bench) instance(template job.Job, version int64) job.Job {
	b.Helper()
	return b.create(func(j *job.Job) {
		j.Template, j.TemplateVersion, j.Handler = template.ID, version, job.Handler{}
		if version != 0 {
			j.Handler = template.Handler
		}
	})
}

func instanceIsRead(b *bench) {
	template := b.create()
	j := b.instance(template, 0)
	b.same("follower", b.job(j.Key), j)
	b.same("key of its template", j.TemplateKey, template.Key)
	jobs, err := b.JobsByID(b.ctx(), []int64{j.ID})
	b.ok(err)
	b.same("by id", jobs, []job.Job{j})
	j = b.save(j, func(j *job.Job) { j.TemplateVersion, j.Handler = template.Version, template.Handler })
	b.same("pinned", b.job(j.Key), j)
	j = b.save(j, func(j *job.Job) { j.Template, j.TemplateVersion = 0, 0 })
	b.same("detached", b.job(j.Key), j)
	b.ok(b.DeleteJob(b.ctx(), b.job(template.Key), ""))
}

// A run that waits goes with the new code, wherever the old one is held in
// memory; nothing else is touched.
func codeRenews(b *bench) {
	template := b.create()
	follower, elsewhere := b.instance(template, 0), b.instance(template, 0)
	elsewhere = b.save(elsewhere, func(j *job.Job) { j.Group = "elsewhere" })
	pinned, stranger := b.instance(template, 1), b.create()
	waiting, far, held := b.trigger(follower, b.now), b.trigger(elsewhere, b.now), b.trigger(pinned, b.now)
	other, sent := b.trigger(stranger, b.now), b.trigger(follower, b.now)
	b.dispatch(sent)

	template = b.save(template, func(j *job.Job) { j.Title, j.Param = changed, "p" })
	b.same("follower of a template with a new title", b.job(follower.Key), follower)

	b.save(template, func(j *job.Job) {
		j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo new", SourceAt: b.at(1)}
	})
	follower.Version++
	b.same("follower", b.job(follower.Key), follower)
	elsewhere.Version++
	b.same("follower in another group", b.job(elsewhere.Key), elsewhere)
	b.same("pinned", b.job(pinned.Key), pinned)
	b.same("stranger", b.job(stranger.Key), stranger)
	versions := func(runs ...job.Run) (all []int64) {
		for _, r := range runs {
			all = append(all, b.run(r.ID).JobVersion)
		}
		return all
	}
	b.same("versions of runs", versions(waiting, far, held, other, sent), []int64{2, 3, 1, 1, 1})
	b.same("mark of the old code", b.mark(b.markOf(waiting, executorAddress)), []bool{false})
	b.dispatch(b.run(waiting.ID))
	b.same("plan of the old version", b.plan(planner1(job.Job{ID: follower.ID, Version: 1}, b.now, b.at(1))), false)
	b.same("plan", b.plan(planner1(follower, b.now, b.at(1))), true)
}

func instancesFound(b *bench) {
	template, other := b.create(), b.create()
	follower, pinned, far := b.instance(template, 0), b.instance(template, 1), b.instance(template, 0)
	far = b.save(far, func(j *job.Job) { j.Group = "elsewhere" })
	b.instance(other, 0)
	gone := b.instance(template, 0)
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	for _, c := range []struct {
		q    queries.JobQuery
		want []string
	}{
		{queries.JobQuery{Template: template.Key}, []string{follower.Key, pinned.Key, far.Key}},
		{queries.JobQuery{Template: template.Key, Everywhere: true}, []string{follower.Key, pinned.Key, far.Key}},
		{queries.JobQuery{Template: template.Key, Group: far.Group}, []string{far.Key}},
		{queries.JobQuery{Template: follower.Key}, nil},
		{queries.JobQuery{Template: "missing"}, nil},
	} {
		if c.q.Sight, c.q.Limit = everywhere, 100; !c.q.Everywhere {
			c.q.Namespace = job.DefaultNamespace
		}
		page, err := b.JobPage(b.ctx(), c.q)
		b.ok(err)
		c.q.Order = jobrows.Order{By: jobrows.ByTitle}
		sorted, err := b.JobRanks(b.ctx(), c.q)
		b.ok(err)
		var got, ranked []string
		for i := range page {
			got = append(got, page[i].Key)
		}
		for i := range sorted {
			ranked = append(ranked, sorted[i].Job.Key)
		}
		slices.Sort(ranked)
		slices.Sort(c.want)
		b.same("jobs of "+c.q.Template, got, c.want)
		b.same("sorted jobs of "+c.q.Template, ranked, c.want)
	}
}

func oneLevel(b *bench) {
	template := b.create()
	j := b.instance(template, 0)
	refused := func(err error, word string) {
		b.Helper()
		b.kind(err, job.Invalid)
		if !strings.Contains(err.Error(), "template: ") || !strings.Contains(err.Error(), word) {
			b.Fatalf("error %q does not contain template and %s", err, word)
		}
	}
	draft := func(of int64) job.Job {
		d := b.draft()
		d.Template = of
		return d
	}
	_, err := b.CreateJob(b.ctx(), draft(j.ID))
	refused(err, j.Key)
	_, err = b.CreateJob(b.ctx(), draft(4711))
	refused(err, "4711")
	strange := draft(template.ID)
	strange.Namespace = "team-b"
	_, err = b.CreateJob(b.ctx(), strange)
	refused(err, "team-b")

	other := b.create()
	for _, of := range []int64{template.ID, other.ID} {
		wrong := template
		wrong.Template = of
		_, err = b.SaveJob(b.ctx(), wrong, "")
		refused(err, template.Key)
	}
	b.same("template", b.job(template.Key), template)
	b.ok(b.DeleteJob(b.ctx(), other, ""))
	_, err = b.CreateJob(b.ctx(), draft(other.ID))
	refused(err, "does not exist")
}

func templateStays(b *bench) {
	template := b.create()
	var all []job.Job
	for range 6 {
		all = append(all, b.instance(template, 0))
	}
	err := b.DeleteJob(b.ctx(), template, "")
	b.kind(err, job.Conflict)
	if !strings.Contains(err.Error(), all[4].Key+" and more") || strings.Contains(err.Error(), all[5].Key) {
		b.Fatalf("error %q does not name five of the instances", err)
	}
	b.save(all[0], func(j *job.Job) { j.Template, j.Handler = 0, template.Handler })
	for _, j := range all[1:] {
		b.kind(b.DeleteJob(b.ctx(), template, ""), job.Conflict)
		b.ok(b.DeleteJob(b.ctx(), j, ""))
	}
	b.ok(b.DeleteJob(b.ctx(), template, ""))
}
