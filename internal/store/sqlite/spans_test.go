package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// addAllSpans notes the spans of runs that a test has written by itself.
const addAllSpans = `INSERT INTO job_spans SELECT DISTINCT job_id, id >> 14 FROM runs WHERE TRUE ON CONFLICT DO NOTHING`

func fillSpans(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, addAllSpans)
	return err
}

// wantSpans wants the spans of all runs of a database to be noted: lists by job would miss others.
func wantSpans(tb testing.TB, path string) {
	tb.Helper()
	wantNone(tb, path, `SELECT COUNT(*) FROM runs r WHERE NOT EXISTS (
		SELECT 1 FROM job_spans s WHERE s.job = r.job_id AND s.span = r.id >> 14)`)
}

// wantNone wants a query to count nothing.
func wantNone(tb testing.TB, path, query string) {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		tb.Error(err)
		return
	}
	defer func() { _ = db.Close() }()
	found := 0
	if err := db.QueryRowContext(context.WithoutCancel(tb.Context()), query).Scan(&found); err != nil || found != 0 {
		tb.Errorf("%s: %d (%v)", query, found, err)
	}
}

func TestBySpans(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT id FROM runs WHERE job_id = ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?": "SELECT id FROM job_spans s CROSS JOIN runs " +
			"WHERE s.job = ? AND runs.id >> 14 = +s.span AND runs.job_id = s.job AND id < ? AND s.span <= ?2 >> 14 ORDER BY s.span DESC, id DESC LIMIT ? OFFSET ?",
		"SELECT ?, r.id FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.job_id = ? AND r.id < ? AND r.id >= ? AND r.state = ?": "SELECT ?, r.id " +
			"FROM job_spans s CROSS JOIN runs r JOIN jobs j ON j.id = r.job_id WHERE s.job = ? AND r.id >> 14 = +s.span AND r.job_id = s.job " +
			"AND r.id < ? AND r.id >= ? AND s.span <= ?3 >> 14 AND s.span >= ?4 >> 14 AND r.state = ?",
		"SELECT (SELECT l.id FROM runs l WHERE l.job_id = j.id ORDER BY l.id DESC LIMIT 1) FROM jobs j": "SELECT (SELECT l.id FROM job_spans s CROSS JOIN runs l " +
			"WHERE s.job = j.id AND l.id >> 14 = +s.span AND l.job_id = s.job ORDER BY s.span DESC, l.id DESC LIMIT 1) FROM jobs j",
		"SELECT id FROM runs WHERE job_id = ? AND planned_at = ?": "SELECT id FROM runs WHERE job_id = ? AND planned_at = ?",
		"SELECT id FROM runs WHERE id < ? ORDER BY id LIMIT ?":    "SELECT id FROM runs WHERE id < ? ORDER BY id LIMIT ?",
	} {
		if got := bySpans(query); got != want {
			t.Errorf("%s\nbecame %s\nand not %s", query, got, want)
		}
	}
}

// spanned is a store beside a model of it: the runs of some jobs.
type spanned struct {
	*Store
	jobs []int64
	runs map[int64]job.Run
}

var spannedBegin = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// TestListsAcrossSpans compares lists of the runs of a job with lists of a model, while runs are
// written in any order of their ids, near the borders of spans, and removed.
func TestListsAcrossSpans(t *testing.T) {
	t.Parallel()
	path, checks := filepath.Join(t.TempDir(), "orth.db"), int64(0)
	s := mustOpen(t, path, Config{})
	start(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		checks++
		m := spanned{Store: s, runs: make(map[int64]job.Run)}
		for i := range 2 {
			j, err := s.CreateJob(t.Context(), job.Job{
				Namespace: job.DefaultNamespace, Key: fmt.Sprintf("job-%d-%d", checks, i), Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
				Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
			})
			if err != nil {
				rt.Fatal(err)
			}
			m.jobs = append(m.jobs, j.ID)
		}
		const spans = 6
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 12).Draw(rt, "runs") {
				border := (checks*2*spans + rapid.Int64Range(1, spans).Draw(rt, "span")) << spanBits
				m.add(rt, rapid.SampledFrom(m.jobs).Draw(rt, "job"), border+rapid.Int64Range(-3, 3).Draw(rt, "place"))
			}
			wantSpans(t, path)
			m.remove(rt, rapid.IntRange(0, 100).Draw(rt, "percent"), rapid.Uint64().Draw(rt, "seed"))
			for _, id := range m.jobs {
				m.compare(rt, id)
			}
		}
		m.remove(rt, 100, 0)
	})
	wantNone(t, path, "SELECT COUNT(*) FROM job_spans")
}

