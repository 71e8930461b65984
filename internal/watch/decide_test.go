package watch

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/alarm"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

const every = 10 * time.Second

func group(id int64) alarm.Event {
	return alarm.Event{Namespace: "default", GroupID: id, Group: fmt.Sprintf("g%d", id)}
}

func jobEvent(id int64) alarm.Event {
	e := group(1)
	e.JobID, e.JobKey = id, fmt.Sprintf("j%d", id)
	return e
}

func late(jobID, run int64, since time.Duration) Waiting {
	return Waiting{RunID: run, JobID: jobID, DueAt: ago(since), PlannedAt: ago(since)}
}

// lines says what changes tell, and what becomes of their rows.
func lines(changes []Change) []string {
	var all []string
	for _, c := range changes {
		row := "stays"
		switch {
		case c.Over:
			row = "goes"
		case c.Was.IsZero():
			row = "comes"
		}
		text := "nothing"
		if c.Tell != nil {
			text = fmt.Sprintf("%s of %d, run %d, %d, since %s ago", c.Tell.Source, c.Said.Subject(), c.Tell.RunID, c.Tell.Count, now.Sub(c.Tell.Since))
		}
		all = append(all, row+": "+text)
	}
	return all
}

func told(source alarm.Source, e alarm.Event, run int64, since, toldAgo time.Duration) Said {
	e.Source, e.RunID, e.Since, e.At = source, run, ago(since), ago(toldAgo)
	return Said{Event: e, ToldAt: ago(toldAgo)}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	for _, c := range []struct {
		name string
		said []Said
		see  sight
		calm bool
		want []string
	}{
		{name: "nothing"},
		{
			name: "a job is late", see: sight{late: map[int64]Waiting{3: late(3, 30, minute)}, jobs: map[int64]alarm.Event{3: jobEvent(3)}},
			want: []string{"comes: late of 3, run 30, 0, since 1m0s ago"},
		},
		{name: "one that nobody asks for is late", see: sight{late: map[int64]Waiting{3: late(3, 30, minute)}}},
		{
			name: "just started", calm: true,
			see: sight{late: map[int64]Waiting{3: late(3, 30, minute)}, jobs: map[int64]alarm.Event{3: jobEvent(3)}, down: []alarm.Event{group(1)}, piled: []pile{{group(2), 7, false}}},
		},
		{
			name: "late for long", said: []Said{told(alarm.SourceLate, jobEvent(3), 30, minute, minute)},
			see: sight{late: map[int64]Waiting{3: late(3, 30, minute)}},
		},
		{
			name: "another run is late now", said: []Said{told(alarm.SourceLate, jobEvent(3), 29, 2*minute, minute)},
			see: sight{late: map[int64]Waiting{3: late(3, 30, minute)}}, want: []string{"stays: nothing"},
		},
		{
			name: "it has begun", said: []Said{told(alarm.SourceLate, jobEvent(3), 30, 2*minute, minute)}, calm: true,
			want: []string{"goes: begun of 3, run 30, 0, since 2m0s ago"},
		},
		{
			name: "it is behind too many others", said: []Said{told(alarm.SourceLate, jobEvent(3), 30, 2*minute, minute)},
			see: sight{cut: true, waits: map[int64]bool{30: true}},
		},
		{
			name: "runs pile up", see: sight{piled: []pile{{group(2), 700, true}}},
			want: []string{"comes: waiting of 2, run 0, 700, since 0s ago"},
		},
		{
			name: "they still do", said: []Said{told(alarm.SourceWaiting, group(2), 0, minute, every)}, see: sight{piled: []pile{{group(2), 800, true}}},
			want: []string{"stays: waiting of 2, run 0, 800, since 1m0s ago"},
		},
		{
			name: "another server has just said so", said: []Said{told(alarm.SourceWaiting, group(2), 0, minute, every/2)},
			see: sight{piled: []pile{{group(2), 800, true}}},
		},
		{
			name: "no more", said: []Said{told(alarm.SourceWaiting, group(2), 0, minute, every)},
			want: []string{"goes: waiting of 2, run 0, 0, since 1m0s ago"},
		},
		{
			name: "groups without executors", said: []Said{told(alarm.SourceDown, group(2), 0, minute, minute), told(alarm.SourceDown, group(3), 0, minute, minute)},
			see:  sight{down: []alarm.Event{group(1), group(2)}},
			want: []string{"goes: up of 3, run 0, 0, since 1m0s ago", "comes: down of 1, run 0, 0, since 0s ago"},
		},
		{
			name: "a job and a group with the same number",
			see:  sight{late: map[int64]Waiting{2: late(2, 30, minute)}, jobs: map[int64]alarm.Event{2: jobEvent(2)}, down: []alarm.Event{group(2)}},
			want: []string{"comes: down of 2, run 0, 0, since 0s ago", "comes: late of 2, run 30, 0, since 1m0s ago"},
		},
	} {
		if diff := cmp.Diff(c.want, lines(decide(c.said, c.see, now, every, c.calm))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Every event has a reason that people can read, and the names of what it is about.
func TestEventsSayWhy(t *testing.T) {
	t.Parallel()
	see := sight{
		late: map[int64]Waiting{3: late(3, 30, time.Minute)}, jobs: map[int64]alarm.Event{3: jobEvent(3)},
		piled: []pile{{group(2), 7, false}}, down: []alarm.Event{group(4)},
	}
	begun := decide(nil, see, now, every, false)
	var said []Said
	var got []string
	for _, c := range begun {
		said = append(said, c.Said)
		got = append(got, c.Tell.Reason)
	}
	for _, c := range decide(said, sight{}, now.Add(90*time.Second), every, false) {
		got = append(got, c.Tell.Reason)
		if !c.Over || c.Tell.Namespace != "default" || c.Tell.Group == "" || !c.Tell.At.Equal(now.Add(90*time.Second)) {
			t.Errorf("%+v", c)
		}
	}
	want := []string{
		"group g4 has no executor, and jobs that are started",
		"run 30 is due since 2026-03-01T11:59:00Z, and no executor has begun it",
		"7 runs of group g2 wait although they are due",
		"group g4 has an executor, or no jobs that are started, after 1m30s",
		"no run of the job is late any more; the last one, run 30, was due at 2026-03-01T11:59:00Z",
		"the runs of group g2 do not pile up any more, after 1m30s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// Whatever is seen, in whatever order: nothing is told twice in a row, nothing ends
// that was not told, and when nothing is wrong any more nothing is remembered.
func TestDecideTellsBeginAndEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		memory := map[subject]Said{}
		open := map[subject]bool{}
		at := now
		step := func(see sight, calm bool) {
			at = at.Add(every)
			said := slices.Collect(maps.Values(memory))
			for _, c := range decide(said, see, at, every, calm) {
				key := subject{c.Said.Event.Source, c.Said.Subject()}
				if was, there := memory[key]; there == c.Was.IsZero() || there && !was.ToldAt.Equal(c.Was) {
					t.Fatalf("%v: a change from %s of what was told at %s", key, c.Was, was.ToldAt)
				}
				if calm && c.Was.IsZero() {
					t.Fatalf("%v begins right after a start", key)
				}
				delete(memory, key)
				if !c.Over {
					memory[key] = c.Said
				}
				open[key] = !c.Over
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			see := sight{late: map[int64]Waiting{}, jobs: map[int64]alarm.Event{}, waits: map[int64]bool{}}
			for id := range int64(4) {
				switch rapid.IntRange(0, 4).Draw(t, "job") {
				case 0:
					see.late[id] = late(id, rapid.Int64Range(1, 3).Draw(t, "run"), time.Minute)
					see.jobs[id] = jobEvent(id)
				case 1:
					see.piled = append(see.piled, pile{group(id), 9, false})
				case 2:
					see.down = append(see.down, group(id))
				}
			}
			step(see, rapid.Bool().Draw(t, "calm"))
		}
		step(sight{}, true)
		if len(memory) > 0 {
			t.Fatalf("still remembered: %v", memory)
		}
		for key, lasts := range open {
			if lasts {
				t.Fatalf("%v was never said to be over", key)
			}
		}
	})
}
