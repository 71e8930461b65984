package app

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// prefix begins the names of the server's metrics. docs/observability.md lists them.
const prefix = "orth_"

// meters are the server's instruments. They are made once, so that counting needs
// neither a look-up nor memory.
type meters struct {
	all *observe.Meters
	// trace returns the trace of a run that is recorded, empty for others.
	trace func(run int64) string

	lag                        map[string]observe.Histogram // by result of the call
	calls                      map[string]observe.Counter   // by result
	claims, claimed            observe.Counter
	renewed, givenBack, lost   observe.Counter
	plans, planned, misfired   observe.Counter
	plannedSkips, turns, stuck observe.Counter
	wait                       observe.Histogram
	durations                  map[job.State]observe.Histogram
	attempts                   map[job.State]observe.Counter
	runs                       map[ending]observe.Counter
	expired                    map[job.State]observe.Counter
	dead                       observe.Counter
	auditLost                  observe.Counter

	steps, left map[string]observe.Counter // by kind of long work
	takeovers   observe.Counter

	transactions, operations, busy observe.Counter
	commits                        observe.Histogram

	callbacks map[[2]string]observe.Counter // by dialect and result
	outcomes  map[string]observe.Counter    // by dialect
	beats     map[[2]string]observe.Counter

	logLines, logBytes, logPacks, logPacked, logAsks, logAskFailures observe.Counter

	guesses  *observe.Counters
	messages *observe.Counters
	requests *observe.Counters
	served   *observe.Histograms
	streams  gauge
}

// ending is how a run has ended, and why it was.
type ending struct {
	outcome job.State
	cause   job.Cause
}

// What became of calls and callbacks.
const (
	resultOK        = "ok"
	resultRefused   = "refused"
	resultFailed    = "failed"
	resultSent      = "sent"
	resultAccepted  = "accepted"
	resultAmbiguous = "ambiguous"
)

// The doors at which tokens are shown, and what became of wrong ones that came too fast.
const (
	doorExecutors = "executors"
	doorAPI       = "api"
	resultSlowed  = "slowed"
)

// limiter returns what slows down wrong tokens at a door.
func (s *Server) limiter(door string, logger *slog.Logger) *tries.Limiter {
	refused, slowed := s.meters.guesses.Of(door, resultRefused), s.meters.guesses.Of(door, resultSlowed)
	return tries.NewLimiter(tries.Config{Pace: s.config.Guesses, Door: door, Logger: logger, Counted: func(late bool) {
		if late {
			slowed.Add(1)
			return
		}
		refused.Add(1)
	}})
}

// The bounds of histograms, in seconds.
func lagBounds() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
}

func runBounds() []float64 {
	return []float64{.005, .01, .05, .1, .5, 1, 5, 10, 30, 60, 300, 900, 1800, 3600, 10800, 43200}
}

func callBounds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// newMeters makes all instruments, so that each series is there from the start.
func newMeters() *meters {
	all := observe.NewMeters(prefix)
	m := &meters{all: all, trace: func(int64) string { return "" }}
	one := func(name, help string) observe.Counter { return all.Counter(name, help).Of() }
	m.ofPath(all, one)
	m.ofEnds(all)
	m.ofWorks(all)
	m.ofWire(all)
	m.transactions = one("database_transactions_total", "Transactions that were committed.")
	m.operations = one("database_operations_total", "Writes in transactions that were committed.")
	m.busy = one("database_failures_total", "Transactions that the database did not take.")
	m.commits = all.Histogram("database_transaction_seconds", "Time of a transaction, with its commit.", callBounds()).Of()
	m.logLines = one("logbook_lines_total", "Lines of logs that were stored.")
	m.logBytes = one("logbook_text_bytes_total", "Text of logs that was stored, before it was compressed.")
	m.logPacks = one("logbook_packs_total", "Packs of logs that were written.")
	m.logPacked = one("logbook_pack_bytes_total", "Bytes of the packs of logs that were written.")
	m.logAsks = one("logbook_asks_total", "Questions for lines of logs to executors.")
	m.logAskFailures = one("logbook_ask_failures_total", "Questions for lines of logs that failed.")
	m.messages = all.Counter("alarm_messages_total", "Messages about alarms, by kind of channel and whether it took them.", "channel", "result")
	m.requests = all.Counter("http_requests_total", "Requests to the API, by operation and class of status.", "operation", "status")
	m.served = all.Histogram("http_request_seconds", "Time of requests to the API.", callBounds(), "operation")
	m.guesses = all.Counter("wrong_tokens_total", "Wrong tokens, by door and whether they were answered as such.", "door", "result")
	for _, door := range []string{doorExecutors, doorAPI} {
		m.guesses.Of(door, resultRefused)
		m.guesses.Of(door, resultSlowed)
	}
	for _, kind := range alarm.ChannelKinds() {
		m.messages.Of(string(kind), resultSent)
		m.messages.Of(string(kind), resultFailed)
	}
	m.requests.Of(guard.NoOperation, statusClass(http.StatusUnauthorized))
	m.served.Of(guard.NoOperation)
	return m
}

