package news_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/feed"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/job"
)

// A reader gets each state of a run, in order and soon.
func TestRuns(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		w.Tell(ran(1, job.Running)) // nobody reads
		r := w.Read(t.Context(), "")
		defer r.Close()
		w.Tell(append([]news.Change{{Kind: news.Run, Became: news.Created, ID: 2, State: job.Planned}}, ran(2, job.Dispatched, job.Running)...))
		w.Tell(ran(2, job.Succeeded))
		got, lost := read(t, r, 200*time.Millisecond)
		want := []string{"run created", "run dispatched", "run running", "run succeeded"}
		if diff := cmp.Diff(want, got); diff != "" || lost != feed.None {
			t.Errorf("%v (-want +got)\n%s", lost, diff)
		}
		if w.names.asked != 1 {
			t.Errorf("the names of %d runs were read", w.names.asked)
		}
	})
}

// Many readers are woken more seldom than few, so that what they cost does not grow with
// them; what comes in a crowd waits for none of that.
func TestPace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		readers   int
		each      int           // changes told at once
		every     time.Duration // how often
		min, most int           // wakes in 10 s
	}{
		{readers: 1, each: 1, every: 5 * time.Millisecond, min: 150, most: 201},
		{readers: 25, each: 1, every: 5 * time.Millisecond, min: 150, most: 201},
		{readers: 100, each: 1, every: 5 * time.Millisecond, min: 45, most: 51},
		{readers: 1000, each: 1, every: 5 * time.Millisecond, min: 18, most: 21},
		{readers: 1000, each: 60, every: 5 * time.Millisecond, min: 150, most: 201},
		{readers: 1000, each: 1, every: 2 * time.Second, min: 5, most: 6},
	} {
		t.Run(fmt.Sprintf("%d readers, %d each %s", c.readers, c.each, c.every), func(t *testing.T) {
			inWorld(t, news.Config{}, func(t *testing.T, w *world) {
				t.Helper()
				readers := make([]*news.Reader, c.readers)
				for i := range readers {
					readers[i] = w.Read(t.Context(), "")
				}
				defer func() {
					for _, r := range readers {
						r.Close()
					}
				}()
				time.Sleep(2 * time.Second)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				var telling sync.WaitGroup
				telling.Go(func() {
					for ctx.Err() == nil {
						w.Tell(ran(1, slices.Repeat([]job.State{job.Running}, c.each)...))
						time.Sleep(c.every)
					}
				})
				wakes := 0
				for at := (time.Time{}); ; {
					_, lost, err := readers[0].Next(ctx, nil)
					if err != nil {
						break
					}
					if now := time.Now(); now.After(at) { // what more there is comes at the same instant
						wakes, at = wakes+1, now
					}
					if lost != feed.None {
						t.Errorf("%+v: a reader that keeps up is told that it does not: %v", c, lost)
					}
				}
				telling.Wait()
				if wakes < c.min || wakes > c.most {
					t.Errorf("%+v: woken %d times", c, wakes)
				}
			})
		})
	}
}

// What happens by itself is told at once, however many read.
func TestPromptly(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		crowd := make([]*news.Reader, 500)
		for i := range crowd {
			crowd[i] = w.Read(t.Context(), "")
		}
		defer func() {
			for _, r := range crowd {
				r.Close()
			}
		}()
		r := w.Read(t.Context(), "")
		defer r.Close()
		time.Sleep(time.Minute)
		began := time.Now()
		w.Tell(ran(1, job.Running))
		items, _, err := r.Next(t.Context(), nil)
		if took := time.Since(began); err != nil || len(items) != 1 || took > 50*time.Millisecond {
			t.Errorf("%d items after %s, %v", len(items), took, err)
		}
		if want := w.ID(r.After()); items[0].ID != want {
			t.Errorf("its id is %s, not %s", items[0].ID, want)
		}
	})
}

// What a change says is told, cut to what fits; a run that is gone is not.
func TestTold(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		w.names.gone = map[int64]bool{9: true}
		r := w.Read(t.Context(), "")
		defer r.Close()
		w.Tell([]news.Change{
			{Kind: news.Run, ID: 9, State: job.Lost},
			{Kind: news.Run, ID: 3, State: job.Failed, Attempt: 5, Reason: "why", Message: strings.Repeat("x", 1000)},
		})
		items, _, err := r.Next(t.Context(), nil)
		if err != nil || len(items) != 1 {
			t.Fatalf("%d items, %v", len(items), err)
		}
		e := items[0]
		if e.Run.ID != 3 || !e.Run.Final || e.Run.AttemptID != 5 || e.Run.Reason != "why" || len(e.Run.Message) > 300 ||
			e.Job.Key != "j" || e.Job.ID != 1 || e.Run.Cause != job.CauseManual || e.At.IsZero() || strings.Contains(string(e.Text), "\n") {
			t.Errorf("told %s", e.Text)
		}
	})
}

