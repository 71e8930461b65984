package storetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// Two executors' addresses, in their order.
const (
	addressOne = "http://1"
	addressTwo = "http://2"
)

func leaseTests() []test {
	return []test{
		{"a lease is written and renewed", leaseRenewed},
		{"features are those of the last beat", leaseFeatures},
		{"handlers are those of the last beat", leaseHandlers},
		{"leases that have ended are not listed", leaseEnds},
		{"a dropped lease ends at once", leaseDropped},
		{"an executor reports its process", leaseLife},
		{"when an incarnation was heard of first", leaseIncarnation},
		{"a second process at an address is refused", leaseRival},
		{"a process that comes after another one is not refused", leaseNoRival},
		{"a process that drains leaves its address to the next one", leaseDrained},
		{"since when a data folder is at an address", leaseInstance},
		{"addresses that were entered by hand", leaseManual},
		{"a lease of an address entered by hand", leaseManualRenewed},
		{"rules for addresses", leaseRewrites},
		{"an executor that drains", leaseDraining},
		{"how an executor is spoken to", leaseDialect},
		{"a dialect that a person set", leaseDialectSet},
		{"the token that an executor showed last", leaseToken},
		{"attempts that an executor was given before", leaseRunning},
		{"time limits of attempts", leaseTimeLimits},
		{"executors without an incarnation", leaseNameless},
		{"facts of executors are stored", leaseFacts},
		{"facts are removed with their executor", leaseFactsGo},
	}
}

// beat writes a lease that ends in some seconds.
func (b *bench) beat(group, address string, seconds int) job.Executor {
	b.Helper()
	e, err := b.PutLease(b.ctx(), job.Executor{
		Group: group, Address: address, LeaseUntil: b.at(seconds), RegisteredAt: b.at(seconds - 90), SeenAt: b.at(seconds - 90),
	})
	b.ok(err)
	return e
}

// alive returns the executors with a lease at an instant.
func (b *bench) alive(seconds int) []job.Executor {
	b.Helper()
	executors, err := b.Leases(b.ctx(), b.at(seconds))
	b.ok(err)
	return executors
}

func leaseRenewed(b *bench) {
	one := b.beat("b", addressTwo, 90)
	if one.GroupID == 0 {
		b.Fatal("the group has no id")
	}
	two, three := b.beat("b", addressOne, 90), b.beat("a", addressTwo, 90)
	b.same("executors", b.alive(0), []job.Executor{three, two, one})
	renewed := b.beat("b", addressTwo, 120)
	b.same("registered", renewed.RegisteredAt, one.RegisteredAt)
	b.same("executors", b.alive(0), []job.Executor{three, two, renewed})
	b.same("group", renewed.GroupID, one.GroupID)
}

func leaseFeatures(b *bench) {
	e := job.Executor{Group: "a", Address: addressOne, LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now}
	for _, features := range [][]string{{"shell", "python=3.11.2 \"β\""}, nil, {"groovy"}, {}, nil} {
		e.Features = features
		written, err := b.PutLease(b.ctx(), e)
		b.ok(err)
		e.GroupID, e.Namespace = written.GroupID, job.DefaultNamespace
		b.same("written", written, e)
		want := e
		if len(features) == 0 {
			want.Features = nil
		}
		b.same("listed", b.alive(0), []job.Executor{want})
	}
}

func leaseHandlers(b *bench) {
	announced := func(want ...job.Executor) {
		b.Helper()
		got, err := b.Announced(b.ctx(), "a", b.at(0))
		b.ok(err)
		b.same("announced", got, want)
	}
	announced()
	e := job.Executor{
		Group: "a", Address: addressOne, LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now,
		Dialect: job.DialectNative, DialectBy: job.DialectSeen, Features: []string{"shell"},
	}
	many := make([]string, job.MaxHandlers)
	for i := range many {
		many[i] = strings.Repeat("ä", 120) + strconv.Itoa(i)
	}
	for _, handlers := range [][]string{{"pay \"β\"", "report"}, {"pay \"β\"", "report"}, many, nil, {"report"}} {
		e.Handlers = handlers
		written, err := b.PutLease(b.ctx(), e)
		b.ok(err)
		e.GroupID, e.Namespace = written.GroupID, job.DefaultNamespace
		b.same("written", written, e)
		announced(job.Executor{Dialect: job.DialectNative, Features: []string{"shell"}, Handlers: handlers})
	}
	listed := e
	listed.Handlers = nil
	b.same("listed", b.alive(0), []job.Executor{listed})

	// Other groups do not count, nor those whose lease has ended, nor deregistered ones.
	b.beat("b", addressOne, 90)
	b.beat("a", addressTwo, 0)
	announced(job.Executor{Dialect: job.DialectNative, Features: []string{"shell"}, Handlers: []string{"report"}})
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	announced()
	e.Handlers = nil
	_, err := b.PutLease(b.ctx(), e)
	b.ok(err)
	announced(job.Executor{Dialect: job.DialectNative, Features: []string{"shell"}})
}

