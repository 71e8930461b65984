package storetest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// PathBatch is how many firings a step of a Path takes at a time by default.
const PathBatch = 500

// Path is firings on their way from due to done, for benchmarks.
type Path struct {
	store.Store
	Runs  []job.Run
	Marks []dispatcher.Mark
	Spent map[string]time.Duration // processor time by the step
	Batch int                      // how many firings a step takes at a time

	at    time.Time // the next firing of all jobs
	limit int
	clock func() time.Duration
}

// NewPath makes as many jobs in a store, which fire all at the same time. clock is the
// processor time that was used so far.
func NewPath(tb testing.TB, s store.Store, clock func() time.Duration, jobs int, edit ...func(*job.Job)) *Path {
	tb.Helper()
	p := &Path{Store: s, at: time.UnixMilli(1_700_000_000_000), limit: jobs, Batch: PathBatch, Spent: map[string]time.Duration{}, clock: clock}
	errs := make(chan error, jobs)
	for i := range jobs {
		go func() {
			j := job.Job{
				Namespace: job.DefaultNamespace, Key: fmt.Sprintf("job-%d", i), Group: "demo", Enabled: true, NextAt: p.at,
				Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "* * * * * ?"}, Misfire: schedule.MisfireSkip,
				Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Route: job.RouteRound,
			}
			for _, fn := range edit {
				fn(&j)
			}
			_, err := p.CreateJob(tb.Context(), j)
			errs <- err
		}()
	}
	for range jobs {
		if err := <-errs; err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

// Measure runs one step and adds its processor time.
func (p *Path) Measure(tb testing.TB, step string, do func() error) {
	tb.Helper()
	before := p.clock()
	if err := do(); err != nil {
		tb.Fatal(err)
	}
	p.Spent[step] += p.clock() - before
}

// Fire fires all jobs once, and sends the runs: each with the move that makes it.
func (p *Path) Fire(tb testing.TB) {
	tb.Helper()
	p.Marks = p.Marks[:0]
	p.plan(tb, "fire", func(moves []planner.Move) error {
		firings := make([]dispatcher.Firing, len(moves))
		for i := range moves {
			r := &moves[i].Runs[0]
			p.Marks = append(p.Marks, p.mark(r, r.ID))
			m := p.Marks[len(p.Marks)-1]
			firings[i] = dispatcher.Firing{Move: &moves[i], Mark: &m}
		}
		births, err := p.CommitFirings(tb.Context(), firings)
		for i, birth := range births {
			if birth != dispatcher.BirthSent {
				return fmt.Errorf("firing %d was born as %d", i, birth)
			}
		}
		return err
	})
}

// mark sends a run.
func (p *Path) mark(r *job.Run, attempt int64) dispatcher.Mark {
	return dispatcher.Mark{
		From: r.State, JobVersion: r.JobVersion, CheckAt: p.at,
		Attempt: job.Attempt{
			ID: attempt, RunID: r.ID, JobID: r.JobID, Number: 1, Address: "http://10.0.0.1:9999", TriggeredAt: r.PlannedAt,
		},
	}
}

// Plan fires all jobs once; the runs wait.
func (p *Path) Plan(tb testing.TB) {
	tb.Helper()
	p.plan(tb, "plan", func(moves []planner.Move) error { return allTrue(p.CommitPlan(tb.Context(), moves)) })
}

// plan decides about the firings of all jobs, and has the moves committed.
func (p *Path) plan(tb testing.TB, step string, commit func(moves []planner.Move) error) {
	tb.Helper()
	p.Runs = p.Runs[:0]
	p.Measure(tb, step, func() error {
		for len(p.Runs) < p.limit {
			due, err := p.DueJobs(tb.Context(), planner.Cursor{}, p.at, p.Batch)
			if err != nil {
				return err
			}
			moves := make([]planner.Move, len(due))
			for i, d := range due {
				id, err := p.NextRunID(tb.Context())
				if err != nil {
					return err
				}
				moves[i] = planner.Move{
					JobID: d.JobID, Version: d.Version, From: d.Next, Next: d.Next.Add(time.Second), Last: d.Next,
					Runs: []job.Run{{
						ID: id, JobID: d.JobID, JobVersion: d.Version, GroupID: d.GroupID, PlannedAt: d.Next, Cause: job.CauseSchedule,
						State: job.Planned, ReadyAt: d.Next.Add(15 * time.Second), DueAt: d.Next, CreatedAt: d.Next,
					}},
				}
				p.Runs = append(p.Runs, moves[i].Runs...)
			}
			if err := commit(moves); err != nil {
				return err
			}
		}
		return nil
	})
	p.at = p.at.Add(time.Second)
}

// Claim claims the runs that wait, as a dispatcher does.
func (p *Path) Claim(tb testing.TB) {
	tb.Helper()
	p.Measure(tb, "claim", func() error {
		for claimed := 0; claimed < len(p.Runs); {
			until := p.at.Add(time.Hour)
			c, err := p.ClaimRuns(tb.Context(), dispatcher.Claim{Groups: []int64{p.Runs[0].GroupID}, Until: until, Lease: until.Add(time.Minute), Limit: p.Batch})
			if err != nil || len(c.Runs) == 0 {
				return fmt.Errorf("%d of %d runs are claimed: %w", claimed, len(p.Runs), err)
			}
			claimed += len(c.Runs)
		}
		return nil
	})
}

// Mark writes the attempts.
func (p *Path) Mark(tb testing.TB) {
	tb.Helper()
	p.Marks = p.Marks[:0]
	p.Measure(tb, "mark", func() error {
		for i := range p.Runs {
			p.Marks = append(p.Marks, p.mark(&p.Runs[i], p.Runs[i].ID))
		}
		for marks := range slices.Chunk(p.Marks, p.Batch) {
			if err := allTrue(p.MarkDispatched(tb.Context(), marks)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Accept notes that executors have them.
func (p *Path) Accept(tb testing.TB) {
	tb.Helper()
	p.Measure(tb, "accept", func() error {
		for marks := range slices.Chunk(p.Marks, p.Batch) {
			accepted := make([]dispatcher.Accepted, len(marks))
			for i, m := range marks {
				accepted[i] = dispatcher.Accepted{AttemptID: m.Attempt.ID, RunID: m.Attempt.RunID, At: p.at}
			}
			if err := p.MarkAccepted(tb.Context(), accepted); err != nil {
				return err
			}
		}
		return nil
	})
}

// Complete ends them as the server does that has sent them and remembers that.
func (p *Path) Complete(tb testing.TB) {
	tb.Helper()
	p.complete(tb, 1)
}

// CompleteForeign ends them as a server does that has not sent them.
func (p *Path) CompleteForeign(tb testing.TB) {
	tb.Helper()
	p.complete(tb, 0)
}

func (p *Path) complete(tb testing.TB, version int64) {
	tb.Helper()
	for marks := range slices.Chunk(p.Marks, p.Batch) {
		ids := make([]int64, len(marks))
		completions := make([]completer.Completion, len(marks))
		for i, m := range marks {
			ids[i] = m.Attempt.ID
			completions[i] = completer.Completion{
				AttemptID: m.Attempt.ID, RunID: m.Attempt.RunID, Outcome: job.Succeeded, RunState: job.Succeeded, EndedAt: p.at,
				JobID: m.Attempt.JobID, JobVersion: version, Namespace: job.DefaultNamespace, Group: "demo", StartedAt: m.Attempt.TriggeredAt,
				Reported: true, TriggeredAt: m.Attempt.TriggeredAt,
			}
			if version != 0 { // executors of Orth send small logs with their outcomes
				completions[i].Log = &completer.Log{GroupID: 1, Address: m.Attempt.Address, Text: "done\n", Lines: 1}
			}
		}
		if version == 0 {
			p.Measure(tb, "snapshot", func() error {
				snapshots, err := p.Snapshots(tb.Context(), ids)
				if err == nil && len(snapshots) != len(ids) {
					err = fmt.Errorf("%d snapshots", len(snapshots))
				}
				return err
			})
		}
		p.Measure(tb, "complete", func() error { return allTrue(p.CommitCompletions(tb.Context(), completions)) })
	}
}

func allTrue(done []bool, err error) error {
	for i, ok := range done {
		if !ok {
			return fmt.Errorf("number %d took no effect", i)
		}
	}
	return err
}

// Remove removes the runs that have ended.
func (p *Path) Remove(tb testing.TB) {
	tb.Helper()
	ids := make([]int64, len(p.Runs))
	for i := range p.Runs {
		ids[i] = p.Runs[i].ID
	}
	p.Measure(tb, "remove", func() error {
		for some := range slices.Chunk(ids, p.Batch) {
			if n, err := p.RemoveRuns(tb.Context(), some); n != len(some) || err != nil {
				return fmt.Errorf("%d were removed: %w", n, err)
			}
		}
		return nil
	})
}

// Report reports runs a second and processor time of a run, also by the step.
func (p *Path) Report(b *testing.B) {
	b.Helper()
	runs := float64(b.N * p.limit)
	b.ReportMetric(runs/b.Elapsed().Seconds(), "runs/s")
	total := time.Duration(0)
	for step, spent := range p.Spent {
		total += spent
		b.ReportMetric(float64(spent.Nanoseconds())/1000/runs, "cpu-us/"+step)
	}
	b.ReportMetric(float64(total.Nanoseconds())/1000/runs, "cpu-us/run")
}

// FillJobs makes copies of the job with the number 1 that do not fire for a long time.
func FillJobs(ctx context.Context, db *sql.DB, jobs int) error {
	const first, later = 1_000_000, 1_000_000_000_000
	if jobs <= 0 {
		return nil
	}
	for _, of := range []struct {
		table, key string
		own        map[string]string
	}{
		{"jobs", "id", map[string]string{"id": fmt.Sprintf("%d + n.i", first), "job_key": "'idle-' || n.i"}},
		{"job_plans", "job_id", map[string]string{
			"job_id": fmt.Sprintf("%d + n.i", first), "next_at": fmt.Sprintf("o.next_at + %d", later), "look_at": fmt.Sprintf("o.look_at + %d", later),
		}},
	} {
		columns, err := columnsOf(ctx, db, of.table)
		if err != nil {
			return err
		}
		values := make([]string, len(columns))
		for i, column := range columns {
			values[i] = cmp.Or(of.own[column], "o."+column)
		}
		_, err = db.ExecContext(ctx, fmt.Sprintf(
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO %s (%s) SELECT %s FROM n CROSS JOIN %s o WHERE o.%s = 1",
			jobs, of.table, strings.Join(columns, ", "), strings.Join(values, ", "), of.table, of.key,
		))
		if err != nil {
			return fmt.Errorf("copy a job %d times: %w", jobs, err)
		}
	}
	return nil
}

// columnsOf returns the names of a table's columns.
func columnsOf(ctx context.Context, db *sql.DB, table string) ([]string, error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT * FROM %s LIMIT 0", table)) //nolint:unqueryvet // Their names are the question.
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	return columns, errors.Join(err, rows.Err())
}

// FillPast writes runs that are over, each with a small log, of pastJobs jobs in turn and the group
// with the number 1, beneath the numbers that a store gives from then on.
func FillPast(ctx context.Context, db *sql.DB, runs int) error {
	const each, pastJobs, first = 100_000, 1000, 1_600_000_000_000
	for from := 0; from < runs; from += each {
		to := min(from+each, runs)
		series := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", from+1, to)
		insert := fmt.Sprintf(`INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, reason, due_at, addresses,
			created_at, ended_at, priority, tries, attempt_id, address, triggered_at, accepted_at, started_at, message, log_text)
			SELECT i, 1 + i %% %[2]d, 1, 1, %[1]d + i, 'schedule', 0, 'succeeded', '', %[1]d + i, '', %[1]d + i, %[1]d + i, 1, 1, i, 'http://10.0.0.1:9999',
			%[1]d + i, %[1]d + i, %[1]d + i, '', '2020-09-13T12:26:40.000Z [orth] started' FROM n`, int64(first), pastJobs)
		if _, err := db.ExecContext(ctx, series+insert); err != nil {
			return fmt.Errorf("write %d runs of the past: %w", to-from, err)
		}
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("UPDATE sequences SET next = next + %d WHERE name = 'runs'", runs))
	return err
}