func (m *spanned) add(rt *rapid.T, jobID, id int64) {
	if _, there := m.runs[id]; there {
		return
	}
	at := spannedBegin.Add(time.Duration(id) * time.Millisecond)
	r := job.Run{ID: id, JobID: jobID, Cause: job.CauseManual, CauseID: id, State: job.Skipped, CreatedAt: at, EndedAt: at}
	if err := m.AddRun(context.Background(), r); err != nil {
		rt.Fatal(err)
	}
	m.runs[id] = r
}

// remove removes some runs.
func (m *spanned) remove(rt *rapid.T, percent int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	var ids []int64
	for _, r := range m.newest(0) {
		if random.IntN(100) < percent {
			ids = append(ids, r)
			delete(m.runs, r)
		}
	}
	if n, err := m.RemoveRuns(context.Background(), ids); n != len(ids) || err != nil {
		rt.Fatalf("%d of %d were removed, %v", n, len(ids), err)
	}
}

// newest returns the ids of the runs of a job, of all for 0, the newest first.
func (m *spanned) newest(jobID int64) []int64 {
	var ids []int64
	for id := range m.runs {
		if jobID == 0 || m.runs[id].JobID == jobID {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids
}

// compare wants lists of a job to be those of the model.
func (m *spanned) compare(rt *rapid.T, jobID int64) {
	ctx, all := context.Background(), m.newest(jobID)
	same := func(what string, got, want []int64, err error) {
		if err != nil || !slices.Equal(got, want) {
			rt.Fatalf("%s: got %v (%v), and want %v of %v", what, got, err, want, all)
		}
	}
	limit := rapid.IntRange(1, 8).Draw(rt, "limit")
	before := int64(0)
	if len(all) > 0 {
		before = rapid.SampledFrom(all).Draw(rt, "before") + rapid.Int64Range(-1, 1).Draw(rt, "beside")
	}
	below := slices.Clone(all)
	if before > 0 {
		below = slices.DeleteFunc(below, func(id int64) bool { return id >= before })
	}
	runs, err := m.Runs(ctx, jobrows.RunFilter{JobID: jobID, BeforeID: before, Limit: limit})
	same("Runs", idsOf(runs, func(r *job.Run) int64 { return r.ID }), below[:min(limit, len(below))], err)

	q := queries.RunQuery{Sight: access.Sight{All: true}, JobID: jobID, BeforeID: before, Limit: limit}
	found, _, err := m.RunPage(ctx, q)
	same("RunPage", idsOf(found, func(f *queries.FoundRun) int64 { return f.Run.ID }), below[:min(limit, len(below))], err)
	q.BeforeID, q.Order = 0, jobrows.Order{By: jobrows.ByEnded, Down: true}
	ranks, err := m.RunRanks(ctx, q)
	same("RunRanks", idsOf(ranks.Runs, func(f *queries.FoundRun) int64 { return f.Run.ID }), all[:min(limit, len(all))], err)

	above := slices.DeleteFunc(slices.Clone(all), func(id int64) bool { return id <= before })
	slices.Reverse(above)
	past, err := m.History(ctx, jobID, before, limit)
	same("History", idsOf(past, func(p *upkeep.Past) int64 { return p.ID }), above[:min(limit, len(above))], err)

	keep, behind := rapid.IntRange(0, 8).Draw(rt, "keep"), int64(0)
	if keep < len(all) {
		behind = all[keep]
	}
	surplus, err := m.Surplus(ctx, jobID, keep)
	same("Surplus", []int64{surplus}, []int64{behind}, err)

	activity, err := m.Activity(ctx, []int64{jobID}, spannedBegin)
	same("Activity", idsOf(activity[jobID].Ended, func(r *job.Run) int64 { return r.ID }), all[:min(queries.MaxRecent, len(all))], err)
	last := int64(0)
	if len(all) > 0 {
		last = all[0]
	}
	same("the last run", []int64{activity[jobID].Last.ID}, []int64{last}, nil)
}

func idsOf[T any](of []T, id func(*T) int64) []int64 {
	ids := make([]int64, len(of))
	for i := range of {
		ids[i] = id(&of[i])
	}
	return ids
}
