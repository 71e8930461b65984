package cli

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
	"github.com/orthd/orth/solana/tpu"
)

// figuresPrefix begins the names of all figures.
const figuresPrefix = "orth_solana_"

// figures count events as they happen, besides what a scrape looks up.
type figures struct {
	sizes     storeSizes
	meters    *observe.Meters
	requests  *observe.Counters
	answering *observe.Histograms
	handed    *observe.Counters
	done      *observe.Histograms
}

func newFigures() *figures {
	m := observe.NewMeters(figuresPrefix)
	return &figures{
		meters:    m,
		requests:  m.Counter("rpc_requests_total", "Requests to nodes, each try for itself.", "node", "method", "result"),
		answering: m.Histogram("rpc_seconds", "How long nodes took for a request.", []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "node"),
		handed:    m.Counter("tpu_handed_total", "Tries to hand a transaction to a leader.", "result"),
		done: m.Histogram("execution_seconds", "From the moment an execution was known to be due to its end.",
			[]float64{.1, .25, .5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 900}, "trigger", "outcome"),
	}
}

func (f *figures) nodeHooks() rpc.Hooks {
	return rpc.Hooks{Called: func(endpoint, method string, took time.Duration, err error) {
		f.requests.Of(endpoint, method, resultOf(err)).Add(1)
		f.answering.Of(endpoint).Took(took)
	}}
}

func (f *figures) leaderHooks() tpu.Hooks {
	return tpu.Hooks{Sent: func(_ string, _ time.Duration, err error) {
		result := "ok"
		if err != nil {
			result = "failed"
		}
		f.handed.Of(result).Add(1)
	}}
}

// resultOf is what became of a request, in few words.
func resultOf(err error) string {
	if err == nil {
		return "ok"
	}
	if refused, ok := errors.AsType[*rpc.Error](err); ok {
		return "code " + strconv.Itoa(refused.Code)
	}
	if away, ok := errors.AsType[*rpc.UnreachableError](err); ok && away.Status != 0 {
		return "http " + strconv.Itoa(away.Status)
	}
	return "unreachable"
}

// settled counts an execution that ended.
func (f *figures) settled(s service.Settlement) {
	if from := s.Stages.Queued; !from.IsZero() {
		f.done.Of(s.Trigger.String(), string(s.Outcome)).Took(time.Since(from))
	}
}

// metricsPage is the page for Prometheus.
func (n *node) metricsPage() http.Handler {
	return observe.NewMetrics(observe.Config{Prefix: figuresPrefix, Meters: n.figures.meters, Collect: n.collect, Logger: n.logger.With("room", "observe")})
}

// collectFor bounds how long a scrape may wait for the ledger.
const collectFor = 5 * time.Second

// collect looks up how the node stands.
func (n *node) collect() (all []observe.Sample) {
	ctx, cancel := context.WithTimeout(context.Background(), collectFor)
	defer cancel()
	if samples, err := n.service.Samples(ctx); err != nil {
		n.logger.Warn("the service's figures cannot be read", "error", err)
	} else {
		for _, s := range samples {
			all = append(all, serviceSample(s))
		}
	}
	if profit, err := n.ledger.Profit(ctx, thread.Key{}, 1); err == nil {
		all = append(all, profitSamples(profit.Total)...)
	}
	all = append(all, n.figures.sizes.samples(ctx, n.ledger)...)
	for name, size := range ledgerFiles(n.settings.Data) {
		all = append(all, observe.Sample{Name: "file_bytes", Help: "Size of the ledger's files.", Labels: [][2]string{{"file", name}}, Value: float64(size)})
	}
	for _, s := range n.nodes.Status(time.Now()) {
		labels := [][2]string{{"node", s.Name}}
		all = append(
			all,
			observe.Sample{Name: "rpc_node_healthy", Help: "1: the node is asked, 0: it is left alone for a while.", Labels: labels, Value: boolValue(s.Breaker.State == breaker.Closed)},
			observe.Sample{Name: "rpc_node_latency_seconds", Help: "How long the node takes, smoothed.", Labels: labels, Value: s.Latency.Seconds()},
		)
	}
	all = append(all, n.observed()...)
	if n.keeper != nil {
		s := n.keeper.Stats()
		all = append(
			all, gauge("owned_threads", "Threads that are this executor's.", s.Held), gauge("contested_threads", "Threads that were lost of late.", s.Contested),
			gauge("peers", "Other executors that were seen of late.", s.Peers), count("races_won_total", "Executions of this executor.", s.Won),
			count("races_lost_total", "Races lost against one who does not keep the delay.", s.Lost),
			count("taken_over_total", "Threads that another has executed because this one was late.", s.TakenOver),
		)
	}
	return append(all, observe.Sample{Name: "ready", Help: "1: the node can execute.", Value: boolValue(n.ready() == nil)})
}