// A run is told as it stood at each change, though its row is ahead.
func TestStood(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		r := w.Read(t.Context(), "")
		defer r.Close()
		changes := []news.Change{
			{Kind: news.Run, Became: news.Created, ID: 2, State: job.Planned},
			{Kind: news.Run, ID: 2, State: job.Dispatched, Attempt: 4},
			{Kind: news.Run, ID: 2, State: job.Dispatched, Attempt: 5},
			{Kind: news.Run, ID: 2, State: job.Running, Attempt: 5},
			{Kind: news.Run, ID: 2, State: job.Cancelled},
		}
		w.Tell(changes)
		items, _, err := r.Next(t.Context(), nil)
		if err != nil || len(items) != len(changes) {
			t.Fatalf("%d items, %v", len(items), err)
		}
		for i, want := range []struct {
			executor       string
			started, ended bool
		}{{}, {}, {"http://e", false, false}, {"http://e", true, false}, {"", true, true}} {
			e := items[i].Run
			if e.Executor != want.executor || e.StartedAt.IsZero() == want.started || e.EndedAt.IsZero() == want.ended {
				t.Errorf("%d: told %s", i, items[i].Text)
			}
		}
	})
}

func TestJobsAndAlarms(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		r := w.Read(t.Context(), "")
		defer r.Close()
		about := &news.About{Namespace: "n", Group: "g", Rule: "r", Severity: "warning"}
		w.Tell([]news.Change{
			{Kind: news.Job, Became: news.Stopped, ID: 4},
			{Kind: news.Job, Became: news.Saved, ID: 4, About: &news.About{Namespace: "n", Group: "h", JobID: 4, JobKey: "k"}},
			{Kind: news.Alarm, Became: news.Fires, ID: 6, About: about},
		})
		items, _, _ := r.Next(t.Context(), nil)
		if len(items) != 3 {
			t.Fatalf("%d items", len(items))
		}
		if e := items[0]; e.Job.ID != 4 || e.Job.Key != "j" || e.Change != news.Stopped {
			t.Errorf("a job that is known by its id: %s", e.Text)
		}
		if e := items[1]; e.On.Group != "h" || e.Job.Key != "k" {
			t.Errorf("a job that was saved: %s", e.Text)
		}
		if e := items[2]; e.Alarm.ID != 6 || e.Alarm.Rule != "r" || e.On.Namespace != "n" || e.Job != nil {
			t.Errorf("an alarm: %s", e.Text)
		}
	})
}

// A run is where its job has moved as soon as that is told.
func TestMoved(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		r := w.Read(t.Context(), "")
		defer r.Close()
		w.Tell(ran(1, job.Running))
		_, _ = read(t, r, time.Second/2)
		w.names.mu.Lock()
		w.names.group = "secret"
		w.names.mu.Unlock()
		w.Tell([]news.Change{{Kind: news.Job, Became: news.Saved, ID: 1, About: &news.About{Namespace: "default", Group: "secret", JobID: 1}}})
		w.Tell(ran(1, job.Failed))
		for {
			items, _, err := r.Next(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range items {
				if it.On.Group != "secret" {
					t.Fatalf("told where it was: %s", it.Text)
				}
				if it.Run != nil {
					return
				}
			}
		}
	})
}

