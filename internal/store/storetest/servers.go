package storetest

import (
	"fmt"
	"time"

	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/job"
)

func serverTests() []test {
	return []test{
		{"a server is as it reported last", serverBeats},
		{"a later life takes the name over", serverLives},
		{"a server drains when another one works", serverDrains},
		{"servers at work are reported", serversAtWork},
		{"one server leads", serverLeads},
		{"a lost server is reported", serverLost},
		{"lost servers are forgotten", serversPruned},
		{"the database's clock runs", serverClock},
		{"what has changed can be read from a place on", changesRead},
	}
}

// Watched reports a watcher, from the beginning on.
func Watched() (time.Time, bool) { return time.Time{}, true }

// beatOf is a beat of a server's first life.
func (b *bench) beatOf(name string) cluster.Beat {
	return cluster.Beat{
		Name: name, Life: name + "-1", Address: "http://" + name, Version: "1.2.3", StartedAt: b.now, Figures: `{"held":1}`, For: time.Minute,
	}
}

// beats sends a beat.
func (b *bench) beats(beat cluster.Beat) cluster.Heard {
	b.Helper()
	heard, err := b.BeatServer(b.ctx(), beat)
	b.ok(err)
	return heard
}

// theServer returns the row of a server.
func (b *bench) theServer(name string) cluster.Row {
	b.Helper()
	rows, err := b.Servers(b.ctx())
	b.ok(err)
	for _, r := range rows {
		if r.Name == name {
			return r
		}
	}
	b.Fatalf("there is no server %s among %+v", name, rows)
	return cluster.Row{}
}

func serverBeats(b *bench) {
	beat := b.beatOf("one:1")
	beat.Watching = time.Minute
	heard := b.beats(beat)
	if heard.Taken != "" || heard.Draining || heard.Leads || heard.At.IsZero() {
		b.Errorf("heard %+v", heard)
	}
	want := cluster.Row{
		Name: beat.Name, Life: beat.Life, Address: beat.Address, Version: beat.Version, StartedAt: beat.StartedAt, Figures: beat.Figures,
		BeatAt: heard.At, LeaseUntil: heard.At.Add(beat.For), WatchingUntil: heard.Watched,
	}
	b.same("row", b.theServer("one:1"), want)
	beat.Figures, beat.Version, beat.Watching = `{}`, "1.3", 0
	heard = b.beats(beat)
	want.Figures, want.Version, want.BeatAt, want.LeaseUntil, want.WatchingUntil = `{}`, "1.3", heard.At, heard.At.Add(beat.For), time.Time{}
	b.same("row", b.theServer("one:1"), want)
	b.ok(b.LeaveServer(b.ctx(), beat.Name, "another"))
	b.same("row", b.theServer("one:1"), want)
	b.ok(b.LeaveServer(b.ctx(), beat.Name, beat.Life))
	if r := b.theServer("one:1"); r.StoppedAt.IsZero() || r.StoppedAt.Before(want.BeatAt) || r.LeaseUntil != r.StoppedAt {
		b.Errorf("stopped: %+v", r)
	}
}

func serverLives(b *bench) {
	first := b.beatOf("one:1")
	b.beats(first)
	b.beats(b.beatOf("two:1"))
	b.ok(b.DrainServer(b.ctx(), "one:1", true))
	later := first
	later.Life, later.StartedAt, later.Address = "one:1-2", b.at(1), "http://later"
	if heard := b.beats(later); heard.Taken != "" || heard.Draining {
		b.Errorf("the later life heard %+v", heard)
	}
	if heard := b.beats(first); heard.Taken != "http://later" {
		b.Errorf("the first life heard %+v", heard)
	}
	if r := b.theServer("one:1"); r.Life != later.Life || r.Draining {
		b.Errorf("row %+v", r)
	}
	// When the later one is over the name is free.
	b.ok(b.LeaveServer(b.ctx(), later.Name, later.Life))
	if heard := b.beats(first); heard.Taken != "" || b.theServer("one:1").Life != first.Life {
		b.Errorf("the first life heard %+v", heard)
	}
}

func serverDrains(b *bench) {
	one, two := b.beatOf("one:1"), b.beatOf("two:1")
	b.beats(one)
	b.kind(b.DrainServer(b.ctx(), "three:1", true), job.NotFound)
	b.kind(b.DrainServer(b.ctx(), "one:1", true), job.Conflict) // it is the only one
	b.beats(two)
	b.ok(b.DrainServer(b.ctx(), "one:1", true))
	b.ok(b.DrainServer(b.ctx(), "one:1", true))
	if heard := b.beats(one); !heard.Draining || !b.theServer("one:1").Draining {
		b.Errorf("drained: heard %+v", heard)
	}
	b.kind(b.DrainServer(b.ctx(), "two:1", true), job.Conflict) // none would be left
	b.ok(b.DrainServer(b.ctx(), "one:1", false))
	if heard := b.beats(one); heard.Draining {
		b.Errorf("resumed: heard %+v", heard)
	}
	b.ok(b.LeaveServer(b.ctx(), two.Name, two.Life))
	b.kind(b.DrainServer(b.ctx(), "two:1", true), job.Conflict) // it has ended
	b.kind(b.DrainServer(b.ctx(), "one:1", true), job.Conflict) // alone again
}

