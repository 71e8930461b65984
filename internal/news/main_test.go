package news_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/feed"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// began is when all runs were started that names knows; all are over a second later.
var began = time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)

// names is a store in which each run is of job 1 and each job is called j.
type names struct {
	mu    sync.Mutex
	asked int            // runs; guarded by mu
	away  bool           // guarded by mu
	group string         // of the job; guarded by mu
	gone  map[int64]bool // runs; guarded by mu
}

func (n *names) NamedRuns(_ context.Context, ids []int64) (all []news.Named, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.away {
		return nil, errors.New("away")
	}
	n.asked += len(ids)
	for _, id := range ids {
		if !n.gone[id] {
			all = append(all, news.Named{
				Run: id, About: n.about(1), Cause: job.CauseManual, Attempt: 5, Executor: "http://e", StartedAt: began, EndedAt: began.Add(time.Second),
			})
		}
	}
	return all, nil
}

func (n *names) NamedJobs(_ context.Context, ids []int64) (all []news.About, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		all = append(all, n.about(id))
	}
	return all, nil
}

func (n *names) about(id int64) news.About {
	return news.About{Namespace: "default", Group: n.group, JobID: id, JobKey: "j"}
}

// fleet is the executors that there are.
type fleet struct {
	mu  sync.Mutex
	all []job.Executor // guarded by mu
}

func (f *fleet) Executors() []job.Executor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]job.Executor(nil), f.all...)
}

func (f *fleet) set(all ...job.Executor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = all
}

// world is news that run in a bubble.
type world struct {
	*news.News
	names *names
	fleet *fleet
}

// inWorld runs a test with news under way.
func inWorld(t *testing.T, c news.Config, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{names: &names{group: "g"}, fleet: &fleet{}}
		c.Store, c.Executors, c.Started = w.names, w.fleet, time.Now()
		w.News = news.New(c)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		defer running.Wait()
		defer cancel()
		test(t, w)
	})
}

// read returns what a reader gets within a while, as one word each.
func read(t *testing.T, r *news.Reader, within time.Duration) (words []string, lost feed.Lost) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for {
		items, lost, err := r.Next(ctx, nil)
		for _, it := range items {
			var e api.Event
			if err := json.Unmarshal(it.Text, &e); err != nil || e.Change != it.Change || e.Namespace != it.On.Namespace || e.Group != it.On.Group {
				t.Errorf("%s says something else than %+v: %v", it.Text, it.Event, err)
			}
			words = append(words, it.Kind+" "+it.Change)
		}
		if lost != feed.None || err != nil {
			return words, lost
		}
	}
}

func ran(id int64, states ...job.State) (all []news.Change) {
	for _, state := range states {
		all = append(all, news.Change{Kind: news.Run, ID: id, State: state})
	}
	return all
}
