package app

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/logbook/keeping"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// groupLimit bounds the groups with figures of their own: those with the most executors are
// named, the others are counted together.
const groupLimit = 100

// gauge is a value that goes up and down.
type gauge struct{ n atomic.Int64 }

func (g *gauge) add(change int) { g.n.Add(int64(change)) }

// gauges are the sources of the samples that are taken at a scrape. They are set
// before anything runs.
type gauges struct {
	executors func() []job.Executor
	breakers  func(now time.Time) []breaker.Status
	logs      func() keeping.Load
	database  func() sqlstore.Load
	held      func() int
}

// samples is the state of the server at a scrape.
func (s *Server) samples() []observe.Sample {
	now := time.Now()
	list := []observe.Sample{
		buildSample(s.config.Version),
		level("http_streams", "Requests that last, such as logs that are followed.", float64(s.meters.streams.n.Load())),
		level("dispatcher_held_runs", "Runs that this server holds in memory to send them.", float64(s.gauges.held())),
	}
	list = append(list, executorSamples(s.gauges.executors(), now)...)
	list = append(list, breakerSamples(s.gauges.breakers(now))...)
	list = append(list, s.databaseSamples()...)
	list = append(list, s.clusterSamples()...)
	list = append(list, s.spans.samples()...)
	logs := s.gauges.logs()
	return append(list,
		level("logbook_open_logs", "Logs that are copied from executors.", float64(logs.Held)),
		level("logbook_memory_bytes", "Text of logs in memory that is not stored yet.", float64(logs.Bytes)),
		level("logbook_asks_pending", "Questions for lines of logs that are under way.", float64(logs.Asks)),
		level("ready", "1 while the server does its work, as /readyz says.", truth(len(s.unready()) == 0)),
	)
}

func level(name, help string, value float64) observe.Sample {
	return observe.Sample{Name: name, Help: help, Value: value}
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// executorSamples counts executors by group and state.
func executorSamples(executors []job.Executor, now time.Time) []observe.Sample {
	type place struct{ group, state string }
	counts, sizes := map[place]int{}, map[string]int{}
	for i := range executors {
		e := &executors[i]
		counts[place{e.Group, standingAs(e, now)}]++
		sizes[e.Group]++
	}
	named := make([]string, 0, len(sizes))
	for group := range sizes {
		named = append(named, group)
	}
	slices.SortFunc(named, func(a, b string) int {
		if sizes[a] != sizes[b] {
			return sizes[b] - sizes[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	shown := map[string]bool{}
	for _, group := range named[:min(len(named), groupLimit)] {
		shown[group] = true
	}
	together := map[place]int{}
	for at, n := range counts {
		if !shown[at.group] {
			at.group = observe.Other
		}
		together[at] += n
	}
	list := []observe.Sample{level("executor_leases", "Executors that have a lease.", float64(len(executors)))}
	for at, n := range together {
		list = append(list, observe.Sample{
			Name: "executors", Help: "Executors by group and state.", Value: float64(n),
			Labels: [][2]string{{"group", at.group}, {"state", at.state}},
		})
	}
	return list
}

// standingAs returns the label of an executor's state.
func standingAs(e *job.Executor, now time.Time) string {
	switch {
	case e.Unreachable != "":
		return "unreachable"
	case e.Draining:
		return "draining"
	case e.LeaseUntil.Before(now):
		return "silent"
	}
	return "alive"
}

// breakerSamples counts the executors that are left alone.
func breakerSamples(all []breaker.Status) []observe.Sample {
	counts := map[breaker.State]int{}
	for i := range all {
		counts[all[i].State]++
	}
	var list []observe.Sample
	for _, state := range []breaker.State{breaker.Closed, breaker.Open, breaker.HalfOpen} {
		list = append(list, observe.Sample{
			Name: "breakers", Help: "Addresses of executors to which the last call failed, by the state of their breakers.",
			Value: float64(counts[state]), Labels: [][2]string{{"state", string(state)}},
		})
	}
	return list
}

// databaseSamples returns the size and the load of the database.
func (s *Server) databaseSamples() []observe.Sample {
	load := s.gauges.database()
	list := []observe.Sample{
		level("database_queued_operations", "Writes that wait for a transaction.", float64(load.Queued)),
		level("database_readers_busy", "Connections that read at this moment.", float64(load.Reading)),
		level("database_readers", "Connections that may read.", float64(load.Readers)),
		{Name: "database_read_waits_total", Help: "Reads that have waited for a connection.", Counter: true, Value: float64(load.Waited)},
	}
	if file := s.database.file; file != "" {
		list = append(list, level("database_file_bytes", "Size of the database's file.", float64(sizeOf(file))),
			level("database_wal_bytes", "Size of the database's write-ahead log.", float64(sizeOf(file+"-wal"))))
	} else {
		list = append(list, level("database_bytes", "Size of the database, as it says itself.", float64(s.database.size())))
	}
	if free, known := freeBytes(s.config.Data); known {
		list = append(list, level("data_free_bytes", "Space that is left where the data folder is.", free))
	}
	return list
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// countedSender counts messages about alarms.
type countedSender struct {
	next interface {
		Send(ctx context.Context, c words.Channel, m words.Message) error
	}
	m *meters
}

// Send implements alarm.Sender.
func (c countedSender) Send(ctx context.Context, to words.Channel, message words.Message) error {
	err := c.next.Send(ctx, to, message)
	result := resultSent
	if err != nil {
		result = resultFailed
	}
	c.m.messages.Of(string(to.Kind), result).Add(1)
	return err
}

// countedShelf counts what is stored of logs.
type countedShelf struct {
	logbook.Shelf
	m *meters
}

// KeepLogs implements logbook.Shelf.
func (c countedShelf) KeepLogs(ctx context.Context, pack logbook.Pack, kept []logbook.Kept) ([]bool, error) {
	done, err := c.Shelf.KeepLogs(ctx, pack, kept)
	if err != nil {
		return done, err
	}
	for i := range kept {
		if !done[i] {
			continue
		}
		for _, chunk := range kept[i].Chunks {
			c.m.logLines.Add(chunk.Lines)
			c.m.logBytes.Add(chunk.Raw)
		}
	}
	if pack.Name != "" {
		c.m.logPacks.Add(1)
		c.m.logPacked.Add(int(pack.Size))
	}
	return done, nil
}

// countedOrigin counts questions for logs.
type countedOrigin struct {
	logbook.Origin
	m *meters
}

// ReadLog implements logbook.Origin.
func (c countedOrigin) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, fromLine int) (job.LogPage, error) {
	page, err := c.Origin.ReadLog(ctx, address, attempt, at, fromLine)
	c.m.logAsks.Add(1)
	if err != nil {
		c.m.logAskFailures.Add(1)
	}
	return page, err
}
