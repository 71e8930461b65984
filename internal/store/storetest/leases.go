package storetest

import (
	"github.com/orthd/orth/job"
)

func leaseTests() []test {
	return []test{
		{"a lease is written and renewed", leaseRenewed},
		{"features are those of the last beat", leaseFeatures},
		{"leases that have ended are not listed", leaseEnds},
		{"a dropped lease ends at once", leaseDropped},
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
	one := b.beat("b", "http://2", 90)
	if one.GroupID == 0 {
		b.Fatal("the group has no id")
	}
	two, three := b.beat("b", "http://1", 90), b.beat("a", "http://2", 90)
	b.same("executors", b.alive(0), []job.Executor{three, two, one})
	renewed := b.beat("b", "http://2", 120)
	b.same("registered", renewed.RegisteredAt, one.RegisteredAt)
	b.same("executors", b.alive(0), []job.Executor{three, two, renewed})
	b.same("group", renewed.GroupID, one.GroupID)
}

func leaseFeatures(b *bench) {
	e := job.Executor{Group: "a", Address: "http://1", LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now}
	for _, features := range [][]string{{"shell", "python=3.11.2 \"β\""}, nil, {"groovy"}, {}, nil} {
		e.Features = features
		written, err := b.PutLease(b.ctx(), e)
		b.ok(err)
		e.GroupID = written.GroupID
		b.same("written", written, e)
		want := e
		if len(features) == 0 {
			want.Features = nil
		}
		b.same("listed", b.alive(0), []job.Executor{want})
	}
}

func leaseEnds(b *bench) {
	b.beat("a", "http://1", 90)
	late := b.beat("a", "http://2", 91)
	b.same("executors when one has ended", b.alive(90), []job.Executor{late})
	b.same("executors when both have", len(b.alive(91)), 0)
	again := b.beat("a", "http://1", 200)
	b.same("executors when one is back", b.alive(100), []job.Executor{again})
}

func leaseDropped(b *bench) {
	one, two := b.beat("a", "http://1", 90), b.beat("b", "http://1", 90)
	b.ok(b.DropLease(b.ctx(), "a", "http://1"))
	b.same("executors", b.alive(0), []job.Executor{two})
	for _, unknown := range [][2]string{{"a", "http://1"}, {"b", "http://9"}, {"nobody", "http://1"}} {
		b.ok(b.DropLease(b.ctx(), unknown[0], unknown[1]))
	}
	b.same("executors", b.alive(0), []job.Executor{two})
	b.same("group of a newcomer", b.beat("a", "http://1", 90).GroupID, one.GroupID)
}
