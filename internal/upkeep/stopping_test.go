package upkeep

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// wishes is stops in memory, and the executors of their runs.
type wishes struct {
	*world
	mu     sync.Mutex
	stops  map[int64]Stopping // by run
	notes  map[int64]string
	beside []string // reasons for other runs
	told   []int64  // attempts that executors were told to end
	says   func(attempt int64) error
	ends   []job.Outcome
	away   error // of the store
	lost   error // of the recorder
}

func newWishes() *wishes {
	return &wishes{
		world: newWorld(), stops: make(map[int64]Stopping), notes: make(map[int64]string),
		says: func(int64) error { return nil },
	}
}

// wish adds a stop that was asked for just now and that nobody told anyone.
func (w *wishes) wish(attempt int64, address string) {
	a := job.Attempt{ID: attempt, RunID: attempt * 10, JobID: 1, Address: address, State: job.Running}
	s := job.NewStop(a.RunID, a.ID, time.Now())
	s.LookAt = time.Now()
	w.stops[a.RunID] = Stopping{Stop: s, Attempt: a, Group: "g"}
}

func (w *wishes) Stops(_ context.Context, now time.Time, limit int) (due []Stopping, more bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.stops {
		if !s.Stop.LookAt.After(now) && len(due) < limit {
			due = append(due, s)
		}
	}
	return due, len(due) == limit, w.away
}

func (w *wishes) SaveStop(_ context.Context, s job.Stop, note string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if known, there := w.stops[s.RunID]; there && w.away == nil {
		known.Stop = s
		w.stops[s.RunID], w.notes[s.RunID] = known, note
	}
	return w.away
}

func (w *wishes) NoteBeside(_ context.Context, _ job.Attempt, reason string) ([]int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beside = append(w.beside, reason)
	return nil, nil
}

func (w *wishes) KillAttempt(_ context.Context, _ string, _, attempt int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, attempt)
	return w.says(attempt)
}

func (w *wishes) Complete(_ context.Context, outcomes []job.Outcome) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return w.lost
	}
	w.ends = append(w.ends, outcomes...)
	for _, o := range outcomes {
		delete(w.stops, o.AttemptID*10)
	}
	return nil
}

// run lets upkeep look for some time; executors of the group are ours or not.
func (w *wishes) run(t *testing.T, ours bool, d time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	u := New(Config{
		Store: w.world, Executors: w.world, Recorder: w, Stops: w, Killer: w, Batch: 3,
		Once: func(group, _ string) bool { return ours && group == "g" },
	})
	go func() { ended <- u.Run(ctx) }()
	time.Sleep(d)
	synctest.Wait()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestStopping(t *testing.T) {
	t.Parallel()
	away, absent := job.Errorf(job.Unreachable, "connection refused"), job.Errorf(job.NotFound, "nothing")
	for _, test := range []struct {
		name string
		ours bool
		says error
		told int // within five minutes
		over time.Duration
		text string // of the end, or else the last note
	}{
		{"told again until it is given up", true, nil, 6, time.Minute, "has not reported the end"},
		{"another make is told once", false, nil, 1, time.Minute, "has not reported the end"},
		{"it does not have it", true, absent, 2, 10 * time.Second, "does not have it"},
		{"another make has nothing of the job", false, absent, 1, time.Minute, "has not reported the end"},
		{"it cannot be told", true, away, 21, 0, "told again until it answers"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, began := newWishes(), time.Now()
				w.wish(1, "http://a")
				w.says = func(int64) error { return test.says }
				w.run(t, test.ours, 5*time.Minute-time.Second)
				if len(w.told) != test.told {
					t.Errorf("it was told %d times, want %d", len(w.told), test.told)
				}
				if (len(w.beside) > 0) == test.ours {
					t.Errorf("other runs have the reasons %q", w.beside)
				}
				if test.over == 0 {
					if len(w.ends) > 0 || !strings.Contains(w.notes[10], test.text) {
						t.Errorf("it ended: %+v, the note is %q", w.ends, w.notes[10])
					}
					return
				}
				if len(w.ends) != 1 || w.ends[0].State != job.Cancelled || w.ends[0].AttemptID != 1 || !strings.Contains(w.ends[0].Message, test.text) {
					t.Fatalf("it ended: %+v", w.ends)
				}
				if took := w.ends[0].EndedAt.Sub(began); took < test.over || took > test.over+5*time.Second {
					t.Errorf("it took %s, want about %s", took, test.over)
				}
			})
		})
	}
}

// What is told is remembered: another server, or the same one after a restart,
// goes on where the last one was.
func TestStoppingGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWishes()
		w.wish(1, "http://a")
		w.run(t, false, 20*time.Second)
		w.run(t, false, 30*time.Second)
		if len(w.told) != 1 || len(w.ends) != 0 {
			t.Errorf("told %v, ended %+v", w.told, w.ends)
		}
		w.run(t, false, 15*time.Second)
		if len(w.told) != 1 || len(w.ends) != 1 {
			t.Errorf("told %v, ended %+v", w.told, w.ends)
		}
	})
}

// More stops than one batch are all told in one look, and the executor that does
// not answer holds nobody back.
func TestStoppingManyAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWishes()
		for attempt := range int64(10) {
			w.wish(attempt+1, "http://"+string(rune('a'+attempt%4)))
		}
		w.says = func(attempt int64) error {
			if attempt%4 == 0 {
				return job.Errorf(job.Unreachable, "connection refused")
			}
			return nil
		}
		w.run(t, true, time.Second)
		slices.Sort(w.told)
		if told := slices.Compact(w.told); len(told) < 8 || len(w.ends) != 0 {
			t.Errorf("told %v, ended %+v", told, w.ends)
		}
		for run, s := range w.stops {
			if s.Stop.Calls != 1 || s.Stop.ToldAt.IsZero() != (s.Attempt.ID%4 == 0) {
				t.Errorf("run %d: %+v", run, s.Stop)
			}
		}
	})
}

func TestStoppingWithoutTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWishes()
		w.wish(1, "http://a")
		w.away = errors.New("away")
		w.run(t, true, 9*time.Second)
		if len(w.told) > 0 || len(w.ends) > 0 {
			t.Errorf("told %v, ended %+v", w.told, w.ends)
		}
		w.away, w.lost = nil, errors.New("away")
		w.run(t, true, 90*time.Second)
		if len(w.ends) > 0 || len(w.stops) != 1 {
			t.Errorf("ended %+v", w.ends)
		}
		w.lost = nil
		w.run(t, true, time.Second)
		if len(w.ends) != 1 {
			t.Errorf("ended %+v", w.ends)
		}
	})
}

// A run that is to end is not sent again, and nobody asks about it by this way.
func TestStoppingIsNotSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Grace: time.Hour})
		u := New(Config{Store: w, Executors: w, Recorder: w, Once: func(string, string) bool { return true }})
		err := u.resolve(t.Context(), Open{
			Attempt: job.Attempt{ID: 1, RunID: 10, Address: "http://a"}, Run: job.Run{ID: 10, State: job.Stopping},
		})
		if !errors.Is(err, errStopping) || len(w.sent) > 0 || len(w.asked) > 0 {
			t.Errorf("sent %+v, asked %v: %v", w.sent, w.asked, err)
		}
	})
}
