package storetest

import (
	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func groupTests() []test {
	return []test{
		{"groups are made, named and listed with what belongs to them", keepGroups},
		{"a group is removed when nothing belongs to it", removeGroups},
		{"a group is in a namespace, and no other has its key", placeGroups},
	}
}

// groups returns the keys of visible groups, page by page.
func (b *bench) groups(q jobs.GroupQuery) []jobs.GroupFigures {
	b.Helper()
	var all []jobs.GroupFigures
	for {
		part, err := b.GroupPage(b.ctx(), q)
		b.ok(err)
		all = append(all, part...)
		if len(part) < q.Limit {
			return all
		}
		q.After = part[len(part)-1].Group.Key
	}
}

func keepGroups(b *bench) {
	g, err := b.CreateGroup(b.ctx(), job.Group{Namespace: job.DefaultNamespace, Key: "b", Title: "Name", CreatedAt: b.now})
	b.ok(err)
	_, err = b.CreateGroup(b.ctx(), job.Group{Namespace: job.DefaultNamespace, Key: "b", CreatedAt: b.now})
	b.kind(err, job.Conflict)
	j := b.create(func(j *job.Job) { j.Group = "a" })
	b.create(func(j *job.Job) { j.Group = "c" })
	b.trigger(j, b.now)
	b.dispatch(b.trigger(j, b.now))
	a := job.Group{ID: j.GroupID, Namespace: job.DefaultNamespace, Key: "a", Version: 1, CreatedAt: b.now}
	want := []jobs.GroupFigures{{Group: a, Jobs: 1, Waiting: 1}, {Group: g}}
	some := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "a"}, {Namespace: job.DefaultNamespace, Group: "b"}}}
	for _, limit := range []int{1, 2, 9} {
		b.same("groups", b.groups(jobs.GroupQuery{Sight: some, Limit: limit}), want)
	}
	b.same("number of all groups", len(b.groups(jobs.GroupQuery{Sight: everywhere, Limit: 9})), 3)
	b.same("number of groups without rights", len(b.groups(jobs.GroupQuery{Limit: 9})), 0)
	b.same("one group", b.groups(jobs.GroupQuery{Sight: everywhere, Key: "b", Limit: 9}), want[1:])
	working, err := b.Working(b.ctx())
	b.ok(err)
	b.same("working", working, map[int64]int{j.GroupID: 1})

	b.ok(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Version: 1, Title: new(changed), Labels: map[string]string{"owner": "data"}}))
	b.kind(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Version: 1, Title: new("")}), job.Conflict)
	g.Title, g.Labels, g.Version = changed, map[string]string{"owner": "data"}, 2
	one := func() job.Group { return b.groups(jobs.GroupQuery{Sight: everywhere, Key: "b", Limit: 9})[0].Group }
	b.same("changed", one(), g)
	b.ok(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Labels: map[string]string{}}))
	g.Labels, g.Version = nil, 3
	b.same("without labels", one(), g)
	b.kind(b.ChangeGroup(b.ctx(), "none", job.GroupChange{Title: new("")}), job.NotFound)
}

// keys returns the keys of visible groups.
func (b *bench) keys(q jobs.GroupQuery) (keys []string) {
	b.Helper()
	q.Limit = 2
	for _, g := range b.groups(q) {
		keys = append(keys, g.Group.Namespace+"/"+g.Group.Key)
	}
	return keys
}

