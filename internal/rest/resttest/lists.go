package resttest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
)

// queried returns what of a query was asked for: the fields that are not zero.
func queried(q any) string {
	switch q := q.(type) {
	case queries.JobQuery:
		enabled := "any"
		if q.Enabled != nil {
			enabled = fmt.Sprint(*q.Enabled)
		}
		place := q.Namespace + "/" + q.Group
		if q.Everywhere {
			place = "everywhere from " + place
		}
		return fmt.Sprintf("%s enabled=%s kind=%s handler=%s label=%s text=%s last=%s after=%s limit=%d sight=%+v%s",
			place, enabled, q.Kind, q.Handler, strings.Join(q.Labels, "+"), q.Text, q.Last, q.After, q.Limit, q.Sight, ruled(&q))
	case queries.RunQuery:
		return fmt.Sprintf("%s/%s job=%s states=%v cause=%s created=%v planned=%v ended=%v shards=%t before=%d limit=%d sight=%+v%s",
			q.Namespace, q.Group, q.Job, q.States, q.Cause, span(q.Created), span(q.Planned), span(q.Ended), q.Shards, q.BeforeID, q.Limit, q.Sight, more(&q))
	}
	return ""
}

// ruled returns which calendar and template were asked for, if any.
func ruled(q *queries.JobQuery) string {
	if q.Calendar == "" && q.Template == "" {
		return ""
	}
	return fmt.Sprintf(" calendar=%s template=%s", q.Calendar, q.Template)
}

// besides are the filters that few lists of runs have.
type besides struct {
	executor, label, by, text string
	late, least, most         time.Duration
	minTries, maxTries        int
	causeID                   int64
}

// more returns what was asked for besides, if anything.
func more(q *queries.RunQuery) string {
	asked := besides{q.Executor, q.Label, q.By, q.Text, q.Late, q.MinTook, q.MaxTook, q.MinTries, q.MaxTries, q.CauseID}
	if asked == (besides{}) {
		return ""
	}
	return fmt.Sprintf(" more=%v", asked)
}

func span(s queries.Span) string {
	text := "any"
	if !s.IsZero() {
		text = fmt.Sprintf("%d..%d", job.Millis(s.Since), job.Millis(s.Until))
	}
	return text
}

// FindJobs implements JobLists.
func (f *Fake) FindJobs(_ context.Context, q queries.JobQuery) ([]job.Job, error) {
	jobs := f.FoundJobs[:min(len(f.FoundJobs), max(q.Limit, 0))]
	if q.After != "" && len(jobs) > 0 && jobs[len(jobs)-1].Key <= q.After {
		jobs = nil
	}
	return jobs, f.Note("find jobs %s", queried(q))
}

// FindRuns implements RunLists.
func (f *Fake) FindRuns(_ context.Context, q queries.RunQuery) ([]queries.FoundRun, int64, error) {
	if q.Job == "missing" {
		return nil, 0, job.Errorf(job.NotFound, "no job %q in namespace %q", q.Job, q.Namespace)
	}
	var found []queries.FoundRun
	for _, r := range f.FoundRuns {
		if len(found) < q.Limit {
			found = append(found, queries.FoundRun{Run: r, Namespace: "default", Group: "g"})
		}
	}
	next := f.Next
	if n := len(found); n > 0 && n == q.Limit {
		next = found[n-1].Run.ID
	}
	return found, next, f.Note("find runs %s", queried(q))
}

// Attempt implements AttemptFinder.
func (f *Fake) Attempt(_ context.Context, id int64) (job.Attempt, error) {
	return job.Attempt{ID: id, RunID: 5, JobID: 7, Number: 2, Address: "http://10.0.0.1:9999", State: job.Running, TriggeredAt: Instant}, f.Note("attempt %d", id)
}

// Tokens are who calls, by what they show.
type Tokens map[string]access.Principal

// Caller implements Sessions.
func (f Tokens) Caller(_ context.Context, token string) (access.Principal, error) {
	p, known := f[token]
	if !known {
		return p, job.Errorf(job.Unauthorized, "nobody has this token")
	}
	return p, nil
}

// FindGroups implements GroupFinder.
func (f *Fake) FindGroups(_ context.Context, q jobs.GroupQuery) ([]jobs.GroupFigures, error) {
	return []jobs.GroupFigures{aGroup()}, f.Note("find groups %s after=%s limit=%d sight=%+v", q.Namespace, q.After, q.Limit, q.Sight)
}

// Group implements GroupFinder.
func (f *Fake) Group(_ context.Context, namespace, key string) (jobs.GroupFigures, error) {
	return aGroup(), f.Note("group %s/%s", namespace, key)
}

// CreateGroup implements GroupKeeper.
func (f *Fake) CreateGroup(_ context.Context, g job.Group) (job.Group, error) {
	err := f.Note("create group %s/%s %q", g.Namespace, g.Key, g.Title)
	g.CreatedAt = Instant
	return g, err
}

// DeleteGroup implements GroupKeeper.
func (f *Fake) DeleteGroup(_ context.Context, namespace, key string) error {
	return f.Note("delete group %s/%s", namespace, key)
}

func aGroup() jobs.GroupFigures {
	return jobs.GroupFigures{
		Group: job.Group{ID: 3, Namespace: "default", Key: "g", Title: "Reports", Version: 4, CreatedAt: Instant},
		Jobs:  1, Waiting: 2, Working: 3, Executors: 4, Alive: 5, Draining: 6,
	}
}

// BulkDone makes a request for many and returns what became of each.
func BulkDone(t *testing.T, f *Fake, path, body string, change func(*rest.Config)) (api.Done, string) {
	t.Helper()
	server := Serve(t, f, change)
	response, text := Send(t, server, http.MethodPost, path, body)
	var got api.Done
	if err := json.Unmarshal([]byte(text), &got); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s, %v", body, response.StatusCode, text, err)
	}
	return got, f.Called()
}

// ListOf reads a list.
func ListOf[T any](t *testing.T, f *Fake, path string) (list T) {
	t.Helper()
	response, body := Send(t, Serve(t, f, nil), http.MethodGet, "/api/v1"+path, "")
	if err := json.Unmarshal([]byte(body), &list); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s: %v", path, response.StatusCode, body, err)
	}
	return list
}