// ofPath makes what counts runs on their way.
func (m *meters) ofPath(all *observe.Meters, one func(name, help string) observe.Counter) {
	m.plans = one("planner_jobs_total", "Jobs that were moved on to their next firing.")
	planned := all.Counter("runs_planned_total", "Runs that schedules have made: on time, to make up for what was missed, or only to tell why nothing is sent.", "kind")
	m.planned, m.misfired, m.plannedSkips = planned.Of("on_time"), planned.Of("misfired"), planned.Of("skipped")
	m.turns = one("planner_turns_total", "Looks of the planner at the database.")
	m.stuck = one("planner_failures_total", "Looks of the planner at the database that failed.")
	m.claims = one("dispatcher_claims_total", "Looks of the dispatcher for runs that nobody holds.")
	m.claimed = one("dispatcher_claimed_runs_total", "Runs that the dispatcher took because nobody held them.")
	kept := all.Counter("dispatcher_renewals_total", "What became of the claims of runs that the dispatcher held.", "result")
	m.renewed, m.givenBack, m.lost = kept.Of("renewed"), kept.Of("given_back"), kept.Of("lost")
	lag := all.Histogram("schedule_lag_seconds", "Time from when a run was due to the answer of its executor.", lagBounds(), "result")
	calls := all.Counter("dispatch_calls_total", "Tasks that were brought to executors, by what became of that.", "result")
	m.lag, m.calls = map[string]observe.Histogram{}, map[string]observe.Counter{}
	for _, result := range []string{resultAccepted, "duplicate", resultRefused, "full", "unreachable", resultAmbiguous, resultFailed} {
		m.lag[result], m.calls[result] = lag.Of(result), calls.Of(result)
	}
	m.wait = all.Histogram("run_wait_seconds", "Time from when a run was due until it was sent, of attempts that have ended.", lagBounds()).Of()
}

// ofEnds makes what counts ends.
func (m *meters) ofEnds(all *observe.Meters) {
	durations := all.Histogram("run_duration_seconds", "Time from the start of an attempt to its end, by outcome.", runBounds(), "outcome")
	attempts := all.Counter("attempts_ended_total", "Attempts that have ended, by outcome.", "outcome")
	runs := all.Counter("runs_ended_total", "Runs that have ended, by outcome and cause.", "outcome", "cause")
	given := all.Counter("runs_given_up_total", "Runs that ended without an attempt, by outcome.", "outcome")
	m.durations, m.attempts = map[job.State]observe.Histogram{}, map[job.State]observe.Counter{}
	m.runs, m.expired = map[ending]observe.Counter{}, map[job.State]observe.Counter{}
	for _, outcome := range job.States() {
		if !outcome.Final() {
			continue
		}
		m.durations[outcome], m.attempts[outcome] = durations.Of(string(outcome)), attempts.Of(string(outcome))
		m.expired[outcome] = given.Of(string(outcome))
		for _, cause := range causes() {
			m.runs[ending{outcome, cause}] = runs.Of(string(outcome), string(cause))
		}
	}
	m.auditLost = all.Counter("audit_file_lost_total", "Lines of the audit that are not in its file, only in the database.").Of()
	m.dead = all.Counter("dead_letters_total", "Runs that became dead letters.").Of()
}

