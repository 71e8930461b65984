package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// manyLetters copies the one run of a database, and gives each copy a dead letter. The
// columns of a copy that are not named are those of the run.
//
//nolint:unqueryvet // whatever columns there are
const manyLetters = `
	CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10005)
		SELECT r.*, n.i AS i FROM runs r, n;
	UPDATE copies SET id = id + i, cause_id = id + i, created_at = created_at + i * 1000;
	ALTER TABLE copies DROP COLUMN i;
	ALTER TABLE copies DROP COLUMN firing;
	INSERT INTO runs SELECT * FROM copies;
	` + addAllSpans + `;
	INSERT INTO dead_letters (run_id, job_id, group_id, namespace, state, status, ended_at, closed_reason, message)
		SELECT id, job_id, group_id, 'default', 'failed', 'open', 2000000000000 - created_at, '', 'no' FROM copies;`

// Of more dead letters than are sorted at once those of the newest runs are, on all
// pages; the answer says since when.
func TestLettersBeyondTheWindow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	s, err := Open(path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	start(t, s)
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	j, err := s.CreateJob(ctx, job.Job{
		Namespace: job.DefaultNamespace, Key: "report", Group: "g", Handler: job.Handler{Kind: job.HandlerNamed, Name: "h"}, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddRun(ctx, job.Run{ID: 1000, JobID: j.ID, Cause: job.CauseManual, CauseID: 1000, State: job.Queued, ReadyAt: now, CreatedAt: now}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // which has the temporary table
	defer closing(t, db)
	if _, err := db.ExecContext(ctx, manyLetters); err != nil {
		t.Fatal(err)
	}
	for _, f := range []deadletters.LetterFilter{{}, {Status: job.LetterOpen}, {JobID: j.ID}} {
		f.Sight, f.Order, f.Limit = access.Sight{All: true}, jobrows.Order{By: jobrows.ByEnded}, 1000
		seen, last := map[int64]bool{}, int64(1<<62)
		for more := true; more; {
			page, err := s.LetterRanks(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
			if since := now.Add(6 * time.Second); !page.Since.Equal(since) {
				t.Fatalf("sorted since %s, want %s", page.Since, since)
			}
			for i := range page.Letters {
				run := page.Letters[i].RunID
				if run >= last || seen[run] {
					t.Fatalf("run %d comes behind %d", run, last)
				}
				seen[run], last, f.Mark = true, run, &page.Marks[i]
			}
			more = page.More
		}
		if len(seen) != deadletters.MaxRankedLetters || seen[1005] || !seen[1006] || !seen[11005] {
			t.Errorf("%+v: %d letters were listed", f, len(seen))
		}
	}
}