func leaseDraining(b *bench) {
	e := job.Executor{Group: "a", Address: addressOne, LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now}
	for _, draining := range []bool{true, true, false} {
		e.Draining = draining
		written, err := b.PutLease(b.ctx(), e)
		b.ok(err)
		e.GroupID, e.Namespace = written.GroupID, job.DefaultNamespace
		b.same("written", written, e)
		b.same("listed", b.alive(0), []job.Executor{e})
	}
}

func leaseEnds(b *bench) {
	b.beat("a", addressOne, 90)
	late := b.beat("a", addressTwo, 91)
	b.same("executors when one has ended", b.alive(90), []job.Executor{late})
	b.same("executors when both have", len(b.alive(91)), 0)
	again := b.beat("a", addressOne, 200)
	b.same("executors when one is back", b.alive(100), []job.Executor{again})
}

func leaseDropped(b *bench) {
	one, two := b.beat("a", addressOne, 90), b.beat("b", addressOne, 90)
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	b.same("executors", b.alive(0), []job.Executor{two})
	for _, unknown := range [][2]string{{"a", addressOne}, {"b", "http://9"}, {"nobody", addressOne}} {
		b.ok(b.DropLease(b.ctx(), unknown[0], unknown[1]))
	}
	b.same("executors", b.alive(0), []job.Executor{two})
	b.same("group of a newcomer", b.beat("a", addressOne, 90).GroupID, one.GroupID)
}

func leaseLife(b *bench) {
	e := job.Executor{
		Group: "a", Address: addressOne, RegisteredAs: "http://172.17.0.2", LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now,
		Incarnation: "f00d", StartedAt: b.at(-5), Load: &job.Load{Running: 3}, Instance: "0123456789ab",
	}
	put := func() {
		b.Helper()
		written, err := b.PutLease(b.ctx(), e)
		b.ok(err)
		e.GroupID, e.Namespace, e.IncarnationAt, e.InstanceAt = written.GroupID, job.DefaultNamespace, written.IncarnationAt, b.now
		b.same("written", written, e)
		b.same("listed", b.alive(0), []job.Executor{e})
	}
	put()
	e.RegisteredAs, e.StartedAt, e.Load = "", b.at(-1), &job.Load{Waiting: 7}
	put()
	e.Load = nil
	put()
	b.reopen()
	b.same("after a restart", b.alive(0), []job.Executor{e})
}

func leaseIncarnation(b *bench) {
	put := func(incarnation string, seconds int) job.Executor {
		b.Helper()
		e, err := b.PutLease(b.ctx(), job.Executor{
			Group: "a", Address: addressOne, LeaseUntil: b.at(seconds + 90), RegisteredAt: b.at(seconds), SeenAt: b.at(seconds),
			Incarnation: incarnation, IncarnationAt: b.at(-999),
		})
		b.ok(err)
		b.same("listed", b.alive(seconds), []job.Executor{e})
		return e
	}
	b.same("at first", put("f00d", 0).IncarnationAt, b.at(0))
	b.same("again", put("f00d", 10).IncarnationAt, b.at(0))
	b.same("another", put("two", 20).IncarnationAt, b.at(20))
	b.same("a third one", put("three", 30).IncarnationAt, b.at(30))
	b.same("none", put("", 40).IncarnationAt.IsZero(), true)
	b.same("after none", put("four", 50).IncarnationAt, b.at(50))
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	b.same("after a farewell", put("f00d", 60).IncarnationAt, b.at(60))
}

// tries sends the heartbeat of a process, whose lease lasts 25 s.
func (b *bench) tries(incarnation string, seconds int) (job.Executor, error) {
	return b.PutLease(b.ctx(), job.Executor{
		Group: "a", Address: addressOne, LeaseUntil: b.at(seconds + 25), RegisteredAt: b.at(seconds), SeenAt: b.at(seconds), Incarnation: incarnation,
	})
}