func causes() []job.Cause {
	return []job.Cause{
		job.CauseSchedule, job.CauseMisfire, job.CauseManual, job.CauseAPI, job.CauseParent, job.CauseRetry, job.CauseBackfill,
		job.CauseRedrive, job.CauseShard, job.CauseTrial,
	}
}

// The dialects of the doors for executors.
const (
	dialectXXL    = "xxl-job"
	dialectNative = "native"
)

// ofWire makes the counters of executor requests.
func (m *meters) ofWire(all *observe.Meters) {
	callbacks := all.Counter("callbacks_total", "Batches of outcomes that executors brought, by dialect and result.", "dialect", "result")
	outcomes := all.Counter("callback_outcomes_total", "Outcomes that executors brought, by dialect.", "dialect")
	beats := all.Counter("registrations_total", "Beats and farewells of executors, by dialect and result.", "dialect", "result")
	m.callbacks, m.beats, m.outcomes = map[[2]string]observe.Counter{}, map[[2]string]observe.Counter{}, map[string]observe.Counter{}
	for _, dialect := range []string{dialectXXL, dialectNative} {
		m.outcomes[dialect] = outcomes.Of(dialect)
		for _, result := range []string{resultOK, resultRefused, resultFailed} {
			m.callbacks[[2]string{dialect, result}] = callbacks.Of(dialect, result)
			m.beats[[2]string{dialect, result}] = beats.Of(dialect, result)
		}
	}
}

// sent implements dispatcher.Hooks.
func (m *meters) sent(late time.Duration, err error) {
	result := callResult(err)
	m.lag[result].Took(late)
	m.calls[result].Add(1)
}

// callResult returns the label of an executor's answer.
func callResult(err error) string {
	if err == nil {
		return resultAccepted
	}
	switch kind := job.KindOf(err); kind {
	case job.Duplicate:
		return "duplicate"
	case job.Full:
		return "full"
	case job.Unreachable:
		return "unreachable"
	case job.Ambiguous:
		return resultAmbiguous
	case job.Refused, job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound:
		return resultRefused
	default:
		return resultFailed
	}
}

// claim counts what the dispatcher took.
func (m *meters) claim(rows map[int64]int) {
	m.claims.Add(1)
	for _, n := range rows {
		m.claimed.Add(n)
	}
}

// plan implements planner.Hooks.
func (m *meters) plan(p planner.Planned) {
	m.plans.Add(p.Jobs)
	m.planned.Add(p.Runs - p.Misfired)
	m.misfired.Add(p.Misfired)
	m.plannedSkips.Add(p.Skipped)
}

// turned implements planner.Hooks.
func (m *meters) turned(err error) {
	m.turns.Add(1)
	if err != nil {
		m.stuck.Add(1)
	}
}

// ended counts the end of an attempt.
func (m *meters) ended(c *completer.Completion) {
	if c.RunState.Final() {
		m.runs[ending{c.RunState, c.Cause}].Add(1)
	}
	if c.Waiting {
		return // the attempt was over before
	}
	trace := m.trace(c.RunID)
	m.attempts[c.Outcome].Add(1)
	m.wait.Example(c.Late, trace)
	if !c.StartedAt.IsZero() {
		m.durations[c.Outcome].Example(c.EndedAt.Sub(c.StartedAt), trace)
	}
}

// gaveUp counts a run that ended without an attempt.
func (m *meters) gaveUp(r *job.Run) { m.expired[r.State].Add(1) }

// committed implements sqlstore.Hooks.
func (m *meters) committed(operations int, took time.Duration, err error) {
	switch {
	case err == nil:
		m.transactions.Add(1)
		m.operations.Add(operations)
	case job.Is(err, job.Unavailable):
		m.busy.Add(1)
	}
	m.commits.Took(took)
}

// restHooks are those of the API.
func (m *meters) restHooks() guard.Hooks {
	return guard.Hooks{
		Served: func(operation string, status int, took time.Duration) {
			m.requests.Of(operation, statusClass(status)).Add(1)
			m.served.Of(operation).Took(took)
		},
		Streaming: m.streams.add,
	}
}

