package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/store"
)

const (
	// lagWindow is how long the longest lag is remembered at least.
	lagWindow = 10 * time.Second
	// handOver bounds how long a server that stops goes on with what it has planned and
	// claimed: longer than the others need to take over its jobs.
	handOver = 4 * time.Second
	// maxSkew is how far the clock may be from that of the database.
	maxSkew = time.Second
)

// tally has the figures of a server's work.
type tally struct {
	planned, sent atomic.Int64
	now, before   atomic.Int64 // the longest lag of this window and of the one before, in nanoseconds
	turned        atomic.Int64 // when this window began, in Unix nanoseconds
}

// took counts a task that an executor has accepted, or has not.
func (t *tally) took(late time.Duration, err error) {
	if err == nil {
		t.sent.Add(1)
	}
	for {
		longest := t.now.Load()
		if int64(late) <= longest || t.now.CompareAndSwap(longest, int64(late)) {
			return
		}
	}
}

// lag returns the longest time from due to answered within one or two windows.
func (t *tally) lag(now time.Time) time.Duration {
	if began := t.turned.Load(); now.UnixNano()-began >= int64(lagWindow) && t.turned.CompareAndSwap(began, now.UnixNano()) {
		t.before.Store(t.now.Swap(0))
	}
	return time.Duration(max(t.now.Load(), t.before.Load()))
}

// joinCluster makes this server's place among those of its database.
func (s *Server) joinCluster(log func(room string) *slog.Logger) {
	s.calls = newCalls(s.database, func() string { return s.cluster.Life() }, log("calls"))
	s.cluster = cluster.New(cluster.Config{
		Store: s.store, Name: s.name(), Address: s.URL(), Version: s.config.Version, Started: s.started, Figures: s.figures,
		Alone: s.database.alone, Lost: func() { s.lost() }, Told: func() { s.calls.out(callServers) }, Logger: log("cluster"),
	})
}

// mine returns a filter of the jobs that this server plans, nil for all of them.
func (s *Server) mine() func(job int64) bool {
	if s.database.alone {
		return nil
	}
	return s.cluster.Mine
}

// answer handles the calls of other servers.
func (s *Server) answer(dispatch *dispatcher.Dispatcher, plan *planner.Planner) {
	look := func() { dispatch.WakeAt(time.Now()) }
	s.calls.on = map[rune]func(){
		callRuns: look, callJobs: plan.Wake, callChanges: s.news.Poll, callAlarms: s.alarms.engine.Wake,
		callServers: func() { s.cluster.Wake(); look() },
	}
}

// newNews makes the news: of what this server does, or all of those that share the
// database.
func (s *Server) newNews(leases *registry.Registry, log func(room string) *slog.Logger) *news.News {
	c := news.Config{Store: s.store, Executors: leases, Started: s.started, Logger: log("news")}
	if !s.database.alone {
		c.Changes = watched{s.store, s.cluster}
	}
	return news.New(c)
}

// watched is what all servers of the database change.
type watched struct {
	store.Store
	*cluster.Cluster
}

// changed is called after a transaction with what it has changed.
func (s *Server) changed(changes []news.Change) {
	if s.database.alone {
		s.news.Tell(changes)
		return
	}
	if _, yes := s.cluster.Watched(); yes {
		s.news.Poll()
		s.calls.out(callChanges)
	}
}

// watched reports, within a transaction, whether any server follows the changes.
func (s *Server) watched() (since time.Time, yes bool) {
	if s.database.alone {
		return since, false // this server's own changes are all
	}
	return s.cluster.Watched()
}

// ends returns runs that have ended.
type ends interface {
	EndedRuns(ctx context.Context, runs []int64) ([]int64, error)
}

// endsElsewhere returns the source of runs whose ends other servers have recorded, nil when
// this server is alone.
func (s *Server) endsElsewhere() ends {
	if s.database.alone {
		return nil
	}
	return s.store
}

// hand notifies the others of runs that this server leaves to them.
func (s *Server) hand() {
	if s.cluster.Draining() {
		s.calls.out(callRuns)
	}
}

// left is called when the planner leaves runs to servers with free capacity.
func (s *Server) left(ready func(at time.Time)) func(at time.Time) {
	return func(at time.Time) {
		ready(at)
		s.calls.out(callRuns)
	}
}