// has checks which process has the address, and since when a rival is known.
func (b *bench) has(seconds int, incarnation string, rivalAt int) {
	b.Helper()
	alive := b.alive(seconds)
	b.same("number", len(alive), 1)
	b.same("incarnation", alive[0].Incarnation, incarnation)
	var want time.Time
	if rivalAt > 0 {
		want = b.at(rivalAt)
	}
	b.same("rival", alive[0].RivalAt, want)
}

// leaseRival follows two processes that send heartbeats from one address, each every 10 s:
// the older one keeps it, also when it restarts, and the newer one has it when the older
// one has ended.
func leaseRival(b *bench) {
	beats := func(incarnation string, seconds int, refused bool) {
		b.Helper()
		_, err := b.tries(incarnation, seconds)
		if refused {
			b.kind(err, job.Conflict)
			return
		}
		b.ok(err)
	}
	beats("old", 0, false)
	beats("new", 4, false) // it may be the next process
	b.has(4, "new", 0)
	beats("old", 10, true) // one late beat proves nothing
	b.has(10, "new", 0)
	beats("new", 14, false)
	beats("old", 20, false) // the older one is alive
	b.has(20, "old", 20)
	b.same("since", b.alive(20)[0].IncarnationAt, b.at(0))
	b.same("crowded until", b.alive(20)[0].CrowdedUntil, b.at(39))
	beats("new", 24, true)
	b.has(24, "old", 24)
	beats("old again", 27, false) // the older one restarts
	beats("new", 34, true)
	beats("old again", 37, false)
	beats("new", 54, true)
	beats("new", 61, true)
	b.has(61, "old again", 61)
	beats("new", 62, false) // the older one has ended
	b.has(62, "new", 0)
	beats("new", 72, false)
	b.same("crowded when the older one is gone", b.alive(72)[0].CrowdedUntil, time.Time{})
	beats("", 73, false) // one of another make
	beats("new", 82, true)
	beats("new", 92, false)
	b.has(92, "new", 92)
	beats("", 97, true)
	b.has(97, "new", 97)
	for n := range 9 { // one process after another, each of which dies at once
		beats(fmt.Sprint("short ", n), 105+n, false)
	}
	b.same("crowded", b.alive(113)[0].CrowdedUntil, b.at(137))
}

// leaseDrained follows a process that drains while the next one has its address: it does not
// take it back.
func leaseDrained(b *bench) {
	_, err := b.tries("old", 0)
	b.ok(err)
	_, err = b.tries("new", 4)
	b.ok(err)
	for _, seconds := range []int{10, 20, 30, 40} {
		e := job.Executor{
			Group: "a", Address: addressOne, LeaseUntil: b.at(seconds + 25), RegisteredAt: b.at(seconds), SeenAt: b.at(seconds), Incarnation: "old",
			Draining: true, Holds: []int64{7}, Whole: true,
		}
		_, err = b.PutLease(b.ctx(), e)
		b.kind(err, job.Conflict)
		_, err = b.tries("new", seconds+4)
		b.ok(err)
		b.has(seconds+4, "new", 0)
	}
}

// leaseInstance checks since when a data folder is at an address.
func leaseInstance(b *bench) {
	put := func(incarnation, instance string, seconds int) (job.Executor, error) {
		return b.PutLease(b.ctx(), job.Executor{
			Group: "a", Address: addressOne, LeaseUntil: b.at(seconds + 25), RegisteredAt: b.at(seconds), SeenAt: b.at(seconds),
			Incarnation: incarnation, Instance: instance,
		})
	}
	want := func(since, crowded int, incarnation, instance string, seconds int) {
		b.Helper()
		e, err := put(incarnation, instance, seconds)
		b.ok(err)
		b.same("since", e.InstanceAt, b.at(since))
		var until time.Time
		if crowded > 0 {
			until = b.at(crowded)
		}
		b.same("crowded", e.CrowdedUntil, until)
		listed := b.alive(seconds)[0]
		b.same("since, as listed", listed.InstanceAt, e.InstanceAt)
		b.same("crowded, as listed", listed.CrowdedUntil, e.CrowdedUntil)
	}
	want(0, 0, "one", "f0", 0)
	want(0, 0, "two", "f0", 10)    // it restarts
	want(0, 0, "three", "f0", 50)  // after its lease
	want(52, 75, "four", "f1", 52) // another folder
	want(52, 75, "four", "f1", 62)
	want(70, 87, "five", "", 70)    // none
	want(80, 95, "six", "", 80)     // none is no folder
	_, err := put("four", "f1", 86) // the one before is alive
	b.kind(err, job.Conflict)
	want(52, 105, "four", "f1", 96)
}