func placeGroups(b *bench) {
	const team = "team"
	mine, err := b.CreateGroup(b.ctx(), job.Group{Namespace: team, Key: "b", CreatedAt: b.now})
	b.ok(err)
	b.same("namespace", mine.Namespace, team)
	for _, namespace := range []string{team, job.DefaultNamespace} {
		_, err = b.CreateGroup(b.ctx(), job.Group{Namespace: namespace, Key: "b", CreatedAt: b.now})
		b.kind(err, job.Conflict)
	}

	// A caller that names it finds it, wherever it is.
	living := b.beat("b", addressOne, 90)
	b.same("group of an executor that registers", living.GroupID, mine.ID)
	of := b.alive(0)[0]
	b.same("place of the executor", of.Namespace+"/"+of.Group, "team/b")
	j := b.create(func(j *job.Job) { j.Group = "b" })
	b.same("group of a job", j.GroupID, mine.ID)
	namespace, err := b.AddAddress(b.ctx(), "b", addressTwo, b.now)
	b.ok(err)
	b.same("namespace of an address", namespace, team)
	rules := []job.Rewrite{{From: "http://a", To: "http://b"}}
	b.ok(b.SaveRewrites(b.ctx(), "b", rules, b.now))
	all, err := b.Rewrites(b.ctx())
	b.ok(err)
	b.same("rewrites", all, map[string][]job.Rewrite{"b": rules})
	b.ok(b.SaveDialect(b.ctx(), "b", addressOne, job.DialectOrthJava, job.DialectSet))
	b.trigger(j, b.now)
	runs, _, err := b.RunPage(b.ctx(), queries.RunQuery{Sight: everywhere, Group: "b", Limit: 9})
	b.ok(err)
	b.same("number of runs for it", len(runs), 1)
	c, err := b.Counts(b.ctx(), everywhere, b.at(1))
	b.ok(err)
	b.same("number of runs that wait for it", c.Waiting, 1)
	b.beat("a", addressOne, 90)
	b.beat("c", addressOne, 90)

	b.same("all", b.keys(jobs.GroupQuery{Sight: everywhere}), []string{"default/a", "team/b", "default/c"})
	b.same("of the default one", b.keys(jobs.GroupQuery{Sight: everywhere, Namespace: job.DefaultNamespace}), []string{"default/a", "default/c"})
	b.same("of a namespace", b.keys(jobs.GroupQuery{Sight: everywhere, Namespace: team}), []string{"team/b"})
	narrow := access.Sight{Places: []access.Place{{Namespace: team, Group: access.All}, {Namespace: job.DefaultNamespace, Group: "c"}}}
	b.same("in sight", b.keys(jobs.GroupQuery{Sight: narrow}), []string{"team/b", "default/c"})
	b.same("in sight, of the default one", b.keys(jobs.GroupQuery{Sight: narrow, Namespace: job.DefaultNamespace}), []string{"default/c"})
	other := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "b"}}}
	b.same("in the sight of others", len(b.keys(jobs.GroupQuery{Sight: other})), 0)

	at := func(namespace string) []access.Object {
		on, err := b.Place(b.ctx(), "group", namespace, "b")
		if job.Is(err, job.NotFound) {
			return nil
		}
		b.ok(err)
		return on
	}
	b.same("its place", at(""), []access.Object{{Namespace: team, Group: "b"}})
	b.same("its place in its namespace", at(team), []access.Object{{Namespace: team, Group: "b"}})
	b.same("its place in another one", len(at(job.DefaultNamespace)), 0)

	// It moves with all that it has.
	b.ok(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Namespace: new(otherSpace)}))
	b.same("its place after a move", at(""), []access.Object{{Namespace: otherSpace, Group: "b"}})
	b.same("its executor after a move", b.alive(0)[1].Namespace, otherSpace)
	kept := b.job(j.Key)
	b.same("its job after a move", []any{kept.Namespace, kept.Group, kept.GroupID}, []any{j.Namespace, "b", mine.ID})
	b.kind(b.DeleteGroup(b.ctx(), team, "b", b.now), job.NotFound)
	b.kind(b.DeleteGroup(b.ctx(), otherSpace, "b", b.now), job.Conflict)
	b.ok(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Title: new(changed)}))
	b.same("its place after another change", at(""), []access.Object{{Namespace: otherSpace, Group: "b"}})
}

func removeGroups(b *bench) {
	remove := func(key string) error { return b.DeleteGroup(b.ctx(), job.DefaultNamespace, key, b.now) }
	b.kind(remove("none"), job.NotFound)
	_, err := b.CreateGroup(b.ctx(), job.Group{Namespace: job.DefaultNamespace, Key: "empty", CreatedAt: b.now})
	b.ok(err)
	b.ok(remove("empty"))
	b.kind(remove("empty"), job.NotFound)

	j := b.create(func(j *job.Job) { j.Group = "used" })
	b.kind(remove("used"), job.Conflict)
	j = b.save(j, func(j *job.Job) { j.Group = otherSpace })
	b.ok(remove("used"))
	b.trigger(j, b.now)
	j = b.save(j, func(j *job.Job) { j.Group = "third" })
	b.ok(b.DeleteJob(b.ctx(), j, "gone"))
	b.kind(remove("third"), job.Conflict) // the history of the job

	b.enter("manual", executorAddress, b.now)
	b.kind(remove("manual"), job.Conflict)
	b.ok(b.RemoveAddress(b.ctx(), "manual", executorAddress))
	b.ok(remove("manual"))

	_, err = b.PutLease(b.ctx(), job.Executor{Group: "alive", Address: executorAddress, LeaseUntil: b.at(60), SeenAt: b.now})
	b.ok(err)
	b.kind(remove("alive"), job.Conflict)
	b.ok(b.DeleteGroup(b.ctx(), job.DefaultNamespace, "alive", b.at(61)))
	_, err = b.PutLease(b.ctx(), job.Executor{Group: "alive", Address: executorAddress, LeaseUntil: b.at(90), SeenAt: b.at(62)})
	b.ok(err)
	b.same("number of groups that came back", len(b.groups(jobs.GroupQuery{Sight: everywhere, Key: "alive", Limit: 9})), 1)
}