// name is how people call this server.
func (s *Server) name() string {
	if s.config.ServerName != "" {
		return s.config.ServerName
	}
	return serverName(s.listener.Addr().String())
}

// figures encodes the figures that this server shares with the others.
func (s *Server) figures() string {
	text, err := json.Marshal(s.about())
	if err != nil {
		return "{}" // It can always be encoded.
	}
	return string(text)
}

// about describes this server, except for what the others know too.
func (s *Server) about() api.Server {
	now, reasons := time.Now(), s.unready()
	if reasons == nil {
		reasons = []api.Unready{}
	}
	loop := api.ServerLoop{Name: "planner"}
	if turned := s.ready.turned.Load(); turned != 0 {
		loop.TurnedAt = api.At(time.Unix(0, turned))
	}
	alive := 0
	for _, e := range s.gauges.executors() {
		if e.LeaseUntil.After(now) {
			alive++
		}
	}
	return api.Server{
		Listen: s.listener.Addr().String(), Scheme: s.scheme(), Store: s.database.kind, Ready: len(reasons) == 0, Reasons: reasons,
		Loops: []api.ServerLoop{loop}, Executors: alive, Leads: s.cluster.Leads(), Lag: api.Duration(s.tally.lag(now)),
		Planned: s.tally.planned.Load(), Sent: s.tally.sent.Load(), Held: s.gauges.held(), ClockSkew: api.Duration(s.cluster.Skew()),
	}
}

// servers are those of the database, for the API.
type servers struct{ *Server }

// Servers implements rest.Servers. While the database is away it returns only this server,
// which shows people that it is away.
func (s servers) Servers(ctx context.Context) ([]api.Server, error) {
	found, err := s.cluster.List(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	size := s.database.size()
	all := make([]api.Server, len(found))
	for i := range found {
		all[i] = shown(&found[i], size)
	}
	return all, nil
}

// DrainServer implements rest.Servers.
func (s servers) DrainServer(ctx context.Context, name string, on bool) error {
	return s.cluster.Drain(ctx, name, on)
}

// shown is a server as the API shows it.
func shown(found *cluster.Server, size int64) api.Server {
	one := api.Server{}
	if err := json.Unmarshal([]byte(found.Figures), &one); err != nil {
		one = api.Server{Reasons: []api.Unready{{Code: "unknown", Detail: "what it says of itself cannot be read: it is of another version"}}}
	}
	one.Name, one.Version, one.Address, one.Self, one.State = found.Name, found.Version, found.Address, found.Self, api.ServerState(found.State)
	one.StartedAt, one.BeatAt, one.LeaseUntil, one.DatabaseBytes = api.At(found.StartedAt), api.At(found.BeatAt), api.At(found.LeaseUntil), size
	gone := func(code, detail string) {
		one.Ready, one.Leads, one.Lag, one.Held = false, false, 0, 0
		one.Reasons = []api.Unready{{Code: code, Detail: detail}}
	}
	switch found.State {
	case cluster.Gone:
		gone("gone", fmt.Sprintf("nothing is heard of it since %s", found.BeatAt.UTC().Format(time.RFC3339)))
	case cluster.Stopped:
		gone("stopped", fmt.Sprintf("it has stopped in good order at %s", found.StoppedAt.UTC().Format(time.RFC3339)))
	case cluster.Working, cluster.Draining:
	}
	return one
}

// handingOver lets a server that stops send what it has planned and claimed, until the others
// plan its jobs; they do the rest.
func (s *Server) handingOver() func(ctx context.Context) error {
	if s.database.alone {
		return nil // the next start finds it
	}
	return func(ctx context.Context) error {
		s.cluster.Retire()
		ctx, cancel := context.WithTimeout(ctx, handOver)
		defer cancel()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for !s.cluster.Resting() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil // the rest goes back to waiting
			}
		}
		return nil
	}
}

// clusterSamples are the state of the cluster at a scrape, as this server knows it.
func (s *Server) clusterSamples() []observe.Sample {
	return []observe.Sample{
		level("server_draining", "1 while this server plans and claims no more.", truth(s.cluster.Draining())),
		level("server_leads", "1 while this server does what one server does for all.", truth(s.cluster.Leads())),
		level("server_clock_skew_seconds", "How far the clock is ahead of the database's.", s.cluster.Skew().Seconds()),
		level("server_beat_seconds", "How long the last beat in the database took.", s.cluster.BeatTook().Seconds()),
	}
}
