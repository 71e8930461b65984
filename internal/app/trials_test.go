package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/app/oldadmin"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// scripted starts an executor of group g that runs scripts and lives as long as the
// test, and reports how it is spoken to: in the protocol of the family, or the native one.
func scripted(t *testing.T, s *Server) {
	t.Helper()
	e, err := executor.New(executor.Config{
		Servers: []string{s.URL()}, Token: s.ExecutorToken().Reveal(), Group: "g", Listen: "127.0.0.1:0", Data: t.TempDir(),
		Scripts: true, Beat: time.Second, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- e.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Errorf("the executor stopped with %v", err)
		}
	})
	until(t, "the executor is there", func() bool {
		all, err := s.Jobs().Executors(t.Context())
		return err == nil && len(all) == 1
	})
}

// tryOut is a script about one job.
type tryOut struct {
	*testing.T
	c   *jobs.Catalog
	on  *Server
	key string
}

func (s tryOut) run(id int64) job.Run {
	s.Helper()
	r, err := s.c.Run(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// ends waits for the end of a run, and until its log has all that was written.
func (s tryOut) ends(id int64, want job.State, last string) (text string) {
	s.Helper()
	until(s.T, "the run ends", func() bool { return s.run(id).State.Final() })
	if r := s.run(id); r.State != want {
		s.Fatalf("run %d is %s: %s %s", id, r.State, r.Message, r.Reason)
	}
	until(s.T, "the log has "+last, func() bool {
		page, err := s.on.Queries().Log(s.Context(), id, queries.LogQuery{})
		text = page.Text
		return err == nil && strings.Contains(text, last)
	})
	return text
}

func (s tryOut) try(code string, edit func(*jobs.Attempted)) int64 {
	s.Helper()
	a := jobs.Attempted{By: job.Author{Kind: "user", Name: "ann"}, Owner: "user:7"}
	if code != "" {
		a.Code = &code
	}
	if edit != nil {
		edit(&a)
	}
	r, err := s.c.TryJob(s.Context(), "", s.key, a)
	if err != nil {
		s.Fatal(err)
	}
	return r.ID
}

// A trial runs unsaved code beside a run of its job, on an executor that keeps a thread
// and a script for each job id, and nothing follows from it: not for the run that is
// under way, not for the next one, and not in any figure.
func TestTrials(t *testing.T) {
	t.Parallel()
	server := begin(t)
	scripted(t, server)
	c, ctx := server.Jobs(), t.Context()
	create(t, c, "child", schedule.Spec{Kind: schedule.KindManual})
	saved, err := c.CreateJob(ctx, job.Job{
		Key: "report", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual}, Overlap: job.OverlapCover, StopAfter: 1,
		Handler:  job.Handler{Kind: job.HandlerShell, Source: "echo saved begins; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.1; done; echo saved ends"},
		Children: []job.Child{{JobID: find(t, c, "child").ID, On: job.ChildOnAlways}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := tryOut{t, c, server, "report"}
	first, err := c.Trigger(ctx, "", "report", jobs.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the saved code runs", func() bool { return s.run(first.ID).State == job.Running })
	param := "2030-01-31"
	trial := s.try("echo tried $1 $ORTH_PARAM; exit 7", func(a *jobs.Attempted) { a.Param = &param })
	if text := s.ends(trial, job.Failed, "tried"); strings.Contains(text, "saved") {
		t.Errorf("the trial has written %q", text)
	}
	s.ends(first.ID, job.Succeeded, "saved ends")
	next, err := c.Trigger(ctx, "", "report", jobs.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	if text := s.ends(next.ID, job.Succeeded, "saved ends"); strings.Contains(text, "tried") {
		t.Errorf("the next run has written %q", text)
	}
	// Without code it is the job's own; the timeout is the trial's.
	s.ends(s.try("", nil), job.Succeeded, "saved ends")
	long := s.try("sleep 60", func(a *jobs.Attempted) { a.Timeout = time.Second })
	s.ends(long, job.TimedOut, "")
	s.traces(saved)
}

// traces checks what is left of five runs of the job, three of which are trials.
func (s tryOut) traces(saved job.Job) {
	s.Helper()
	j := find(s.T, s.c, s.key)
	if j.Version != saved.Version || j.Failures != 0 || j.Handler != saved.Handler {
		s.Errorf("the job has changed: %+v", j)
	}
	children, err := s.c.Runs(s.Context(), jobrows.RunFilter{JobID: find(s.T, s.c, "child").ID})
	if err != nil || len(children) != 2 {
		s.Errorf("%d children were started: %v", len(children), err)
	}
	letters, err := s.on.letters.DeadLetters(s.Context(), deadletters.LetterQuery{Sight: access.Sight{All: true}, Job: s.key, Limit: 9})
	if err != nil || len(letters) != 0 {
		s.Errorf("%d dead letters: %v", len(letters), err)
	}
	stats, err := s.on.Queries().Stats(s.Context(), queries.StatsQuery{Sight: access.Sight{All: true}, Job: s.key})
	if err != nil {
		s.Fatal(err)
	}
	var total job.Stats
	for _, day := range stats {
		total.Succeeded, total.Failed, total.Attempts = total.Succeeded+day.Succeeded, total.Failed+day.Failed+day.TimedOut, total.Attempts+day.Attempts
	}
	if total.Succeeded != 2 || total.Failed != 0 || total.Attempts != 2 {
		s.Errorf("the figures are %+v", total)
	}
	revisions, err := s.on.Queries().Revisions(s.Context(), "", s.key, jobrows.RevisionQuery{})
	if err != nil || len(revisions) != 1 {
		s.Errorf("%d revisions: %v", len(revisions), err)
	}
}

// A trial can be cancelled, and that ends nothing else of its job.
func TestCancelTrial(t *testing.T) {
	t.Parallel()
	server := begin(t)
	scripted(t, server)
	c, ctx := server.Jobs(), t.Context()
	_, err := c.CreateJob(ctx, job.Job{
		Key: "report", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
		Handler: job.Handler{Kind: job.HandlerShell, Source: "sleep 2; echo saved ends"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := tryOut{t, c, server, "report"}
	first, err := c.Trigger(ctx, "", "report", jobs.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the saved code runs", func() bool { return s.run(first.ID).State == job.Running })
	trial := s.try("sleep 60", nil)
	until(t, "the trial runs", func() bool { return s.run(trial).State == job.Running })
	if _, err := c.TryJob(ctx, "", "report", jobs.Attempted{Owner: "user:7"}); !job.Is(err, job.Conflict) {
		t.Errorf("a second trial of the same user: %v", err)
	}
	if _, err := c.CancelRun(ctx, trial, ""); err != nil {
		t.Fatal(err)
	}
	until(t, "the trial ends", func() bool { return s.run(trial).State == job.Cancelled })
	s.ends(first.ID, job.Succeeded, "saved ends")
}

// Executors that speak through the job calls are named in the history.
func TestRevisionsOfGroups(t *testing.T) {
	t.Parallel()
	server := begin(t)
	c, ctx := server.Jobs(), t.Context()
	create(t, c, "report", schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour})
	var calls xxl.JobSwitch = oldadmin.JobCalls{Catalog: c, Jobs: server.store}
	if err := calls.StopJob(ctx, "g", find(t, c, "report").ID); err != nil {
		t.Fatal(err)
	}
	found, err := server.Queries().Revisions(ctx, "", "report", jobrows.RevisionQuery{})
	if err != nil || len(found) != 2 || found[0].By != (job.Author{Kind: "group", Name: "g"}) || found[1].By.Kind != job.AuthorServer {
		t.Errorf("%+v, %v", found, err)
	}
}