func serversAtWork(b *bench) {
	b.same("the first", b.beats(b.beatOf("two")).Working, []string{"two"})
	b.same("in order of name", b.beats(b.beatOf("one")).Working, []string{"one", "two"})
	b.ok(b.DrainServer(b.ctx(), "one", true))
	b.same("one that drains does not", b.beats(b.beatOf("one")).Working, []string{"two"})
	b.ok(b.DrainServer(b.ctx(), "one", false))
	brief := b.beatOf("three")
	brief.For = 0
	b.beats(brief)
	stops := b.beatOf("two")
	stops.Stops = true
	b.same("nor one that stops", b.beats(stops).Working, []string{"one"})
	b.same("it drains", b.theServer("two").Draining, true)
	b.ok(b.LeaveServer(b.ctx(), "two", "two-1"))
	b.same("nor one that is gone, or has stopped", b.beats(b.beatOf("one")).Working, []string{"one"})
}

func serverLeads(b *bench) {
	one, two := b.beatOf("one:1"), b.beatOf("two:1")
	one.Lead, two.Lead = true, true
	check := func(what string, beat cluster.Beat, leads bool, term int64) {
		b.Helper()
		if heard := b.beats(beat); heard.Leads != leads || heard.Term != term {
			b.Errorf("%s: heard %+v, want %t in term %d", what, heard, leads, term)
		}
	}
	check("the first", one, true, 1)
	check("the second", two, false, 1)
	check("the first again", one, true, 1)
	one.Lead = false // it drains
	check("who gives it up", one, false, 1)
	check("who waited", two, true, 2)
	one.Lead = true
	check("who wants it back", one, false, 2)
	b.ok(b.LeaveServer(b.ctx(), two.Name, two.Life))
	check("who outlives", one, true, 3)
	brief := b.beatOf("three:1")
	brief.Lead, brief.For = true, time.Millisecond
	one.For = time.Millisecond
	check("for a moment", one, true, 3)
	for heard := b.beats(brief); !heard.Leads; heard = b.beats(brief) { // the moment ends without help
		if heard.Term != 3 {
			b.Fatalf("heard %+v", heard)
		}
	}
}

func serverLost(b *bench) {
	one := b.beatOf("one:1")
	b.same("alone", b.beats(one).Lost.IsZero(), true)
	b.beats(b.beatOf("two:1"))
	b.ok(b.LeaveServer(b.ctx(), "two:1", "two:1-1"))
	b.same("after a farewell", b.beats(one).Lost.IsZero(), true)
	brief := b.beatOf("three:1")
	brief.For = time.Millisecond
	b.beats(brief)
	heard := b.beats(one)
	for ; heard.Lost.IsZero(); heard = b.beats(one) { // the moment ends without help
	}
	b.same("gone", heard.Lost.Equal(b.theServer("three:1").LeaseUntil), true)
	b.beats(b.beatOf("three:1"))
	b.same("when it is back", b.beats(one).Lost.IsZero(), true)
}

func serversPruned(b *bench) {
	b.beats(b.beatOf("one:1"))
	heard := b.beats(b.beatOf("two:1"))
	b.ok(b.PruneServers(b.ctx(), heard.At.Add(-time.Hour), heard.At.Add(-time.Hour)))
	rows, err := b.Servers(b.ctx())
	b.ok(err)
	b.same("servers", len(rows), 2)
	b.ok(b.PruneServers(b.ctx(), heard.At.Add(30*time.Second), heard.At)) // their leases are longer
	b.same("alive", b.theServer("two:1").Name, "two:1")
	b.ok(b.PruneServers(b.ctx(), heard.At.Add(time.Hour), heard.At))
	rows, err = b.Servers(b.ctx())
	b.ok(err)
	b.same("servers", len(rows), 0)
}

func serverClock(b *bench) {
	at, err := b.Now(b.ctx())
	b.ok(err)
	if off := time.Since(at); off < -time.Second || off > 10*time.Second {
		b.Errorf("the database's clock is %s, %s ago", at, off)
	}
}

func changesRead(b *bench) {
	b.beats(b.beatOf("one:1"))
	from, err := b.WatchChanges(b.ctx(), "one:1", time.Minute)
	b.ok(err)
	if from < 1 {
		b.Errorf("watching begins behind %d", from)
	}
	again, err := b.WatchChanges(b.ctx(), "one:1", time.Minute)
	b.ok(err)
	b.same("who comes second begins at the same place", again, from)
	if b.theServer("one:1").WatchingUntil.IsZero() {
		b.Error("the watcher is not known")
	}
	j := b.after()
	r := b.fire(j, b.now)
	rows, whole, err := b.ChangesAfter(b.ctx(), from, 100)
	b.ok(err)
	var told []string
	for i, r := range rows {
		if r.ID != from+int64(i)+1 || r.At.IsZero() {
			b.Errorf("row %d is %d, of %s", i, r.ID, r.At)
		}
		for _, c := range r.Changes {
			told = append(told, fmt.Sprint(c.Kind, " ", c.ID, " ", c.Became, c.State))
		}
	}
	want := []string{fmt.Sprint(event.Job, " ", j.ID, " ", event.Saved), fmt.Sprint(event.Run, " ", r.ID, " ", event.Created, job.Planned)}
	b.same("told", told, want)
	b.same("whole", whole, true)
	last := rows[len(rows)-1].ID
	b.ok(b.PruneServers(b.ctx(), b.now, time.Now().Add(time.Hour)))
	rows, whole, err = b.ChangesAfter(b.ctx(), from, 100)
	b.ok(err)
	b.same("the last one is kept", len(rows) == 1 && rows[0].ID == last && !whole, true)
}