// leaseNoRival follows processes that come one after the other, with a beat of one that
// has ended which arrives late.
func leaseNoRival(b *bench) {
	for i, incarnation := range []string{"one", "two", "three", "three", "four"} {
		_, err := b.tries(incarnation, 3*i)
		b.ok(err)
	}
	b.has(12, "four", 0)
	_, err := b.tries("three", 14)
	b.kind(err, job.Conflict)
	b.has(14, "four", 0)
	for _, seconds := range []int{22, 32} {
		_, err := b.tries("four", seconds)
		b.ok(err)
	}
	b.has(32, "four", 0)
	_, err = b.tries("five", 70)
	b.ok(err)
	_, err = b.tries("four", 80) // it has been away for longer than a lease
	b.ok(err)
}

// enter enters an address by hand.
func (b *bench) enter(group, address string, at time.Time) {
	b.Helper()
	namespace, err := b.AddAddress(b.ctx(), group, address, at)
	b.ok(err)
	b.same("namespace", namespace, job.DefaultNamespace)
}

func leaseManual(b *bench) {
	b.enter("a", addressOne, b.now)
	b.enter("a", addressOne, b.at(5))
	living := b.beat("a", addressTwo, 90)
	b.enter("a", addressTwo, b.at(5))
	living.Manual = true
	silent := job.Executor{GroupID: living.GroupID, Namespace: job.DefaultNamespace, Group: "a", Address: addressOne, Manual: true, RegisteredAt: b.now, SeenAt: b.now}
	b.same("executors", b.alive(0), []job.Executor{silent, living})
	b.same("a day later", b.alive(100_000), []job.Executor{silent, living})

	beaten := b.beat("a", addressOne, 120)
	b.same("manual", beaten.Manual, true)
	b.same("registered", beaten.RegisteredAt, b.now)
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	beaten.LeaseUntil = silent.LeaseUntil
	b.same("after a farewell", b.alive(0), []job.Executor{beaten, living})
	for _, key := range []string{"http://7", "http://8"} { // newcomers sweep the dead away
		b.beat("a", key, 300_000)
	}
	b.same("number after newcomers", len(b.alive(200_000)), 4)

	b.ok(b.RemoveAddress(b.ctx(), "a", addressOne))
	b.kind(b.RemoveAddress(b.ctx(), "a", addressOne), job.NotFound)
	b.kind(b.RemoveAddress(b.ctx(), "b", addressTwo), job.NotFound)
	b.kind(b.RemoveAddress(b.ctx(), "a", "http://7"), job.NotFound) // it registered
	b.ok(b.RemoveAddress(b.ctx(), "a", addressTwo))
	b.same("number left", len(b.alive(0)), 2)
}

func leaseManualRenewed(b *bench) {
	b.enter("a", addressOne, b.now)
	own := b.beat("a", addressTwo, 10)
	e := b.alive(0)[0]
	gone := job.Executor{GroupID: e.GroupID, Address: "http://gone"}
	renew := func(until, now int) job.Executor {
		b.Helper()
		b.ok(b.RenewManual(b.ctx(), []job.Executor{gone, own, e}, b.at(until), b.at(now)))
		return b.alive(0)[0]
	}
	e.LeaseUntil, e.SeenAt = b.at(90), b.at(1)
	b.same("renewed", renew(90, 1), e)
	b.same("not back", renew(80, 2), e)
	b.same("nobody", b.RenewManual(b.ctx(), nil, b.at(500), b.now), nil)
	b.same("one that registered", b.alive(0)[1], own)
}