// statusClass returns 2xx for 204.
func statusClass(status int) string { return string(rune('0'+min(max(status/100, 0), 9))) + "xx" }

// metricsPage shows the figures.
func (s *Server) metricsPage() http.Handler {
	return observe.NewMetrics(observe.Config{
		Prefix: prefix, Collect: s.samples, Meters: s.meters.all, Logger: s.config.Logger.With("room", "metrics"),
	})
}

// wrote is called after each transaction.
func (s *Server) wrote(operations int, took time.Duration, err error) {
	s.meters.committed(operations, took, err)
	s.ready.committed(err)
}

// sent is called after each call to an executor.
func (s *Server) sent(late time.Duration, err error) {
	s.meters.sent(late, err)
	s.tally.took(late, err)
}

// planned is called after each plan.
func (s *Server) planned(p planner.Planned) {
	s.meters.plan(p)
	s.tally.planned.Add(int64(p.Runs))
}

// duePlanner returns what plans the due firings of a job before the job changes.
func (s *Server) duePlanner(ready func(at time.Time), logger *slog.Logger) *planner.DuePlanner {
	return planner.NewDuePlanner(planner.DueConfig{
		Store: s.store, IDs: s.store, CatchUpRate: s.config.CatchUpRate, Logger: logger, Hooks: planner.Hooks{Left: s.left(ready), Planned: s.planned},
	})
}

// planDue plans what is due of a job now, by the database's time.
func (s *Server) planDue(due *planner.DuePlanner) func(ctx context.Context, jobID int64) error {
	return func(ctx context.Context, jobID int64) error {
		_, err := due.PlanDue(ctx, jobID, s.cluster.Now().UTC().Truncate(time.Millisecond))
		return err
	}
}

// turned is called after each turn of the planner.
func (s *Server) turned(err error) {
	s.meters.turned(err)
	s.ready.planned(err)
}

// buildSample reports the version of the program.
func buildSample(version string) observe.Sample {
	return observe.Sample{
		Name: "build_info", Help: "1, with the version of the server and of Go as labels.", Value: 1,
		Labels: [][2]string{{"version", version}, {"goversion", strings.TrimPrefix(runtime.Version(), "go")}},
	}
}

// counted is a door's way to the completer that is counted.
type counted struct {
	next interface {
		CompleteAs(ctx context.Context, caller job.Caller, outcomes []job.Outcome) error
	}
	dialect string
	m       *meters
}

// CompleteAs implements xxl.Outcomes and native.Outcomes.
func (c counted) CompleteAs(ctx context.Context, caller job.Caller, outcomes []job.Outcome) error {
	if c.dialect == dialectXXL {
		// No server of that family reads the instant, so executors may send any.
		for i := range outcomes {
			outcomes[i].TriggeredAt = time.Time{}
		}
	}
	err := c.next.CompleteAs(ctx, caller, outcomes)
	c.m.callbacks[[2]string{c.dialect, heardResult(err)}].Add(1)
	c.m.outcomes[c.dialect].Add(len(outcomes))
	return err
}

// countedLeases is a door's way to the registry that is counted.
type countedLeases struct {
	next interface {
		Register(ctx context.Context, b job.Beat) error
		Deregister(ctx context.Context, group, address string) error
	}
	dialect string
	m       *meters
}

// Register implements xxl.Leases and native.Leases.
func (c countedLeases) Register(ctx context.Context, b job.Beat) error {
	err := c.next.Register(ctx, b)
	c.m.beats[[2]string{c.dialect, heardResult(err)}].Add(1)
	return err
}

// Deregister implements xxl.Leases and native.Leases.
func (c countedLeases) Deregister(ctx context.Context, group, address string) error {
	err := c.next.Deregister(ctx, group, address)
	c.m.beats[[2]string{c.dialect, heardResult(err)}].Add(1)
	return err
}

// heardResult returns the label of the result of an executor's request.
func heardResult(err error) string {
	switch job.KindOf(err) {
	case job.Refused, job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound, job.Conflict:
		return resultRefused
	default:
		if err != nil {
			return resultFailed
		}
		return resultOK
	}
}
