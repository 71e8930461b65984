package workflow

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// wrongWith checks an error.
func wrongWith(t *testing.T, err error, kind job.Kind, text string) {
	t.Helper()
	if job.KindOf(err) != kind || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v of kind %q, want %q of kind %s", err, job.KindOf(err), text, kind)
	}
}

func TestSaveAndStart(t *testing.T) {
	t.Parallel()
	store := newRows()
	store.jobs["job-a"], store.jobs["job-b"] = 100, 101
	woken := 0
	k := NewKeeper(KeeperConfig{Definitions: store, Book: store, Store: store, Jobs: store, Runs: store, Wake: func() { woken++ }})
	w := job.Workflow{Key: "nightly", Nodes: nodes("a", "b:a")}
	saved, err := k.SaveWorkflow(t.Context(), w)
	if err != nil || saved.Namespace != "default" || saved.Version != 1 || saved.UpdatedAt.IsZero() {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	planned := time.Date(2026, 5, 1, 12, 0, 0, 123_456_789, time.FixedZone("CET", 3600))
	made, err := k.StartWorkflow(t.Context(), "", "nightly", "p", planned)
	want := job.WorkflowRun{
		ID: 1, WorkflowID: 3, Namespace: "default", Workflow: "nightly", Version: 1, State: job.WorkflowRunning, Param: "p",
		PlannedAt: planned.UTC().Truncate(time.Millisecond), Generation: 1, Total: 2, CreatedAt: made.CreatedAt,
		Nodes: []job.NodeRun{
			{WorkflowNode: saved.Nodes[0], JobID: 100, State: job.NodeWaiting, Generation: 1},
			{WorkflowNode: saved.Nodes[1], JobID: 101, State: job.NodeWaiting, Generation: 1},
		},
	}
	if diff := cmp.Diff(want, made); diff != "" || err != nil || woken != 1 {
		t.Errorf("started, %v, woken %d times (-want +got):\n%s", err, woken, diff)
	}
	if got, err := k.WorkflowRun(t.Context(), 1); err != nil || !cmp.Equal(got, made) {
		t.Errorf("read %+v, %v", got, err)
	}
	if found, err := k.WorkflowRuns(t.Context(), Filter{Limit: 5000}); err != nil || found[0].Reason != "{Sight:{All:false Places:[]} Namespace:default Workflow: Before:0 Limit:1000}" {
		t.Errorf("listed %+v, %v", found, err)
	}
	if found, err := k.Workflows(t.Context(), ""); err != nil || found[0].Key != "all of default" {
		t.Errorf("listed %+v, %v", found, err)
	}
	if err := k.DeleteWorkflow(t.Context(), "", "nightly"); err != nil {
		t.Error(err)
	}
	_, err = k.Workflow(t.Context(), "", "nightly")
	wrongWith(t, err, job.NotFound, "nightly")
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	store := newRows()
	store.jobs["job-a"] = 100
	k := store.keeper()
	_, err := k.SaveWorkflow(t.Context(), job.Workflow{Key: "w", Nodes: nodes("a:b", "b:a")})
	wrongWith(t, err, job.Invalid, "cycle")
	_, err = k.SaveWorkflow(t.Context(), job.Workflow{Key: "w", Nodes: nodes("a", "b")})
	wrongWith(t, err, job.Invalid, "nodes[1].job: job job-b of node b does not exist in namespace default")
	bad := nodes("a")
	text := "{{nodes.a.result}}"
	bad[0].Param = &text
	_, err = k.SaveWorkflow(t.Context(), job.Workflow{Key: "w", Nodes: bad})
	wrongWith(t, err, job.Invalid, "nodes[0].param")
	_, err = k.StartWorkflow(t.Context(), "", "w", "", time.Time{})
	wrongWith(t, err, job.NotFound, "workflow w")

	store.workflows["w"] = job.Workflow{Key: "w", Namespace: "default", Nodes: nodes("a")}
	_, err = k.StartWorkflow(t.Context(), "", "w", strings.Repeat("x", job.MaxParam+1), time.Time{})
	wrongWith(t, err, job.Invalid, "param: has 65537 bytes")
	_, err = k.StartWorkflow(t.Context(), "", "w", "\xff", time.Time{})
	wrongWith(t, err, job.Invalid, "UTF-8")
	_, err = k.StartWorkflow(t.Context(), "", "w", "a\x00", time.Time{})
	wrongWith(t, err, job.Invalid, "without NUL")
	_, err = k.StartWorkflow(t.Context(), "", "w", "", time.Unix(-1, 0).UTC())
	wrongWith(t, err, job.Invalid, "planned_at")
	clear(store.jobs)
	_, err = k.StartWorkflow(t.Context(), "", "w", "", time.Time{})
	wrongWith(t, err, job.Invalid, "job-a")
}

// What a node gives to its job is checked against the job's inputs when the workflow is saved.
func TestValuesOfNodes(t *testing.T) {
	t.Parallel()
	store := newRows()
	store.jobs["job-a"], store.jobs["job-b"] = 100, 101
	store.inputs = map[string][]job.Input{"job-b": {{Name: "day", Pattern: "[0-9-]+"}}}
	k := store.keeper()
	for _, c := range []struct{ param, wrong string }{
		{`{"day":"2030-01-31"}`, ""},
		{`{"day":"{{nodes.a.result}}"}`, ""},
		{`{{param}}`, ""},
		{`{"day":"today"}`, `nodes[1].param.day: "today" is no value of day`},
		{`{"day":"1","hour":"{{param}}"}`, `nodes[1].param: "hour" is no input of job job-b: there are day`},
		{``, `nodes[1].param.day: the input day has no value and no default`},
		{`none`, `nodes[1].param.day: the input day has no value and no default`},
	} {
		wanted := nodes("a", "b:a")
		if c.param != "none" {
			wanted[1].Param = &c.param
		}
		_, err := k.SaveWorkflow(t.Context(), job.Workflow{Key: "w", Nodes: wanted})
		if c.wrong == "" && err != nil {
			t.Errorf("%s: %v", c.param, err)
		}
		if c.wrong != "" {
			wrongWith(t, err, job.Invalid, c.wrong)
		}
	}
}

// underWayRun returns a store with a workflow run of which a and b are under way.
func underWayRun() *rows {
	r := running("a", "b", "c:a")
	apply(&r, "a=running b=running")
	store := newRows(r)
	store.runs[50] = &job.Run{ID: 50, State: job.Running}
	store.runs[51] = &job.Run{ID: 51, State: job.WaitingRetry}
	return store
}

func TestCancelEndsTheRuns(t *testing.T) {
	t.Parallel()
	store := underWayRun()
	k := store.keeper()
	got, err := k.CancelWorkflowRun(t.Context(), 7, "")
	if err != nil || got.State != job.WorkflowCancelling || got.Reason != "cancelled by a user" || len(store.open()) != 0 {
		t.Fatalf("cancelled %+v, %v; open %v", got, err, store.open())
	}
	slices.Sort(store.killed)
	if !slices.Equal(store.killed, []int64{50, 51}) {
		t.Errorf("ended %v", store.killed)
	}
	e := New(Config{Store: store, IDs: store})
	if _, err := e.runPass(t.Context(), time.Now(), time.Minute); err != nil {
		t.Fatal(err)
	}
	r := store.of(7)
	if r.State != job.WorkflowCancelled || states(&r.WorkflowRun) != "a cancelled, b cancelled, c cancelled" {
		t.Errorf("%s: %s", r.State, states(&r.WorkflowRun))
	}
	got, err = k.CancelWorkflowRun(t.Context(), 7, "again")
	if err != nil || got.Reason != "cancelled by a user" || len(store.killed) != 2 {
		t.Errorf("cancelled again: %+v, %v", got, err)
	}
}

// A run that cannot be ended is told, the others are ended, and asking again
// tries it again.
func TestCancelThatFailsInPart(t *testing.T) {
	t.Parallel()
	store := underWayRun()
	k := store.keeper()
	store.kill = func(id int64) error {
		if id == 50 {
			return job.Errorf(job.Unreachable, "the executor is away")
		}
		return nil
	}
	_, err := k.CancelWorkflowRun(t.Context(), 7, "enough")
	wrongWith(t, err, job.Unreachable, "nothing more of workflow run 7 starts, but node a could not be ended: the executor is away")
	if r := store.of(7); r.State != job.WorkflowCancelling || !slices.Equal(store.open(), []int64{50}) {
		t.Errorf("%s, open %v", r.State, store.open())
	}
	store.kill = func(int64) error { return nil }
	if _, err = k.CancelWorkflowRun(t.Context(), 7, ""); err != nil || len(store.open()) != 0 {
		t.Errorf("again: %v, open %v", err, store.open())
	}
}

// The end of a run that comes first is no error.
func TestCancelOfWhatIsOver(t *testing.T) {
	t.Parallel()
	store := underWayRun()
	store.end(50, job.Succeeded, "")
	if _, err := store.keeper().CancelWorkflowRun(t.Context(), 7, ""); err != nil {
		t.Error(err)
	}
	_, err := store.keeper().CancelWorkflowRun(t.Context(), 8, "")
	wrongWith(t, err, job.NotFound, "cancel workflow run 8")
}

func TestResumeOnlyWhatIsOver(t *testing.T) {
	t.Parallel()
	store := underWayRun()
	k := store.keeper()
	_, err := k.ResumeWorkflowRun(t.Context(), 7)
	wrongWith(t, err, job.Conflict, "workflow run 7 is running")
	store.change(func() {
		apply(&store.books[7].WorkflowRun, "a=failed b=succeeded c=skipped")
		store.books[7].State = job.WorkflowFailed
		store.jobs["job-a"] = 900 // made anew meanwhile
	})
	got, err := k.ResumeWorkflowRun(t.Context(), 7)
	if err != nil || states(&got) != "a waiting, b succeeded, c waiting" || got.Nodes[0].JobID != 900 || got.Generation != 2 {
		t.Errorf("resumed %+v, %v", got, err)
	}
	store.change(func() {
		store.books[7].State = job.WorkflowFailed
		delete(store.jobs, "job-c")
	})
	_, err = k.ResumeWorkflowRun(t.Context(), 7)
	wrongWith(t, err, job.Invalid, "job-c")
	store.change(func() { store.books[7].State = job.WorkflowSucceeded })
	_, err = k.ResumeWorkflowRun(t.Context(), 7)
	wrongWith(t, err, job.Conflict, "has succeeded")
}

// Somebody who writes all the time makes a change fail in the end.
func TestChangeGivesUp(t *testing.T) {
	t.Parallel()
	store := underWayRun()
	store.fail = func() error { store.books[7].step++; return nil }
	_, err := store.keeper().CancelWorkflowRun(t.Context(), 7, "")
	wrongWith(t, err, job.Conflict, "changes all the time")
}
