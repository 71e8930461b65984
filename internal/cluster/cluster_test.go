package cluster_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// database is one in memory, with rules as simple as they can be.
type database struct {
	mu     sync.Mutex
	ahead  time.Duration          // of its clock; guarded by mu
	away   bool                   // guarded by mu
	rows   map[string]cluster.Row // guarded by mu
	leader string                 // guarded by mu: a life
	until  time.Time              // guarded by mu
	term   int64                  // guarded by mu
	pruned int                    // guarded by mu
}

func (d *database) now() time.Time { return time.Now().Add(d.ahead) }

func (d *database) BeatServer(_ context.Context, b cluster.Beat) (heard cluster.Heard, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away {
		return heard, errors.New("away")
	}
	now := d.now()
	r := d.rows[b.Name]
	if r.Life != b.Life {
		if r.StartedAt.After(b.StartedAt) && r.LeaseUntil.After(now) {
			return cluster.Heard{At: now, Taken: r.Address}, nil
		}
		r = cluster.Row{Name: b.Name, Life: b.Life, Address: b.Address, StartedAt: b.StartedAt}
	}
	r.BeatAt, r.LeaseUntil, r.Figures, r.WatchingUntil = now, now.Add(b.For), b.Figures, time.Time{}
	if b.Watching > 0 {
		r.WatchingUntil = now.Add(b.Watching)
	}
	r.Draining = r.Draining || b.Stops
	d.rows[b.Name] = r
	switch {
	case b.Lead && (d.leader == b.Life || !d.until.After(now)):
		if d.leader != b.Life {
			d.term++
		}
		d.leader, d.until = b.Life, now.Add(b.For)
	case !b.Lead && d.leader == b.Life:
		d.until = time.Time{}
	}
	heard = cluster.Heard{At: now, Draining: r.Draining, Leads: b.Lead && d.leader == b.Life, Term: d.term}
	for _, other := range d.rows {
		if other.WatchingUntil.After(heard.Watched) {
			heard.Watched = other.WatchingUntil
		}
		if !other.LeaseUntil.After(now) && other.StoppedAt.IsZero() && other.LeaseUntil.After(heard.Lost) {
			heard.Lost = other.LeaseUntil
		}
	}
	for name, other := range d.rows {
		if other.LeaseUntil.After(now) && other.StoppedAt.IsZero() && !other.Draining {
			heard.Working = append(heard.Working, name)
		}
	}
	slices.Sort(heard.Working)
	return heard, nil
}

func (d *database) LeaveServer(_ context.Context, name, life string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.rows[name]; r.Life == life {
		r.StoppedAt, r.LeaseUntil = d.now(), d.now()
		d.rows[name] = r
	}
	if d.leader == life {
		d.until = time.Time{}
	}
	return nil
}

func (d *database) Servers(context.Context) (all []cluster.Row, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range []string{"one", "two"} {
		if r, ok := d.rows[name]; ok {
			all = append(all, r)
		}
	}
	return all, nil
}

func (d *database) Now(context.Context) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now(), nil
}

func (d *database) DrainServer(_ context.Context, name string, on bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok := d.rows[name]
	if !ok {
		return job.Errorf(job.NotFound, "there is no server %q", name)
	}
	r.Draining = on
	d.rows[name] = r
	return nil
}

func (d *database) PruneServers(context.Context, time.Time, time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pruned++
	return nil
}

func (d *database) WatchChanges(_ context.Context, name string, watching time.Duration) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.rows[name]
	r.WatchingUntil = d.now().Add(watching)
	d.rows[name] = r
	return 7, nil
}

func (d *database) ChangesAfter(context.Context, int64, int) ([]cluster.Told, bool, error) {
	return nil, true, nil
}

// set changes the database.
func (d *database) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// runs is a server that runs until it is stopped. led counts how often its chore was
// begun, leading how many of it run.
type runs struct {
	*cluster.Cluster
	stop         func()
	mu           sync.Mutex
	led, leading int // guarded by mu
}

func (r *runs) chores() (led, leading int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.led, r.leading
}

