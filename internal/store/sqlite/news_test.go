package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// listener keeps what a store tells of runs and jobs.
type listener struct {
	mu     sync.Mutex
	runs   map[int64]job.State
	jobs   map[int64]string
	finals map[int64]int // how often a run was told to be over
	many   bool
}

// hear takes what was committed.
func (l *listener) hear(changes []news.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case news.Run:
			l.runs[c.ID] = c.State
			if c.State.Final() {
				l.finals[c.ID]++
			}
		case news.Job:
			l.jobs[c.ID] = c.Became
		case news.Many:
			l.many = true
		case news.Alarm, news.Executor:
		}
	}
}

// listeners are those of all databases that tests open, by their paths.
type listeners struct {
	mu sync.Mutex
	of map[string]*listener
}

func (all *listeners) at(path string) *listener {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.of[path] == nil {
		all.of[path] = &listener{runs: make(map[int64]job.State), jobs: make(map[int64]string), finals: make(map[int64]int)}
	}
	return all.of[path]
}

// heard is a store that, when it is closed, compares its rows with what it has told.
type heard struct {
	store.Store
	tb   testing.TB
	path string
	told *listener
}

// Close compares, and closes.
func (h *heard) Close() error {
	h.compare()
	wantSpans(h.tb, h.path)
	return h.Store.Close()
}

func (h *heard) compare() {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(h.path)+"?mode=ro")
	if err != nil {
		h.tb.Error(err)
		return
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(context.Background(), `SELECT id, state FROM runs`) // that of the test may be over
	if err != nil {
		h.tb.Error(err)
		return
	}
	defer rows.Close()
	is := make(map[int64]job.State)
	for rows.Next() {
		var id int64
		var state string
		if err := rows.Scan(&id, &state); err != nil {
			h.tb.Error(err)
		}
		is[id] = job.State(state)
	}
	if err := rows.Err(); err != nil {
		h.tb.Error(err)
	}
	h.told.mu.Lock()
	defer h.told.mu.Unlock()
	if h.told.many {
		return
	}
	for id, state := range is {
		if told := h.told.runs[id]; told != state {
			h.tb.Errorf("run %d is %q, and was told to be %q", id, state, told)
		}
		if n := h.told.finals[id]; state.Final() && n != 1 {
			h.tb.Errorf("run %d was told %d times to be over", id, n)
		}
	}
}

// listened returns a store that runs, and who hears what it tells.
func listened(t *testing.T) (*Store, *listener) {
	t.Helper()
	told := (&listeners{of: make(map[string]*listener)}).at("")
	s, err := Open(filepath.Join(t.TempDir(), "orth.db"), Config{Hooks: sqlstore.Hooks{Changed: told.hear}})
	if err != nil {
		t.Fatal(err)
	}
	start(t, s)
	return s, told
}

// What cannot be told one by one is told as many.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s, told := listened(t)
	now := time.Now().UTC().Truncate(time.Second)
	ctx := t.Context()
	var jobs []job.Job
	for _, key := range []string{"few", "many"} {
		j, err := s.CreateJob(ctx, job.Job{
			Namespace: job.DefaultNamespace, Key: key, Group: "g", Handler: job.Handler{Kind: job.HandlerNamed, Name: "h"}, CreatedAt: now, UpdatedAt: now,
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	add := func(j *job.Job, n int) {
		for i := range n {
			id, err := s.NextRunID(ctx)
			if err == nil {
				err = s.AddRun(ctx, job.Run{
					ID: id, JobID: j.ID, PlannedAt: now.Add(time.Duration(i) * time.Second), Cause: job.CauseManual, CauseID: id, State: job.Queued,
					ReadyAt: now.Add(time.Hour), CreatedAt: now,
				})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	add(&jobs[0], 10)
	if err := s.DeleteJob(ctx, jobs[0], "gone"); err != nil {
		t.Fatal(err)
	}
	told.mu.Lock()
	if told.many || len(told.finals) != 10 || told.jobs[jobs[0].ID] != news.Deleted {
		t.Errorf("few: %t, %d are over, the job is %q", told.many, len(told.finals), told.jobs[jobs[0].ID])
	}
	told.mu.Unlock()
	add(&jobs[1], 1001)
	if err := s.DeleteJob(ctx, jobs[1], "gone"); err != nil {
		t.Fatal(err)
	}
	told.mu.Lock()
	defer told.mu.Unlock()
	if !told.many || len(told.finals) != 10 {
		t.Errorf("many: %t, %d are over", told.many, len(told.finals))
	}
}

// A write that fails, or is undone, tells nothing of what it had changed.
func TestNothingOfWhatFails(t *testing.T) {
	t.Parallel()
	s, told := listened(t)
	now := time.Now().UTC()
	draft := job.Job{
		Namespace: job.DefaultNamespace, Key: "j", Group: "g", Handler: job.Handler{Kind: job.HandlerNamed, Name: "h"}, CreatedAt: now, UpdatedAt: now,
	}
	j, err := s.CreateJob(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	var writing sync.WaitGroup
	for range 20 { // some share a transaction, some are alone
		writing.Go(func() {
			if _, err := s.CreateJob(t.Context(), draft); !job.Is(err, job.Conflict) {
				t.Errorf("made twice: %v", err)
			}
		})
		writing.Go(func() {
			if err := s.DeleteJob(t.Context(), job.Job{ID: 99, Version: 1}, ""); err == nil {
				t.Error("a job was deleted that there is not")
			}
		})
	}
	writing.Wait()
	told.mu.Lock()
	defer told.mu.Unlock()
	if want := map[int64]string{j.ID: news.Saved}; !maps.Equal(told.jobs, want) {
		t.Errorf("told %v, want %v", told.jobs, want)
	}
}