// observed is what is known of what is observed.
func (n *node) observed() []observe.Sample {
	s := n.observer.Stats()
	all := []observe.Sample{
		gauge("threads", "Threads that are watched.", s.Tracked), gauge("watched_accounts", "Parts of accounts that are watched.", s.Watched),
		gauge("events_waiting", "Events that wait to be taken.", s.Waiting), gauge("observers_up", "Nodes that are subscribed to.", s.EndpointsUp),
		{Name: "clock_age_seconds", Help: "Since the newest tick of the chain's clock.", Value: s.ClockAge.Seconds()},
		{Name: "slot", Help: "The newest slot that is known.", Value: float64(s.Slot)},
		count("threads_ready_total", "Threads that were reported as due.", s.Ready), count("backfills_total", "Lists of all threads.", s.Backfills),
		count("failed_backfills_total", "Lists of all threads that failed.", s.FailedBackfills),
		count("refused_threads_total", "States of threads beyond max-threads.", s.RefusedThreads),
		count("undecodable_accounts_total", "Accounts of the program that are none of its threads.", s.Undecodable),
		count("clock_polls_total", "How often nodes were asked for the clock.", s.ClockPolls),
	}
	for _, e := range s.Endpoints {
		labels := [][2]string{{"node", e.Name}}
		all = append(
			all,
			observe.Sample{Name: "observer_up", Help: "1: the node is subscribed to.", Labels: labels, Value: boolValue(e.Up)},
			observe.Sample{Name: "observer_lag_slots", Help: "Slots behind the newest that is known.", Labels: labels, Value: float64(e.Lag)},
			observe.Sample{Name: "observer_messages_total", Help: "Messages of subscriptions.", Counter: true, Labels: labels, Value: float64(e.Messages)},
			observe.Sample{Name: "observer_garbage_total", Help: "Messages that cannot be read.", Counter: true, Labels: labels, Value: float64(e.Garbage)},
			observe.Sample{Name: "observer_connects_total", Help: "Connections that were made.", Counter: true, Labels: labels, Value: float64(e.Connects)},
			observe.Sample{Name: "observer_failures_total", Help: "Connections that ended, or never were.", Counter: true, Labels: labels, Value: float64(e.Failures)},
		)
	}
	return all
}

// serviceSample is a figure of the service as the page has it.
func serviceSample(s service.Sample) observe.Sample {
	sample := observe.Sample{Name: s.Name, Help: s.Help, Counter: s.Kind == "counter", Value: s.Value}
	for name, value := range s.Labels {
		sample.Labels = append(sample.Labels, [2]string{name, value})
	}
	return sample
}

func profitSamples(a ledger.Account) []observe.Sample {
	return []observe.Sample{
		count("executions_landed_total", "Executions that landed and succeeded, ever.", a.Executions),
		count("transactions_failed_total", "Transactions that landed and failed, ever.", a.Failures),
	}
}

func gauge(name, help string, value int) observe.Sample {
	return observe.Sample{Name: name, Help: help, Value: float64(value)}
}

func count(name, help string, value uint64) observe.Sample {
	return observe.Sample{Name: name, Help: help, Counter: true, Value: float64(value)}
}

func boolValue(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
