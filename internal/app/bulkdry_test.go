package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// What is tried with many says what would happen, and leaves every row as it is, the
// audit among them; the same that is meant does it.
func TestManyAreTried(t *testing.T) {
	t.Parallel()
	s := begin(t)
	var first job.Run
	for i := range 3 {
		key := fmt.Sprintf("job-%d", i)
		_, err := s.Jobs().CreateJob(t.Context(), job.Job{
			Key: key, Group: "g", Enabled: i == 0, Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: 24 * time.Hour},
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
		})
		if err != nil {
			t.Fatal(err)
		}
		run, err := s.Jobs().Trigger(t.Context(), "", key, jobs.Trigger{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = run
		}
	}
	ask := func(path, body string) api.Done {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.config.APIToken.Reveal())
		r.Header.Set("Content-Type", "application/json")
		status, text := send(t, r)
		var done api.Done
		if err := json.Unmarshal([]byte(text), &done); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", body, status, text)
		}
		return done
	}
	if _, err := s.Jobs().CancelRun(t.Context(), first.ID, "not wanted"); err != nil {
		t.Fatal(err)
	}
	before, lines := rows(t, s), len(wholeAudit(t, s))
	for _, c := range []struct {
		path, body      string
		done, unchanged int
	}{
		{"/jobs/bulk", `{"action":"start","filter":{},"dry_run":true}`, 3, 1},
		{"/jobs/bulk", `{"action":"stop","filter":{},"dry_run":true}`, 3, 2},
		{"/jobs/bulk", `{"action":"label","filter":{},"labels":{"a":"b"},"dry_run":true}`, 3, 0},
		{"/jobs/bulk", `{"action":"trigger","keys":["job-1"],"dry_run":true}`, 1, 0},
		{"/jobs/bulk", `{"action":"delete","filter":{},"dry_run":true}`, 3, 0},
		{"/runs/bulk", `{"action":"cancel","filter":{},"dry_run":true}`, 2, 0},
		{"/runs/bulk", fmt.Sprintf(`{"action":"rerun","ids":["%d"],"dry_run":true}`, first.ID), 1, 0},
	} {
		done := ask(c.path, c.body)
		if done.Done != c.done || done.Failed != 0 || done.Unchanged != c.unchanged || done.Items[0].Would == "" {
			t.Errorf("%s: %+v", c.body, done)
		}
		if diff := cmp.Diff(before, rows(t, s)); diff != "" {
			t.Fatalf("%s: rows changed (-before +after):\n%s", c.body, diff)
		}
	}
	if n := len(wholeAudit(t, s)); n != lines {
		t.Errorf("the audit grew from %d lines to %d", lines, n)
	}
	if done := ask("/jobs/bulk", `{"action":"delete","filter":{}}`); done.Done != 3 || rows(t, s) == before {
		t.Errorf("meant: %+v", done)
	}
}