func begin(t *testing.T, d *database, c cluster.Config) *runs {
	t.Helper()
	c.Store, c.Started = d, time.Now()
	r := &runs{Cluster: cluster.New(c)}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	chore := r.Leading(func(ctx context.Context) error {
		r.mu.Lock()
		r.led++
		r.leading++
		r.mu.Unlock()
		<-ctx.Done()
		r.mu.Lock()
		r.leading--
		r.mu.Unlock()
		return nil
	})
	for _, loop := range []func(context.Context) error{r.Run, chore} {
		all.Go(func() {
			if err := loop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	r.stop = func() { cancel(); all.Wait() }
	t.Cleanup(r.stop)
	return r
}

func inBubble(t *testing.T, test func(t *testing.T, d *database)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, &database{rows: map[string]cluster.Row{}}) })
}

// One of two does the chores; the other takes over when it stops, and when it is gone.
func TestLead(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		one := begin(t, d, cluster.Config{Name: "one"})
		time.Sleep(time.Second)
		two := begin(t, d, cluster.Config{Name: "two"})
		want := func(when string, first, second bool) {
			t.Helper()
			_, a := one.chores()
			_, b := two.chores()
			if one.Leads() != first || two.Leads() != second || (a > 0) != first || (b > 0) != second {
				t.Errorf("%s: one leads %t with %d chores, two %t with %d", when, one.Leads(), a, two.Leads(), b)
			}
		}
		time.Sleep(time.Minute)
		want("at first", true, false)
		if err := one.Drain(t.Context(), "one", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		want("while one drains", false, true)
		if !one.Draining() || two.Draining() {
			t.Errorf("one drains %t, two %t", one.Draining(), two.Draining())
		}
		if err := two.Drain(t.Context(), "one", false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		want("afterwards", false, true)
		two.stop()
		time.Sleep(3 * time.Second)
		want("without two", true, false)
		list, err := one.List(t.Context())
		if err != nil || len(list) != 2 || list[0].State != cluster.Working || !list[0].Self || list[1].State != cluster.Stopped {
			t.Errorf("servers %+v, %v", list, err)
		}
		if led, _ := one.chores(); led != 2 {
			t.Errorf("one has led %d times", led)
		}
		pruned := 0
		d.set(func() { pruned = d.pruned })
		if pruned == 0 {
			t.Error("nothing was forgotten")
		}
	})
}

// A server that is gone without a farewell is told of once, within two beats after its
// lease; one that stops, or whose row is removed, is not.
func TestLost(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		var lost atomic.Int32
		begin(t, d, cluster.Config{Name: "one", Lost: func() { lost.Add(1) }})
		want := func(when string, n int32) {
			t.Helper()
			synctest.Wait()
			if got := lost.Load(); got != n {
				t.Errorf("%s: %d were told of, want %d", when, got, n)
			}
		}
		time.Sleep(time.Minute)
		begin(t, d, cluster.Config{Name: "two"}).stop()
		time.Sleep(time.Minute)
		want("after a farewell", 0)
		kill := func(name string) {
			d.set(func() { d.rows[name] = cluster.Row{Name: name, Life: name, LeaseUntil: d.now().Add(10 * time.Second)} })
		}
		kill("two")
		time.Sleep(9 * time.Second)
		want("within its lease", 0)
		time.Sleep(4 * time.Second)
		want("after its lease", 1)
		time.Sleep(time.Minute)
		want("later", 1)
		kill("three")
		time.Sleep(13 * time.Second)
		want("another one", 2)
		d.set(func() { delete(d.rows, "three") })
		time.Sleep(time.Minute)
		want("when it is forgotten", 2)
	})
}

// A server that cannot reach the database stops its chores before another one may begin
// them.
func TestLostLead(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		one := begin(t, d, cluster.Config{Name: "one", Lease: 10 * time.Second})
		time.Sleep(time.Minute)
		d.set(func() { d.away = true })
		for {
			d.mu.Lock()
			over := !d.until.After(d.now())
			d.mu.Unlock()
			if _, leading := one.chores(); over && leading == 0 {
				break
			} else if over {
				t.Fatal("the lead is over and the chores are not")
			}
			time.Sleep(100 * time.Millisecond)
		}
		if one.Leads() {
			t.Error("it leads")
		}
		d.set(func() { d.away = false })
		time.Sleep(3 * time.Second)
		if _, leading := one.chores(); leading != 1 || !one.Leads() {
			t.Errorf("after the outage it leads %t with %d chores", one.Leads(), leading)
		}
	})
}