func leaseRewrites(b *bench) {
	rules := func() map[string][]job.Rewrite {
		b.Helper()
		all, err := b.Rewrites(b.ctx())
		b.ok(err)
		return all
	}
	b.same("at first", len(rules()), 0)
	one := []job.Rewrite{{From: "http://172.17.", To: "http://\"gate\":{port}"}, {From: "10.0.0.0/8", To: "http://b"}}
	b.ok(b.SaveRewrites(b.ctx(), "a", one, b.now))
	b.ok(b.SaveRewrites(b.ctx(), "b", one[:1], b.now))
	b.same("saved", rules(), map[string][]job.Rewrite{"a": one, "b": one[:1]})
	b.ok(b.SaveRewrites(b.ctx(), "a", one[1:], b.now))
	b.ok(b.SaveRewrites(b.ctx(), "b", nil, b.now))
	b.same("changed", rules(), map[string][]job.Rewrite{"a": one[1:]})
	b.same("the group's id", b.beat("a", addressOne, 90).GroupID, b.beat("a", addressTwo, 90).GroupID)
}

func leaseRunning(b *bench) {
	j := b.create()
	send := func(address string) job.Attempt {
		m := b.markOf(b.trigger(j, b.now), address)
		b.same("mark", b.mark(m), []bool{true})
		return m.Attempt
	}
	const here = "http://here"
	unanswered, one, two, three, over, elsewhere := send(here), send(here), send(here), send(here), send(here), send("http://there")
	for _, a := range []job.Attempt{one, two, three, over, elsewhere} {
		b.accept(a) // at second 1
	}
	b.complete(over, job.Succeeded)
	found := func(before int, after int64, limit int) []int64 {
		b.Helper()
		attempts, err := b.RunningOn(b.ctx(), here, b.at(before), after, limit)
		b.ok(err)
		ids := make([]int64, len(attempts))
		for i, a := range attempts {
			b.same("state", a.State, job.Running)
			ids[i] = a.ID
		}
		return ids
	}
	all := []int64{one.ID, two.ID, three.ID}
	slices.Sort(all)
	b.same("all", found(2, 0, 9), all)
	b.same("a page", found(2, 0, 2), all[:2])
	b.same("the next page", found(2, all[1], 2), all[2:])
	b.same("those accepted before", len(found(1, 0, 9)), 0)
	b.same("limits", len(found(2, 0, 0))+len(found(2, 0, -1)), 0)
	b.accept(unanswered)
	b.same("with the late one", len(found(2, 0, 9)), 4)
}

func leaseTimeLimits(b *bench) {
	limited := b.create(func(j *job.Job) { j.Timeout = 90 * time.Second })
	one, two, free := b.dispatch(b.trigger(limited, b.now)), b.dispatch(b.trigger(limited, b.now)), b.dispatch(b.trigger(b.create(), b.now))
	b.accept(two)
	limits, err := b.TimeLimits(b.ctx(), []int64{one.ID, free.ID, two.ID, 777_777})
	b.ok(err)
	b.same("limits", limits, map[int64]time.Duration{one.ID: 90 * time.Second, two.ID: 90 * time.Second})
	none, err := b.TimeLimits(b.ctx(), nil)
	b.ok(err)
	b.same("limits of none", len(none), 0)
}

func leaseNameless(b *bench) {
	j := b.create()
	for _, address := range []string{"http://a", "http://b", "http://c", "http://d", "http://e"} {
		b.same("mark", b.mark(b.markOf(b.trigger(j, b.now), address)), []bool{true})
	}
	b.beat("demo", "http://a", 90)
	b.beat("demo", "http://b", 10)
	_, err := b.PutLease(b.ctx(), job.Executor{
		Group: "demo", Address: "http://c", LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now, Incarnation: "x",
	})
	b.ok(err)
	b.beat("demo", "http://e", 90)
	b.beat("demo", "http://f", 90) // without attempts
	next := func(after string, seconds int) string {
		b.Helper()
		address, err := b.NextNameless(b.ctx(), after, b.at(seconds))
		b.ok(err)
		return address
	}
	b.same("first", next("", 0), "http://a")
	b.same("second", next("http://a", 0), "http://b")
	b.same("second when its lease has ended", next("http://a", 10), "http://e")
	b.same("third", next("http://b", 0), "http://e")
	b.same("last", next("http://e", 0), "")
	named := func(after string, seconds int) string {
		b.Helper()
		address, err := b.NextNamed(b.ctx(), after, b.at(seconds))
		b.ok(err)
		return address
	}
	b.same("the one with an incarnation", named("", 0), "http://c")
	b.same("behind it", named("http://c", 0), "")
	b.same("when its lease has ended", named("", 90), "")
}
