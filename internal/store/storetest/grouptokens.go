package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

func groupTokenTests() []test {
	return []test{
		{"a token is listed, and published to callers", tokenIsRead},
		{"the number of tokens of a group is bounded for concurrent callers", tokenBound},
		{"only its own group loses a token", tokenRemoved},
		{"a group without a token takes others", ownTokenOnly},
		{"callers are read when they have changed", callersVersion},
		{"a hash is there once", tokenOnce},
	}
}

func (b *bench) token(group, hash string) job.GroupToken {
	b.Helper()
	t, err := b.AddGroupToken(b.ctx(), job.GroupToken{Group: group, Label: "от ноября", Hash: hash, Sealed: "sealed " + hash, CreatedAt: b.now})
	b.ok(err)
	return t
}

func (b *bench) callers(known int64) *executorauth.Callers {
	b.Helper()
	callers, err := b.Callers(b.ctx(), known)
	b.ok(err)
	return callers
}

func tokenIsRead(b *bench) {
	first, second := b.token("a", "h1"), b.token("b", "h2")
	third := b.token("a", "h3")
	if first.ID == 0 || first.ID == second.ID || first.ID == third.ID {
		b.Errorf("ids %d, %d, %d", first.ID, second.ID, third.ID)
	}
	b.ok(b.TouchGroupToken(b.ctx(), third.ID, b.at(5)))
	b.ok(b.TouchGroupToken(b.ctx(), 1<<40, b.at(5)))
	b.reopen()
	of, err := b.GroupID(b.ctx(), "b")
	b.ok(err)
	if known := b.callers(0).Tokens; !slices.ContainsFunc(known, func(k executorauth.Known) bool { return k.Group == "b" && k.GroupID == of }) {
		b.Errorf("group b has the id %d, and its token is one of %+v", of, known)
	}
	_, err = b.GroupID(b.ctx(), "nobody")
	b.kind(err, job.NotFound)
	key, err := b.GroupKey(b.ctx(), of)
	b.ok(err)
	b.same("the key of the group with an id", key, "b")
	_, err = b.GroupKey(b.ctx(), 1<<40)
	b.kind(err, job.NotFound)
	tokens, only, err := b.GroupTokens(b.ctx(), "a")
	b.ok(err)
	third.UsedAt = b.at(5)
	b.same("tokens", tokens, []job.GroupToken{first, third})
	b.same("only", only, false)
	_, _, err = b.GroupTokens(b.ctx(), "nobody")
	b.kind(err, job.NotFound)

	hashes := map[string]string{}
	groups := map[string]int64{}
	for _, known := range b.callers(0).Tokens {
		hashes[known.Hash] = fmt.Sprintf("%d %s %s %t", known.ID, known.Group, known.Sealed, known.UsedAt.IsZero())
		groups[known.Group] = known.GroupID
	}
	b.same("callers", hashes, map[string]string{
		"h1": fmt.Sprintf("%d a sealed h1 true", first.ID), "h2": fmt.Sprintf("%d b sealed h2 true", second.ID),
		"h3": fmt.Sprintf("%d a sealed h3 false", third.ID),
	})
	j := b.create(func(j *job.Job) { j.Group = "a" })
	b.same("group", groups["a"], j.GroupID)
}

func tokenBound(b *bench) {
	b.token("a", "first")
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range 3 * job.MaxGroupTokens {
		all.Go(func() {
			_, err := b.AddGroupToken(b.ctx(), job.GroupToken{Group: "a", Hash: fmt.Sprint(i), CreatedAt: b.now})
			switch {
			case err == nil:
				made.Add(1)
			case !job.Is(err, job.Full):
				b.Errorf("one too many: %v", err)
			}
		})
	}
	all.Wait()
	b.same("tokens made", made.Load(), int64(job.MaxGroupTokens-1))
	tokens, _, err := b.GroupTokens(b.ctx(), "a")
	b.ok(err)
	b.same("tokens", len(tokens), job.MaxGroupTokens)
	b.token("b", "other") // another group has room
	b.ok(b.RemoveGroupToken(b.ctx(), "a", tokens[0].ID))
	b.token("a", "next")
}

