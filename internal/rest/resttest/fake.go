package resttest

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

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Token is that of the server.
const Token = "token-of-the-test"

// Instant is the time of all that is stored.
var Instant = time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)

// Fake is a catalog that notes what it is asked and answers the same each time.
type Fake struct {
	Err       error            // the answer to everything
	Panic     any              // instead of an answer
	FoundJobs []job.Job        // the answer of Jobs
	FoundRuns []job.Run        // the answer of Runs
	Fills     []job.Backfill   // the answer of Backfills
	Letters   []job.DeadLetter // the answer of DeadLetters
	Old       *job.Job         // the job that is there; nil for aJob
	Copies    []jobs.Copied    // the answer of CopyJob
	Block     chan struct{}    // Run waits for it, when set
	Tries     int              // of the answer of Run
	State     job.State        // of the answer of Run; empty for planned
	Lines     string           // of the answer of Log
	Next      int64            // that of FindRuns, behind a page that is not full
	Follows   chan struct{}    // closed when FollowLog has shown lines; nil: it ends then

	mu    sync.Mutex
	calls []string
}

// Note notes what is asked, and returns the answer to everything.
func (f *Fake) Note(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
	if f.Panic != nil {
		panic(f.Panic)
	}
	return f.Err
}

// Called returns what was asked since the last time.
func (f *Fake) Called() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := strings.Join(f.calls, "\n")
	f.calls = nil
	return calls
}

// CreateJob implements JobKeeper.
func (f *Fake) CreateJob(_ context.Context, j job.Job) (job.Job, error) {
	text, err := json.Marshal(j)
	if err == nil {
		err = f.Note("create %s", text)
	}
	j.ID, j.Version, j.CreatedAt, j.UpdatedAt = 7, 1, Instant, Instant
	return j, err
}

// Job implements JobKeeper.
func (f *Fake) Job(_ context.Context, namespace, key string) (job.Job, error) {
	if key == "missing" {
		return job.Job{}, job.Errorf(job.NotFound, "no job %q in namespace %q", key, namespace)
	}
	return f.stored(), f.Note("job %s/%s", namespace, key)
}

// stored returns the job that is there before the request.
func (f *Fake) stored() job.Job {
	if f.Old != nil {
		return *f.Old
	}
	return StoredJob()
}

// Jobs implements JobKeeper.
func (f *Fake) Jobs(_ context.Context, filter jobrows.JobFilter) ([]job.Job, error) {
	return f.FoundJobs, f.Note("jobs %+v", filter)
}

// StartJob implements JobSwitch.
func (f *Fake) StartJob(_ context.Context, namespace, key string) (job.Job, error) {
	return StoredJob(), f.Note("start %s/%s", namespace, key)
}

// StopJob implements JobSwitch.
func (f *Fake) StopJob(_ context.Context, namespace, key string) (job.Job, error) {
	return StoredJob(), f.Note("stop %s/%s", namespace, key)
}

// DeleteJob implements JobSwitch.
func (f *Fake) DeleteJob(_ context.Context, namespace, key string) error {
	return f.Note("delete %s/%s", namespace, key)
}

// Trigger implements Triggers.
func (f *Fake) Trigger(_ context.Context, namespace, key string, t jobs.Trigger) (job.Run, error) {
	text := "its own"
	if t.Param != nil {
		text = fmt.Sprintf("%q", *t.Param)
	}
	if !t.PlannedAt.IsZero() || t.Delay != 0 {
		text += fmt.Sprintf(" for %s after %s", t.PlannedAt.Format(time.RFC3339), t.Delay)
	}
	return StoredRun(), f.Note("trigger %s/%s with %s", namespace, key, text)
}

// AddHistory implements HistoryKeeper.
func (f *Fake) AddHistory(_ context.Context, namespace, key, source string, past []jobs.PastRun) (jobs.PastTaken, error) {
	return jobs.PastTaken{Added: 1}, f.Note("add %d runs of %s to %s/%s, the first %d %s", len(past), source, namespace, key, past[0].Number, past[0].State)
}

// CancelRun implements RunStarter.
func (f *Fake) CancelRun(_ context.Context, id int64, reason string) (job.Run, error) {
	return StoredRun(), f.Note("cancel %d because %q", id, reason)
}

