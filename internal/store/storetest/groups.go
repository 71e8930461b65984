package storetest

import (
	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

func groupTests() []test {
	return []test{
		{"groups are made, named and listed with what belongs to them", keepGroups},
		{"a group is removed when nothing belongs to it", removeGroups},
	}
}

// groups returns the keys of groups that somebody sees, page by page.
func (b *bench) groups(q catalog.GroupQuery) []catalog.GroupFigures {
	b.Helper()
	q.Namespace = job.DefaultNamespace
	var all []catalog.GroupFigures
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
	want := []catalog.GroupFigures{{Group: a, Jobs: 1, Waiting: 1}, {Group: g}}
	some := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "a"}, {Namespace: job.DefaultNamespace, Group: "b"}}}
	for _, limit := range []int{1, 2, 9} {
		b.same("groups", b.groups(catalog.GroupQuery{Sight: some, Limit: limit}), want)
	}
	b.same("number of all groups", len(b.groups(catalog.GroupQuery{Sight: everywhere, Limit: 9})), 3)
	b.same("number of groups for nobody", len(b.groups(catalog.GroupQuery{Limit: 9})), 0)
	b.same("one group", b.groups(catalog.GroupQuery{Sight: everywhere, Key: "b", Limit: 9}), want[1:])
	working, err := b.Working(b.ctx())
	b.ok(err)
	b.same("working", working, map[int64]int{j.GroupID: 1})

	b.ok(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Version: 1, Title: new(changed), Labels: map[string]string{"owner": "data"}}))
	b.kind(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Version: 1, Title: new("")}), job.Conflict)
	g.Title, g.Labels, g.Version = changed, map[string]string{"owner": "data"}, 2
	one := func() job.Group { return b.groups(catalog.GroupQuery{Sight: everywhere, Key: "b", Limit: 9})[0].Group }
	b.same("changed", one(), g)
	b.ok(b.ChangeGroup(b.ctx(), "b", job.GroupChange{Labels: map[string]string{}}))
	g.Labels, g.Version = nil, 3
	b.same("without labels", one(), g)
	b.kind(b.ChangeGroup(b.ctx(), "none", job.GroupChange{Title: new("")}), job.NotFound)
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

	b.ok(b.AddAddress(b.ctx(), "manual", executorAddress, b.now))
	b.kind(remove("manual"), job.Conflict)
	b.ok(b.RemoveAddress(b.ctx(), "manual", executorAddress))
	b.ok(remove("manual"))

	_, err = b.PutLease(b.ctx(), job.Executor{Group: "alive", Address: executorAddress, LeaseUntil: b.at(60), SeenAt: b.now})
	b.ok(err)
	b.kind(remove("alive"), job.Conflict)
	b.ok(b.DeleteGroup(b.ctx(), job.DefaultNamespace, "alive", b.at(61)))
	_, err = b.PutLease(b.ctx(), job.Executor{Group: "alive", Address: executorAddress, LeaseUntil: b.at(90), SeenAt: b.at(62)})
	b.ok(err)
	b.same("number of groups that came back", len(b.groups(catalog.GroupQuery{Sight: everywhere, Key: "alive", Limit: 9})), 1)
}