func tokenRemoved(b *bench) {
	t := b.token("a", "h")
	b.token("b", "k")
	b.kind(b.RemoveGroupToken(b.ctx(), "b", t.ID), job.NotFound)
	b.kind(b.RemoveGroupToken(b.ctx(), "nobody", t.ID), job.NotFound)
	b.same("callers", len(b.callers(0).Tokens), 2)
	b.ok(b.RemoveGroupToken(b.ctx(), "a", t.ID))
	b.kind(b.RemoveGroupToken(b.ctx(), "a", t.ID), job.NotFound)
	callers := b.callers(0).Tokens
	b.same("callers", len(callers), 1)
	b.same("left", callers[0].Hash, "k")
}

func ownTokenOnly(b *bench) {
	b.kind(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(true)}), job.NotFound)
	b.create(func(j *job.Job) { j.Group = "a" })
	b.kind(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(true)}), job.Conflict)
	b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(false)}))
	t := b.token("a", "h")
	b.token("b", "k")
	b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(true)}))
	b.reopen()
	closed := b.callers(0).Closed
	b.same("closed", len(closed), 1)
	b.same("closed", closed[0].Key, "a")
	title := "Renamed"
	b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(true), Title: &title}))
	b.same("title", b.groups(jobs.GroupQuery{Sight: everywhere, Key: "a", Limit: 9})[0].Group.Title, title)
	b.kind(b.ChangeGroup(b.ctx(), "none", job.GroupChange{OwnTokenOnly: new(true), Title: &title}), job.NotFound)
	_, only, err := b.GroupTokens(b.ctx(), "a")
	b.ok(err)
	b.same("only", only, true)
	b.ok(b.RemoveGroupToken(b.ctx(), "a", t.ID)) // a token that leaked must go, whatever follows
	b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(false)}))
	b.same("closed", len(b.callers(0).Closed), 0)
}

func callersVersion(b *bench) {
	version := b.callers(0).Version
	changes := func(what string, change func()) {
		b.Helper()
		change()
		next := b.callers(version)
		if next == nil || next.Version <= version {
			b.Fatalf("%s: callers are not returned after the change: %v", what, next)
		}
		version = next.Version
		if again := b.callers(version); again != nil {
			b.Errorf("%s: callers are returned again", what)
		}
	}
	var t job.GroupToken
	changes("a new token", func() { t = b.token("a", "h") })
	changes("own only", func() { b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(true)})) })
	b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(true)}))
	b.ok(b.TouchGroupToken(b.ctx(), t.ID, b.at(1)))
	if again := b.callers(version); again != nil {
		b.Error("callers are returned again without a change")
	}
	changes("not only", func() { b.ok(b.ChangeGroup(b.ctx(), "a", job.GroupChange{OwnTokenOnly: new(false)})) })
	changes("a token less", func() { b.ok(b.RemoveGroupToken(b.ctx(), "a", t.ID)) })
}

func tokenOnce(b *bench) {
	t := b.token("holder", "h")
	for _, group := range []string{"b", "holder"} {
		_, err := b.AddGroupToken(b.ctx(), job.GroupToken{Group: group, Hash: "h", CreatedAt: b.now})
		b.kind(err, job.Conflict)
		if !strings.Contains(err.Error(), fmt.Sprintf("group holder already, as token %d", t.ID)) {
			b.Errorf("the error does not name the group: %v", err)
		}
	}
	b.same("callers", len(b.callers(0).Tokens), 1)
	_, _, err := b.GroupTokens(b.ctx(), "b")
	b.kind(err, job.NotFound) // a refusal makes no group
	b.ok(b.RemoveGroupToken(b.ctx(), "holder", t.ID))
	b.token("b", "h") // it may go to another
}