// Run implements RunReader.
func (f *Fake) Run(ctx context.Context, id int64) (job.Run, error) {
	if f.Block != nil {
		select {
		case <-f.Block:
		case <-ctx.Done():
			return job.Run{}, fmt.Errorf("read run: %w", ctx.Err())
		}
	}
	r := StoredRun()
	r.Tries = f.Tries
	if f.State != "" {
		r.State = f.State
	}
	return r, f.Note("run %d", id)
}

// Runs implements RunReader.
func (f *Fake) Runs(_ context.Context, filter jobrows.RunFilter) ([]job.Run, error) {
	return f.FoundRuns, f.Note("runs %+v", filter)
}

// Attempts implements RunReader.
func (f *Fake) Attempts(_ context.Context, run int64) ([]job.Attempt, error) {
	attempt := job.Attempt{
		ID: 99, RunID: run, JobID: 7, Number: 1, State: job.Running, TriggeredAt: Instant,
		Evidence: []job.Evidence{{AttemptID: 99, At: Instant, State: job.Succeeded, Message: "done", Note: "came late"}},
	}
	return []job.Attempt{attempt}, f.Note("attempts %d", run)
}

// Executors implements Executors.
func (f *Fake) Executors(context.Context) ([]job.Executor, error) {
	return []job.Executor{{Namespace: "default", Group: "g", Address: "http://10.0.0.1:9999", LeaseUntil: Instant, RegisteredAt: Instant, SeenAt: Instant, Features: []string{"shell"}}},
		f.Note("executors")
}

// StoredJob returns the job that is there.
func StoredJob() job.Job {
	return job.Job{
		ID: 7, Namespace: "default", Key: "report", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
		Misfire: schedule.MisfireSkip, Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
		Route: job.RouteRound, Overlap: job.OverlapSerial, OnCrash: job.CrashReport, Version: 1,
		CreatedAt: Instant, UpdatedAt: Instant,
	}
}

// StoredRun returns the run that is there.
func StoredRun() job.Run {
	return job.Run{
		ID: 1 << 60, JobID: 7, JobKey: "report", PlannedAt: Instant, Cause: job.CauseManual, CauseID: 1 << 60,
		State: job.Planned, CreatedAt: Instant,
	}
}

// Config is that of an API over f.
func (f *Fake) Config() rest.Config {
	return rest.Config{
		Places: FakePlaces{}, Ledger: &FakeLedger{}, Users: fakeUsers{f}, Grants: fakeUsers{f}, APITokens: fakeUsers{f}, Groups: f, Tokens: f, Drains: f, Cleaner: f,
		Lists: f, Attempts: f, GroupKeeper: f, Stats: f, Overview: f, Jobs: f, Runs: f, Logs: f, Executors: f, Calendars: f, Pauses: f, Firings: f, Backfills: f, Workflows: f, Token: redacted.New(Token), Version: "1.2.3",
		Explanations: f, DeadLetters: f, History: f, Revisions: f, Trials: f, Broadcasts: f, Secrets: fakeSecrets{f}, AlarmRules: fakeAlarms{f}, AlarmChannels: fakeAlarms{f}, AlarmSilences: fakeAlarms{f}, Alarms: fakeAlarms{f},
	}
}

// Serve starts the API over f. change may alter its configuration.
func Serve(t *testing.T, f *Fake, change func(*rest.Config)) *httptest.Server {
	t.Helper()
	c := f.Config()
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

// Send makes an authorized request and returns the response with its body.
func Send(t *testing.T, server *httptest.Server, method, path, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+Token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return Do(t, server, r)
}

// Do makes a request and returns the response with its body.
func Do(t *testing.T, server *httptest.Server, r *http.Request) (*http.Response, string) {
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

// UpdateJob implements JobEditor.
func (f *Fake) UpdateJob(
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
	return j, f.Note("update %s/%s at %d: %s", namespace, key, version, text)
}

// CopyJob implements JobEditor.
func (f *Fake) CopyJob(_ context.Context, namespace, key string, p jobs.Copies) ([]jobs.Copied, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return f.Copies, f.Note("copy %s/%s: %s", namespace, key, text)
}
