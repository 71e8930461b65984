package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/thread"
)

// model is what a ledger does, as plainly as possible.
type model struct {
	tasks    map[ID]*modelTask
	executed map[ID]bool
	total    Account
	threads  map[thread.Key]Account
}

type modelTask struct {
	thread thread.Key
	count  uint64
	place  Place
	tries  int
	flies  bool
}

func (m *model) offer(n byte, count uint64) Answer {
	id := IDOf(key(n), count, false, 0)
	if m.tasks[id] != nil || m.executed[id] {
		return Known
	}
	for _, t := range m.tasks {
		if t.thread == key(n) && t.place != Dead && t.count > count {
			return Late
		}
	}
	for other, t := range m.tasks {
		if t.thread == key(n) && t.place == Scheduled {
			delete(m.tasks, other)
		}
	}
	m.tasks[id] = &modelTask{thread: key(n), count: count, place: Scheduled}
	return Added
}

func (m *model) pay(key thread.Key, c Cost) {
	m.total = m.total.plus(c)
	a := m.threads[key].plus(c)
	a.Thread = key
	m.threads[key] = a
}

func (m *model) live(id ID) *modelTask {
	if t := m.tasks[id]; t != nil && t.place != Dead {
		return t
	}
	return nil
}

// Random operations, with restarts between, leave the ledger as they leave a map.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		backend := kept{mem.New()}
		l, stop := run(t, backend, Config{})
		defer func() { stop() }()
		m := &model{tasks: map[ID]*modelTask{}, executed: map[ID]bool{}, threads: map[thread.Key]Account{}}
		for range rapid.IntRange(1, 40).Draw(rt, "operations") {
			step(rt, l, m)
			if rapid.IntRange(0, 9).Draw(rt, "restart") == 0 {
				stop()
				l, stop = run(t, backend, Config{})
			}
			compare(rt, l, m)
		}
	})
}

func step(rt *rapid.T, l *Ledger, m *model) {
	ctx := rt.Context()
	n := byte(rapid.IntRange(0, 2).Draw(rt, "thread"))
	count := rapid.Uint64Range(0, 3).Draw(rt, "count")
	id := IDOf(key(n), count, false, 0)
	f := flight(n)
	tries := rapid.IntRange(0, 3).Draw(rt, "tries")
	want := job.Kind("")
	var err error
	switch what := rapid.SampledFrom([]string{"offer", "offer", "start", "start", "postpone", "bury", "execute", "supersede", "redrive", "purge"}).Draw(rt, "what"); what {
	case "offer":
		got, err := l.Offer(ctx, day, wanted(n, count))
		if want := m.offer(n, count); err != nil || got[0].Answer != want {
			rt.Fatalf("offer of %d#%d: %+v, %v; want %v", n, count, got, err, want)
		}
		return
	case "start":
		err = l.Start(ctx, id, f)
		if t := m.live(id); t == nil || t.place != Scheduled {
			want = job.NotFound
		} else {
			t.place, t.flies = Processing, true
		}
	case "postpone":
		_, err = l.Postpone(ctx, id, Postponement{Due: day, Failed: Failure{Class: failure.Transient}, Tries: tries, Cost: CostOf(&f, false)})
		if t := m.live(id); t == nil {
			want = job.NotFound
		} else {
			if t.flies {
				m.pay(t.thread, CostOf(&f, false))
			}
			t.place, t.flies, t.tries = Scheduled, false, tries
		}
	case "bury":
		_, err = l.Bury(ctx, day, id, Failure{Class: failure.Permanent}, CostOf(&f, false), nil)
		if t := m.live(id); t == nil {
			want = job.NotFound
		} else {
			if t.flies {
				m.pay(t.thread, CostOf(&f, false))
			}
			t.place, t.flies = Dead, false
		}
	case "execute", "supersede":
		cost := CostOf(&f, what == "execute")
		err = l.Settle(ctx, day.Add(time.Second), id, what == "execute", cost, nil)
		if t := m.live(id); t == nil {
			want = job.NotFound
		} else {
			if t.flies {
				m.pay(t.thread, cost)
			}
			delete(m.tasks, id)
			m.executed[id] = what == "execute"
		}
	case "redrive":
		err = l.Redrive(ctx, day, id)
		if t := m.tasks[id]; t == nil || t.place != Dead {
			want = job.NotFound
		} else {
			t.place, t.tries = Scheduled, 0
		}
	case "purge":
		err = l.Purge(ctx, id)
		if t := m.tasks[id]; t == nil || t.place != Dead {
			want = job.NotFound
		} else {
			delete(m.tasks, id)
		}
	}
	if job.KindOf(err) != want {
		rt.Fatalf("of %d#%d: %v, want kind %q", n, count, err, want)
	}
}

// compare looks at everything that can be seen.
func compare(rt *rapid.T, l *Ledger, m *model) {
	ctx := rt.Context()
	var got, want []string
	counts := map[Place]int{}
	for _, p := range Places() {
		list, err := l.Tasks(ctx, p, 0, 100)
		if err != nil {
			rt.Fatal(err)
		}
		counts[p] = len(list)
		for _, t := range list {
			got = append(got, fmt.Sprint(t.ID, t.Thread, t.ExecCount, t.Place, t.Tries, t.Flight != nil))
		}
	}
	for id, t := range m.tasks {
		want = append(want, fmt.Sprint(id, t.thread, t.count, t.place, t.tries, t.flies))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		rt.Fatalf("got\n%v\nwant\n%v", got, want)
	}
	st, err := l.Stats(ctx)
	if err != nil || st.Scheduled != counts[Scheduled] || st.Processing != counts[Processing] || st.Dead != counts[Dead] {
		rt.Fatalf("stats %+v, want %v (%v)", st, counts, err)
	}
	p, err := l.Profit(ctx, thread.Key{}, 100)
	slices.SortFunc(p.Threads, func(a, b Account) int { return cmp.Compare(a.Thread[31], b.Thread[31]) })
	var threads []Account
	for n := range byte(3) {
		if a, some := m.threads[key(n)]; some {
			threads = append(threads, a)
		}
	}
	if err != nil || p.Total != m.total || !slices.Equal(p.Threads, threads) {
		rt.Fatalf("profit %+v, want %+v of %+v (%v)", p, m.total, threads, err)
	}
}
