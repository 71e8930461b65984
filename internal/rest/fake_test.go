package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "token-of-the-test"

var instant = time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)

// fake is a catalog that notes what it is asked and answers the same each time.
type fake struct {
	err     error            // the answer to everything
	panic   any              // instead of an answer
	jobs    []job.Job        // the answer of Jobs
	runs    []job.Run        // the answer of Runs
	fills   []job.Backfill   // the answer of Backfills
	letters []job.DeadLetter // the answer of DeadLetters
	old     *job.Job         // the job that is there; nil for aJob
	copies  []catalog.Copied // the answer of CopyJob
	block   chan struct{}    // Run waits for it, when set
	tries   int              // of the answer of Run
	state   job.State        // of the answer of Run; empty for planned
	lines   string           // of the answer of Log
	next    int64            // that of FindRuns, behind a page that is not full
	follows chan struct{}    // closed when FollowLog has shown lines; nil: it ends then

	mu    sync.Mutex
	calls []string
}

func (f *fake) note(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
	if f.panic != nil {
		panic(f.panic)
	}
	return f.err
}

// called returns what was asked since the last time.
func (f *fake) called() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := strings.Join(f.calls, "\n")
	f.calls = nil
	return calls
}

func (f *fake) CreateJob(_ context.Context, j job.Job) (job.Job, error) {
	text, err := json.Marshal(j)
	if err == nil {
		err = f.note("create %s", text)
	}
	j.ID, j.Version, j.CreatedAt, j.UpdatedAt = 7, 1, instant, instant
	return j, err
}

func (f *fake) Job(_ context.Context, namespace, key string) (job.Job, error) {
	if key == "missing" {
		return job.Job{}, job.Errorf(job.NotFound, "no job %q in namespace %q", key, namespace)
	}
	return f.stored(), f.note("job %s/%s", namespace, key)
}

// stored returns the job that is there before the request.
func (f *fake) stored() job.Job {
	if f.old != nil {
		return *f.old
	}
	return aJob()
}

func (f *fake) Jobs(_ context.Context, filter catalog.JobFilter) ([]job.Job, error) {
	return f.jobs, f.note("jobs %+v", filter)
}

func (f *fake) StartJob(_ context.Context, namespace, key string) (job.Job, error) {
	return aJob(), f.note("start %s/%s", namespace, key)
}

func (f *fake) StopJob(_ context.Context, namespace, key string) (job.Job, error) {
	return aJob(), f.note("stop %s/%s", namespace, key)
}

func (f *fake) DeleteJob(_ context.Context, namespace, key string) error {
	return f.note("delete %s/%s", namespace, key)
}

func (f *fake) Trigger(_ context.Context, namespace, key string, t catalog.Trigger) (job.Run, error) {
	text := "its own"
	if t.Param != nil {
		text = fmt.Sprintf("%q", *t.Param)
	}
	if !t.PlannedAt.IsZero() || t.Delay != 0 {
		text += fmt.Sprintf(" for %s after %s", t.PlannedAt.Format(time.RFC3339), t.Delay)
	}
	return aRun(), f.note("trigger %s/%s with %s", namespace, key, text)
}

func (f *fake) AddHistory(_ context.Context, namespace, key, source string, past []catalog.PastRun) (catalog.PastTaken, error) {
	return catalog.PastTaken{Added: 1}, f.note("add %d runs of %s to %s/%s, the first %d %s", len(past), source, namespace, key, past[0].Number, past[0].State)
}

func (f *fake) CancelRun(_ context.Context, id int64, reason string) (job.Run, error) {
	return aRun(), f.note("cancel %d because %q", id, reason)
}

func (f *fake) Run(ctx context.Context, id int64) (job.Run, error) {
	if f.block != nil {
		select {
		case <-f.block:
		case <-ctx.Done():
			return job.Run{}, fmt.Errorf("read run: %w", ctx.Err())
		}
	}
	r := aRun()
	r.Tries = f.tries
	if f.state != "" {
		r.State = f.state
	}
	return r, f.note("run %d", id)
}

func (f *fake) Runs(_ context.Context, filter catalog.RunFilter) ([]job.Run, error) {
	return f.runs, f.note("runs %+v", filter)
}

func (f *fake) Attempts(_ context.Context, run int64) ([]job.Attempt, error) {
	attempt := job.Attempt{
		ID: 99, RunID: run, JobID: 7, Number: 1, State: job.Running, TriggeredAt: instant,
		Evidence: []job.Evidence{{AttemptID: 99, At: instant, State: job.Succeeded, Message: "done", Note: "came late"}},
	}
	return []job.Attempt{attempt}, f.note("attempts %d", run)
}

func (f *fake) Executors(context.Context) ([]job.Executor, error) {
	return []job.Executor{{Namespace: "default", Group: "g", Address: "http://10.0.0.1:9999", LeaseUntil: instant, RegisteredAt: instant, SeenAt: instant, Features: []string{"shell"}}},
		f.note("executors")
}

func aJob() job.Job {
	return job.Job{
		ID: 7, Namespace: "default", Key: "report", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
		Misfire: schedule.MisfireSkip, Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
		Route: job.RouteRound, Overlap: job.OverlapSerial, OnCrash: job.CrashReport, Version: 1,
		CreatedAt: instant, UpdatedAt: instant,
	}
}

func aRun() job.Run {
	return job.Run{
		ID: 1 << 60, JobID: 7, JobKey: "report", PlannedAt: instant, Cause: job.CauseManual, CauseID: 1 << 60,
		State: job.Planned, CreatedAt: instant,
	}
}

// config is that of an API over f.
func (f *fake) config() rest.Config {
	return rest.Config{
		Places: fakePlaces{}, Ledger: &fakeLedger{}, Users: fakeUsers{f}, Grants: fakeUsers{f}, APITokens: fakeUsers{f}, Groups: f, Tokens: f, Drains: f, Cleaner: f,
		Lists: f, Attempts: f, GroupKeeper: f, Stats: f, Overview: f, Jobs: f, Runs: f, Executors: f, Calendars: f, Pauses: f, Firings: f, Backfills: f, Workflows: f, Token: redacted.New(token), Version: "1.2.3",
		Explanations: f, DeadLetters: f, History: f, Revisions: f, Trials: f, Broadcasts: f, Secrets: fakeSecrets{f}, AlarmRules: fakeAlarms{f}, AlarmChannels: fakeAlarms{f}, AlarmSilences: fakeAlarms{f}, Alarms: fakeAlarms{f},
	}
}

// serve starts the API over f. change may alter its configuration.
func serve(t *testing.T, f *fake, change func(*rest.Config)) *httptest.Server {
	t.Helper()
	c := f.config()
	if change != nil {
		change(&c)
	}
	handler, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// send makes an authorized request and returns the response with its body.
func send(t *testing.T, server *httptest.Server, method, path, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return do(t, server, r)
}

func do(t *testing.T, server *httptest.Server, r *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text strings.Builder
	if _, err := io.Copy(&text, response.Body); err != nil {
		t.Fatal(err)
	}
	return response, text.String()
}

func (f *fake) UpdateJob(
	_ context.Context, namespace, key string, version int64, edit func(job.Job) (job.Job, error),
) (job.Job, error) {
	j, err := edit(f.stored())
	if err != nil {
		return job.Job{}, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return job.Job{}, err
	}
	return j, f.note("update %s/%s at %d: %s", namespace, key, version, text)
}

func (f *fake) CopyJob(_ context.Context, namespace, key string, p catalog.Copies) ([]catalog.Copied, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return f.copies, f.note("copy %s/%s: %s", namespace, key, text)
}