// A retired server drains whatever people say, and gives up the lead.
func TestRetire(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		one := begin(t, d, cluster.Config{Name: "one"})
		time.Sleep(time.Second)
		one.Retire()
		time.Sleep(5 * time.Second)
		held := false
		d.set(func() { held = d.until.After(d.now()) })
		if !one.Draining() || one.Leads() || held {
			t.Errorf("draining %t, leads %t, the lead is held: %t", one.Draining(), one.Leads(), held)
		}
		if list, err := one.List(t.Context()); err != nil || list[0].State != cluster.Draining {
			t.Errorf("servers %+v, %v", list, err)
		}
	})
}

// Two with the same name: the later one is shown, and neither takes it back.
func TestSameName(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		first := begin(t, d, cluster.Config{Name: "one", Address: "http://a"})
		time.Sleep(time.Minute)
		second := begin(t, d, cluster.Config{Name: "one", Address: "http://b"})
		time.Sleep(time.Minute)
		var r cluster.Row
		d.set(func() { r = d.rows["one"] })
		if r.Life != second.Life() {
			t.Errorf("the row is that of %s", r.Address)
		}
		list, err := first.List(t.Context())
		if err != nil || len(list) != 2 || !list[0].Self || list[1].Address != "http://b" {
			t.Errorf("servers %+v, %v", list, err)
		}
	})
}

// A difference of the clocks is seen, and what says who is gone is the database's clock.
func TestSkew(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		d.ahead = -time.Hour
		one := begin(t, d, cluster.Config{Name: "one"})
		begin(t, d, cluster.Config{Name: "two"})
		time.Sleep(time.Minute)
		if off := one.Skew() - time.Hour; off.Abs() > 5*time.Millisecond {
			t.Errorf("the clock is %s ahead", one.Skew())
		}
		if off := time.Until(one.Now()) + time.Hour; off.Abs() > 5*time.Millisecond {
			t.Errorf("the database's time is taken for %s", one.Now())
		}
		list, err := one.List(t.Context())
		if err != nil || len(list) != 2 || list[1].State != cluster.Working {
			t.Errorf("servers %+v, %v", list, err)
		}
		d.set(func() { r := d.rows["two"]; r.LeaseUntil = d.now().Add(-time.Second); d.rows["two"] = r })
		if list, _ = one.List(t.Context()); list[1].State != cluster.Gone {
			t.Errorf("servers %+v", list)
		}
	})
}

// All servers know that somebody watches at one of them, for as long as somebody does.
func TestWatch(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		var told atomic.Int64
		one := begin(t, d, cluster.Config{Name: "one", Told: func() { told.Add(1) }})
		two := begin(t, d, cluster.Config{Name: "two"})
		time.Sleep(10 * time.Second)
		if _, yes := two.Watched(); yes {
			t.Error("somebody watches")
		}
		before := time.Now()
		if after, err := one.Watch(t.Context()); after != 7 || err != nil || told.Load() != 1 {
			t.Errorf("begins behind %d, %v; others were told %d times", after, err, told.Load())
		}
		if since, yes := one.Watched(); !yes || since.Before(before) {
			t.Errorf("here: %t since %s", yes, since)
		}
		two.Wake()
		synctest.Wait()
		if since, yes := two.Watched(); !yes || since.After(before.Add(time.Millisecond)) {
			t.Errorf("there: %t since %s, it is %s", yes, since, before)
		}
		time.Sleep(5 * time.Minute)
		if _, yes := two.Watched(); !yes {
			t.Error("nobody watches any more")
		}
		one.Unwatch()
		time.Sleep(time.Minute)
		if _, yes := two.Watched(); yes {
			t.Error("somebody watches still")
		}
	})
}

// A server that is alone does everything, and writes nothing.
func TestAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		one := begin(t, d, cluster.Config{Name: "one", Alone: true})
		time.Sleep(time.Minute)
		if led, leading := one.chores(); led != 1 || leading != 1 || !one.Leads() || len(d.rows) != 0 {
			t.Errorf("it leads %t, %d chores, %d rows", one.Leads(), leading, len(d.rows))
		}
		if err := one.Drain(t.Context(), "one", true); !job.Is(err, job.Conflict) {
			t.Errorf("drain: %v", err)
		}
		if list, err := one.List(t.Context()); err != nil || len(list) != 1 || !list[0].Self {
			t.Errorf("servers %+v, %v", list, err)
		}
	})
}