// Who comes back gets what was told meanwhile; who comes from elsewhere is told so.
func TestResume(t *testing.T) {
	inWorld(t, news.Config{Linger: time.Minute, Keep: 4}, func(t *testing.T, w *world) {
		t.Helper()
		r := w.Read(t.Context(), "")
		w.Tell(ran(1, job.Running))
		_, _ = read(t, r, time.Second)
		at := w.ID(r.After())
		r.Close()
		r.Close() // twice is once
		w.Tell(ran(1, job.Failed))
		time.Sleep(30 * time.Second)
		back := w.Read(t.Context(), at)
		if got, _ := read(t, back, time.Second); !back.Resumed || back.Reset != "" || len(got) != 1 || got[0] != "run failed" {
			t.Errorf("who came back got %v, resumed %t", got, back.Resumed)
		}
		w.Tell(ran(1, job.Running, job.Running, job.Running, job.Running))
		synctest.Wait()
		time.Sleep(time.Second)
		for id, want := range map[string]string{
			"": "", "nonsense": news.ResetRestarted, "1-1": news.ResetRestarted, w.Epoch() + "-99": news.ResetRestarted, at: news.ResetExpired,
		} {
			other := w.Read(t.Context(), id)
			if other.Reset != want || other.Resumed {
				t.Errorf("after %q: %q, resumed %t", id, other.Reset, other.Resumed)
			}
			other.Close()
		}
		back.Close()
		time.Sleep(2 * time.Minute) // nobody reads: nothing is kept
		w.Tell(ran(1, job.Succeeded))
		last := w.Read(t.Context(), at)
		if last.Reset != news.ResetExpired {
			t.Errorf("long after: %q", last.Reset)
		}
		last.Close()
	})
}

// What cannot be told one by one is told as missed, and what comes next goes on.
func TestGaps(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		r := w.Read(t.Context(), "")
		defer r.Close()
		w.names.away = true
		w.Tell(ran(1, job.Running))
		if _, lost := read(t, r, time.Second); lost != feed.Gap {
			t.Errorf("names that cannot be read: %v", lost)
		}
		w.names.mu.Lock()
		w.names.away = false
		w.names.mu.Unlock()
		w.Tell([]news.Change{{Kind: news.Many}})
		if _, lost := read(t, r, time.Second); lost != feed.Gap {
			t.Errorf("many at once: %v", lost)
		}
		w.Tell(make([]news.Change, 70_000))
		if _, lost := read(t, r, time.Second); lost != feed.Gap {
			t.Errorf("more than can wait: %v", lost)
		}
		w.Tell(ran(1, job.Succeeded))
		if got, lost := read(t, r, time.Second); len(got) != 1 || lost != feed.None {
			t.Errorf("later: %v, %v", got, lost)
		}
	})
}

func TestExecutors(t *testing.T) {
	inWorld(t, news.Config{}, func(t *testing.T, w *world) {
		t.Helper()
		in := func(d time.Duration) time.Time { return time.Now().Add(d) }
		a := job.Executor{Group: "g", Address: "http://a", LeaseUntil: in(time.Hour)}
		w.fleet.set(a)
		r := w.Read(t.Context(), "")
		defer r.Close()
		if got, _ := read(t, r, 3*time.Second); len(got) != 0 {
			t.Errorf("those that were there before are told: %v", got)
		}
		b := job.Executor{Group: "g", Address: "http://b", LeaseUntil: in(10 * time.Second)}
		late := job.Executor{Group: "g", Address: "http://b", LeaseUntil: in(8 * time.Second)}
		a.Draining = true
		told := a
		told.Draining, told.Kind, told.FactsAt = true, "solana", in(0)
		for i, step := range []struct {
			all  []job.Executor
			want []string
		}{
			{[]job.Executor{a, b}, []string{"executor drains", "executor came"}},
			{[]job.Executor{a, b}, nil},
			{[]job.Executor{a}, []string{"executor gone"}},
			{[]job.Executor{a, late}, []string{"executor came"}},
			{[]job.Executor{a, late}, []string{"executor silent"}},
			{[]job.Executor{a}, nil},
			{[]job.Executor{a, {Group: "g", Address: "http://c", Manual: true, Unreachable: "no"}}, []string{"executor silent"}},
			{nil, []string{"executor gone", "executor gone"}},
			{[]job.Executor{told}, []string{"executor drains", "executor facts"}},
			{[]job.Executor{told}, nil},
			{nil, []string{"executor gone"}},
		} {
			w.fleet.set(step.all...)
			w.Look()
			got, _ := read(t, r, 1500*time.Millisecond)
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("step %d (-want +got)\n%s", i, diff)
			}
			for i == 3 && late.LeaseUntil.After(time.Now()) {
				time.Sleep(200 * time.Millisecond)
			}
		}
	})
}

// BenchmarkNobody is what news cost the store's writer while nobody reads.
func BenchmarkNobody(b *testing.B) {
	n := news.New(news.Config{Store: &names{}, Executors: &fleet{}, Started: time.Now()})
	changes := ran(1, job.Running, job.Succeeded)
	b.ReportAllocs()
	for b.Loop() {
		n.Tell(changes)
	}
}
