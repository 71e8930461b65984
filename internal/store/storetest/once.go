package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

func onceTests() []test {
	return []test{
		{"a key goes with the change", onceWithChange},
		{"a key takes effect once for concurrent requests", onceTogether},
		{"a key of a failed request is free", onceFailed},
		{"a key of a request that changes nothing is kept too", onceNothing},
		{"the first answer counts", onceReply},
		{"the newest keys of a caller are kept, for a day", onceBounded},
	}
}

// keyed gives an intent a key.
func keyed(key string) func(*intent.Intent) {
	return func(i *intent.Intent) { i.Once, i.Request = key, [32]byte{1, 2, 3} }
}

func (b *bench) once(caller, key string) (intent.Reuse, bool) {
	b.Helper()
	r, used, err := b.Once(b.ctx(), caller, key)
	b.ok(err)
	return r, used
}

func onceWithChange(b *bench) {
	ctx := b.wants("create-job", intent.Object{Kind: "job"}, keyed("k"))
	_, err := b.CreateJob(ctx, b.draft())
	b.ok(err)
	b.same("kept", intent.Of(ctx).Kept(), true)
	b.reopen()
	r, used := b.once("user:7", "k")
	b.same("used", used, true)
	b.same("what is known", r, intent.Reuse{Request: [32]byte{1, 2, 3}, Operation: "create-job", Line: 1, At: b.now})
	if _, used := b.once("user:8", "k"); used {
		b.Error("the key is another caller's, too")
	}
}

func onceTogether(b *bench) {
	var all sync.WaitGroup
	var made atomic.Int64
	for range 20 {
		ctx, draft := b.wants("create-job", intent.Object{Kind: "job"}, keyed("k")), b.draft()
		all.Go(func() {
			switch _, err := b.CreateJob(ctx, draft); {
			case err == nil:
				made.Add(1)
			case !job.Is(err, job.Conflict):
				b.Error(err)
			}
		})
	}
	all.Wait()
	b.same("jobs", made.Load(), int64(1))
	b.same("lines", len(b.lines()), 1)
	jobs := 0
	for n := range 20 {
		if _, err := b.Job(b.ctx(), job.DefaultNamespace, fmt.Sprintf("job-%d", n+1)); err == nil {
			jobs++
		}
	}
	b.same("jobs that are there", jobs, 1)
}

func onceFailed(b *bench) {
	j := b.create()
	draft := b.draft()
	free := draft.Key
	draft.Key = j.Key
	ctx := b.wants("create-job", intent.Object{Kind: "job"}, keyed("k"))
	_, err := b.CreateJob(ctx, draft)
	b.kind(err, job.Conflict)
	if _, used := b.once("user:7", "k"); used || intent.Of(ctx).Kept() {
		b.Error("what failed has used the key")
	}
	draft.Key = free
	_, err = b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}, keyed("k")), draft)
	b.ok(err)
}

func onceNothing(b *bench) {
	ctx := b.wants("start-job", jobNamed("x"), keyed("k"))
	b.ok(b.Conclude(ctx, false))
	b.same("kept", intent.Of(ctx).Kept(), true)
	r, used := b.once("user:7", "k")
	b.same("what is known", []any{used, r.Line}, []any{true, int64(0)})
	b.kind(b.Conclude(b.wants("start-job", jobNamed("x"), keyed("k")), false), job.Conflict)
	b.same("lines", len(b.lines()), 0)
}

func onceReply(b *bench) {
	b.ok(b.Conclude(b.wants("a", intent.Object{}, keyed("k")), true))
	b.ok(b.SetReply(b.ctx(), "user:7", "k", "first"))
	b.ok(b.SetReply(b.ctx(), "user:7", "k", "second"))
	b.ok(b.SetReply(b.ctx(), "user:7", "unknown", "x"))
	r, _ := b.once("user:7", "k")
	b.same("reply", r.Reply, "first")
}

func onceBounded(b *bench) {
	const extra = 5
	var all sync.WaitGroup
	for worker := range 100 {
		all.Go(func() {
			for n := range 100 {
				if err := b.Conclude(b.wants("a", intent.Object{}, keyed(fmt.Sprintf("%d-%d", worker, n))), false); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	for n := range extra {
		b.ok(b.Conclude(b.wants("a", intent.Object{}, keyed(fmt.Sprint("last-", n)), func(i *intent.Intent) { i.At = b.at(n) }), false))
	}
	kept := 0
	for worker := range 100 {
		for n := range 100 {
			if _, used := b.once("user:7", fmt.Sprintf("%d-%d", worker, n)); used {
				kept++
			}
		}
	}
	b.same("keys that are left of the first ones", kept, 10_000-extra)
	other := b.wants("a", intent.Object{}, keyed("k"), func(i *intent.Intent) { i.By = access.Root() })
	b.ok(b.Conclude(other, false))
	b.ok(b.DropOnce(b.ctx(), b.at(2).Add(24*time.Hour)))
	_, old := b.once("user:7", "last-1")
	_, young := b.once("user:7", "last-2")
	b.same("kept for a day", []bool{old, young}, []bool{false, true})
}
