package client_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "token-of-the-test"

var instant = time.Date(2030, 1, 31, 8, 0, 0, 123e6, time.UTC)

// memory is a catalog in memory.
type memory struct {
	mu   sync.Mutex
	jobs []job.Job
	runs []job.Run

	calendars []job.Calendar
	pauses    []jobrows.Pause
	fills     []job.Backfill
	flows     flows
	addresses map[string]string // entered by hand, with their groups
	rewrites  []job.Rewrite
	tokens    []job.GroupToken
	ownOnly   bool
	alarms    alarmMemory
	users     userMemory
	ledger    ledgerMemory
	groups    []job.Group
	secrets   secretMemory
}

func (m *memory) CreateJob(_ context.Context, j job.Job) (job.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(j.Namespace, j.Key) >= 0 {
		return job.Job{}, job.Errorf(job.Conflict, "there is a job %q already", j.Key)
	}
	if j.Group == "" {
		return job.Job{}, job.FieldErrorf("group", "is missing")
	}
	j.ID, j.Version, j.CreatedAt, j.UpdatedAt = int64(len(m.jobs)+1), 1, instant, instant
	m.jobs = append(m.jobs, j)
	return j, nil
}

func (m *memory) find(namespace, key string) int {
	return slices.IndexFunc(m.jobs, func(j job.Job) bool { return j.Namespace == namespace && j.Key == key })
}

// change alters one job.
func (m *memory) change(namespace, key string, fn func(*job.Job)) (job.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.find(namespace, key)
	if i < 0 {
		return job.Job{}, job.Errorf(job.NotFound, "there is no job %q", key)
	}
	fn(&m.jobs[i])
	return m.jobs[i], nil
}

func (m *memory) Job(_ context.Context, namespace, key string) (job.Job, error) {
	return m.change(namespace, key, func(*job.Job) {})
}

func (m *memory) Jobs(_ context.Context, f jobrows.JobFilter) ([]job.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []job.Job
	for _, j := range m.jobs {
		if j.Namespace == f.Namespace && (f.Group == "" || f.Group == j.Group) && j.Key > f.AfterKey && len(found) < f.Limit {
			found = append(found, j)
		}
	}
	return found, nil
}

func (m *memory) StartJob(_ context.Context, namespace, key string) (job.Job, error) {
	return m.change(namespace, key, func(j *job.Job) { j.Enabled = true })
}

func (m *memory) StopJob(_ context.Context, namespace, key string) (job.Job, error) {
	return m.change(namespace, key, func(j *job.Job) { j.Enabled = false })
}

func (m *memory) DeleteJob(_ context.Context, namespace, key string) error {
	_, err := m.change(namespace, key, func(j *job.Job) { j.Key = "" })
	return err
}

func (m *memory) Trigger(ctx context.Context, namespace, key string, trigger jobs.Trigger) (job.Run, error) {
	j, err := m.Job(ctx, namespace, key)
	if err != nil {
		return job.Run{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := job.Run{
		ReadyAt: instant.Add(trigger.Delay),
		ID:      1<<60 + int64(len(m.runs)), JobID: j.ID, JobKey: key, Cause: job.CauseManual, State: job.Running,
		Param: trigger.Param, Tries: 1, AttemptID: 1 << 61, PlannedAt: trigger.PlannedAt, CreatedAt: instant,
	}
	m.runs = append(m.runs, r)
	return r, nil
}

func (m *memory) AddHistory(ctx context.Context, namespace, key, _ string, past []jobs.PastRun) (taken jobs.PastTaken, err error) {
	j, err := m.Job(ctx, namespace, key)
	if err != nil {
		return taken, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range past {
		if known := slices.ContainsFunc(m.runs, func(r job.Run) bool { return r.Cause == job.CauseAPI && r.CauseID == p.Number }); known {
			taken.Known++
		} else {
			m.runs = append(m.runs, job.Run{ID: 1<<60 + int64(len(m.runs)), JobID: j.ID, JobKey: key, Cause: job.CauseAPI, CauseID: p.Number, State: p.State, CreatedAt: instant})
			taken.Added++
		}
	}
	return taken, nil
}

// finish ends all runs.
func (m *memory) finish(state job.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.runs {
		m.runs[i].State = state
	}
}

func (m *memory) CancelRun(ctx context.Context, id int64, reason string) (job.Run, error) {
	r, err := m.Run(ctx, id)
	if err == nil && r.State.Final() {
		err = job.Errorf(job.Conflict, "run %d is over already", id)
	}
	r.State, r.Reason = job.Cancelled, reason
	return r, err
}

func (m *memory) Run(_ context.Context, id int64) (job.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.runs {
		if r.ID == id {
			return r, nil
		}
	}
	if id == splitRun {
		return job.Run{ID: id, State: job.Failed}, nil
	}
	return job.Run{}, job.Errorf(job.NotFound, "there is no run %d", id)
}

func (m *memory) Runs(_ context.Context, f jobrows.RunFilter) ([]job.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []job.Run
	for _, r := range slices.Backward(m.runs) {
		if (f.JobID == 0 || f.JobID == r.JobID) && (f.State == "" || f.State == r.State) &&
			(f.BeforeID == 0 || r.ID < f.BeforeID) && len(found) < f.Limit {
			found = append(found, r)
		}
	}
	return found, nil
}

func (m *memory) Attempts(ctx context.Context, run int64) ([]job.Attempt, error) {
	r, err := m.Run(ctx, run)
	return []job.Attempt{{ID: r.AttemptID, RunID: run, JobID: r.JobID, Number: 1, State: job.Running, TriggeredAt: instant}}, err
}

func (m *memory) Executors(context.Context) ([]job.Executor, error) {
	return []job.Executor{{Group: "g", Address: "http://10.0.0.1:9999", LeaseUntil: instant, RegisteredAt: instant, SeenAt: instant, Features: []string{"shell", "python=3.11.2"}}}, nil
}

// config is that of an API over m.
func (m *memory) config() rest.Config {
	return rest.Config{
		Places:     m,
		Ledger:     &m.ledger,
		Secrets:    &m.secrets,
		Users:      &m.users,
		Grants:     &m.users,
		APITokens:  &m.users,
		Groups:     m,
		Tokens:     m,
		Drains:     m,
		Cleaner:    m,
		Broadcasts: m,
		Lists:      m,
		Attempts:   m, GroupKeeper: m,
		Overview: m,
		Stats:    m, Jobs: m, Runs: m, Logs: m, Executors: m, Calendars: m, Pauses: m, Firings: m, Backfills: m, Workflows: m,
		Explanations: m, DeadLetters: m, History: m, Revisions: m, Trials: m, AlarmRules: &m.alarms, AlarmChannels: &m.alarms, AlarmSilences: &m.alarms, Alarms: &m.alarms, Token: redacted.New(token), Version: "1.2.3",
	}
}

// serve starts a real API over m and returns a client of it.
func serve(t *testing.T, m *memory, change func(*client.Config)) *client.Client {
	t.Helper()
	handler, err := rest.New(m.config())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	config := client.Config{Address: server.URL + "/", Token: token}
	if change != nil {
		change(&config)
	}
	return newClient(t, config)
}

func newClient(t *testing.T, config client.Config) *client.Client {
	t.Helper()
	c, err := client.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
