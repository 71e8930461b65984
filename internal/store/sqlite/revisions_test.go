package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// A job that is older than revisions is kept as it stood when it is changed, and when
// it is deleted.
func TestRevisionsOfOldJobs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	var older job.Job
	during(t, path, func(ctx context.Context, s *Store) {
		var err error
		older, err = s.CreateJob(ctx, job.Job{
			Namespace: job.DefaultNamespace, Key: "report", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
			Handler: job.Handler{Kind: job.HandlerShell, Source: "echo old"}, CreatedAt: time.UnixMilli(1000).UTC(), UpdatedAt: time.UnixMilli(2000).UTC(),
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	alter(t, path, "DELETE FROM job_revisions", "DELETE FROM job_codes")
	during(t, path, func(ctx context.Context, s *Store) {
		next := older
		next.Param, next.UpdatedAt = "p", time.UnixMilli(9000).UTC()
		if _, err := s.SaveJob(ctx, next, ""); err != nil {
			t.Fatal(err)
		}
		found, err := s.Revisions(ctx, jobrows.RevisionQuery{JobID: older.ID})
		if err != nil {
			t.Fatal(err)
		}
		server := job.Author{Kind: job.AuthorServer}
		want := []job.Revision{
			{JobID: older.ID, Number: 2, At: next.UpdatedAt, By: server, Changed: []string{"param"}},
			{JobID: older.ID, Number: 1, At: older.UpdatedAt, By: server, Recoded: true},
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("revisions (-want +got):\n%s", diff)
		}
		first, err := s.Revision(ctx, older.ID, 1)
		if diff := cmp.Diff(older.Written(), first.Job); diff != "" || err != nil {
			t.Errorf("the first one, %v (-want +got):\n%s", err, diff)
		}
	})
}

// during opens the store, runs it while fn works, and closes it.
func during(t *testing.T, path string, fn func(ctx context.Context, s *Store)) {
	t.Helper()
	s := mustOpen(t, path, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		mustClose(t, s)
	}()
	fn(ctx, s)
}
