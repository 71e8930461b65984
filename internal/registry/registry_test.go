package registry

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestBeatsAndLeases(t *testing.T) {
	t.Parallel()
	var changes atomic.Int64
	store := newRows()
	c := Config{Store: store, Hooks: Hooks{Changed: func() { changes.Add(1) }}}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, c)
		wantAlive(t, r, 1)
		register(t, r, "a", "http://e2", "http://e1")
		register(t, r, "b", "http://e3")
		wantAlive(t, r, 1, "http://e1", "http://e2")
		wantAlive(t, r, 2, "http://e3")
		if diff := gocmp.Diff([]int64{1, 2}, r.AliveGroups()); diff != "" {
			t.Error(diff)
		}
		if got := r.Executors(); len(got) != 3 || got[0].Address != "http://e1" {
			t.Errorf("executors %+v", got)
		}
		before := changes.Load()
		for range 5 { // two beat on, one is silent
			time.Sleep(20 * time.Second)
			register(t, r, "a", "http://e2")
			register(t, r, "b", "http://e3")
		}
		wantAlive(t, r, 1, "http://e2")
		if got := changes.Load() - before; got != 1 {
			t.Errorf("%d changes while one executor went, want 1", got)
		}
		time.Sleep(100 * time.Second)
		settle()
		wantAlive(t, r, 1)
		if got := r.AliveGroups(); len(got) != 0 {
			t.Errorf("groups %v are alive without beats", got)
		}
	})
}

// TestLooked: who asks a registry that begins knows when to believe it, also when the rows cannot be read.
func TestLooked(t *testing.T) {
	t.Parallel()
	for _, fail := range []error{nil, errors.New("the database is away")} {
		store := newRows()
		store.fail, store.slow = fail, time.Second
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			r := start(t, Config{Store: store})
			select {
			case <-r.Looked():
				if fail == nil {
					t.Error("it has looked before it can have")
				}
			default:
			}
			<-r.Looked()
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("it has looked after %s", took)
			}
			time.Sleep(time.Minute) // and goes on
		})
	}
}

func TestNewcomerIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: newRows(), Refresh: time.Hour})
		began := time.Now()
		register(t, r, "a", "http://e1")
		wantAlive(t, r, 1, "http://e1")
		if took := time.Since(began); took > 200*time.Millisecond {
			t.Errorf("the newcomer was seen after %s", took)
		}
	})
}

func TestFarewellCountsAtOnce(t *testing.T) {
	t.Parallel()
	var changes atomic.Int64
	store := newRows()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: store, Hooks: Hooks{Changed: func() { changes.Add(1) }}})
		register(t, r, "a", "http://e1", "http://e2")
		before := changes.Load()
		if err := r.Deregister(t.Context(), "a", "http://e1"); err != nil {
			t.Fatal(err)
		}
		wantAlive(t, r, 1, "http://e2") // without any wait
		if got := changes.Load() - before; got != 1 {
			t.Errorf("%d announcements of the farewell, want 1", got)
		}
		if err := r.Deregister(t.Context(), "a", "http://unknown"); err != nil {
			t.Errorf("farewell of an unknown executor: %v", err)
		}
		settle()
		register(t, r, "a", "http://e1") // and back again
		wantAlive(t, r, 1, "http://e1", "http://e2")
	})
}

// A reading that began before the farewell must not bring the executor back.
func TestFarewellDuringReading(t *testing.T) {
	t.Parallel()
	store := newRows()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: store, Refresh: 3 * time.Second})
		register(t, r, "a", "http://e1", "http://e2")
		store.set(func() { store.slow = time.Second })
		time.Sleep(3 * time.Second) // a slow reading is under way
		synctest.Wait()
		if err := r.Deregister(t.Context(), "a", "http://e1"); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			wantAlive(t, r, 1, "http://e2")
		}
	})
}

func TestViewStaysWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	store := newRows()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: store})
		register(t, r, "a", "http://e1")
		store.set(func() { store.fail = job.Errorf(job.Unavailable, "away") })
		time.Sleep(10 * time.Minute)
		wantAlive(t, r, 1, "http://e1")
		if err := r.Register(t.Context(), job.Beat{Group: "a", Address: "http://e2"}); !job.Is(err, job.Unavailable) {
			t.Errorf("a beat while the store is away: %v", err)
		}
		if err := r.Deregister(t.Context(), "a", "http://e1"); !job.Is(err, job.Unavailable) {
			t.Errorf("a farewell while the store is away: %v", err)
		}
		wantAlive(t, r, 1, "http://e1") // the farewell was not taken
		store.set(func() { store.fail = nil })
		register(t, r, "a", "http://e1")
		time.Sleep(5 * time.Second)
		wantAlive(t, r, 1, "http://e1")
	})
}

func TestRegisterRefusesBadGroups(t *testing.T) {
	t.Parallel()
	store := newRows()
	r := New(Config{Store: store})
	for _, group := range []string{"", "a b", "-a", string(make([]byte, 65))} {
		if err := r.Register(t.Context(), job.Beat{Group: group, Address: "http://e1"}); !job.Is(err, job.Invalid) {
			t.Errorf("group %q: %v", group, err)
		}
	}
	if len(store.leases) != 0 {
		t.Error("a bad group was written")
	}
}

// A slow store is read less often, and one that was slow once is not left alone.
func TestSlowReadings(t *testing.T) {
	t.Parallel()
	store := newRows()
	synctest.Test(t, func(t *testing.T) {
		store.slow = 100 * time.Millisecond
		start(t, Config{Store: store})
		before := store.readings()
		time.Sleep(21 * time.Second)
		if got := store.readings() - before; got < 9 || got > 11 {
			t.Errorf("%d readings of 100 ms within 21 s, want one each 2.1 s", got)
		}
		store.set(func() { store.slow = time.Minute })
		time.Sleep(5 * time.Second)
		store.set(func() { store.slow = 0 })
		time.Sleep(time.Minute) // the slow reading ends
		before = store.readings()
		time.Sleep(6 * time.Second)
		if got := store.readings() - before; got < 3 {
			t.Errorf("%d readings within 6 s after a slow one", got)
		}
	})
}

// A thousand executors that come at once are not a thousand readings.
func TestReadingsAreBounded(t *testing.T) {
	t.Parallel()
	store := newRows()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: store, Refresh: time.Hour})
		before := store.readings()
		for i := range 1000 {
			if err := r.Register(t.Context(), job.Beat{Group: "a", Address: "http://" + string(rune('a'+i%26)) + time.Duration(i).String()}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		settle()
		if got := store.readings() - before; got > 25 {
			t.Errorf("%d readings within a second", got)
		}
		if got := len(r.Alive(1)); got != 1000 {
			t.Errorf("%d executors are alive, want 1000", got)
		}
	})
}

// Features are kept as far as people can read them; others never keep an
// executor away.
func TestFeatures(t *testing.T) {
	t.Parallel()
	many := make([]string, job.MaxFeatures+1)
	for i := range many {
		many[i] = fmt.Sprintf("f%d", i)
	}
	for _, test := range []struct {
		name       string
		said, want []string
	}{
		{"none", nil, nil},
		{"all", []string{"shell", "python=3.11.2"}, []string{"shell", "python=3.11.2"}},
		{
			"odd ones",
			[]string{"", "a\nb", "\xff", strings.Repeat("x", job.MaxFeature+1), "größe", strings.Repeat("x", job.MaxFeature)},
			[]string{"größe", strings.Repeat("x", job.MaxFeature)},
		},
		{"too many", many, many[:job.MaxFeatures]},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store := newRows()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, Config{Store: store, Refresh: time.Second})
				register(t, r, "a", "http://e1")
				if err := r.Register(t.Context(), job.Beat{Group: "a", Address: "http://e1", Features: test.said}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				executors := r.Executors()
				if len(executors) != 1 {
					t.Fatalf("executors %+v", executors)
				}
				if diff := gocmp.Diff(test.want, executors[0].Features); diff != "" {
					t.Errorf("features (-want +got):\n%s", diff)
				}
			})
		})
	}
}
