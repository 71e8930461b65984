package workflow

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// apply sets the states of nodes: "a=succeeded b=running". A node under way has
// the run 50 and its place.
func apply(r *job.WorkflowRun, text string) {
	for part := range strings.FieldsSeq(text) {
		name, state, _ := strings.Cut(part, "=")
		for i := range r.Nodes {
			n := &r.Nodes[i]
			if n.Name != name {
				continue
			}
			n.State = job.NodeState(state)
			if n.State != job.NodeWaiting && n.State != job.NodeSkipped {
				n.RunID, n.StartedAt = int64(50+i), now.Add(-time.Minute)
			}
		}
	}
	r.Count()
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const cancelling = job.WorkflowCancelling
	for _, c := range []struct {
		name   string
		nodes  string // split at blanks
		before string
		ended  string // "a=failed"
		want   string
		starts string // names
		state  job.WorkflowState
		reason string
	}{
		{"the roots start", "a b:a c", "", "", "a running, b waiting, c running", "a c", job.WorkflowRunning, ""},
		{"a success goes on", "a b:a", "a=running", "a=succeeded", "a succeeded, b running", "b", job.WorkflowRunning, ""},
		{"nothing has ended", "a b:a", "a=running", "", "a running, b waiting", "", job.WorkflowRunning, ""},
		{
			"a failure stops the rest", "a b:a c:b d:c*", "a=running", "a=failed",
			"a failed, b skipped, c skipped, d running", "d", job.WorkflowRunning, "",
		},
		{"and is the end", "a b:a c:b", "a=running", "a=timed_out", "a failed, b skipped, c skipped", "", job.WorkflowFailed, "node a has failed"},
		{"a lost run", "a", "a=running", "a=lost", "a failed", "", job.WorkflowFailed, "node a has failed"},
		{"a run that a user cancelled", "a", "a=running", "a=cancelled", "a failed", "", job.WorkflowFailed, "node a has failed"},
		{"all is well", "a b:a", "a=succeeded b=running", "b=succeeded", "a succeeded, b succeeded", "", job.WorkflowSucceeded, ""},
		{"the other branch", "a b:a c:a!", "a=running", "a=succeeded", "a succeeded, b running, c skipped", "b", job.WorkflowRunning, ""},
		{"a handler starts", "a b:a c:a!", "a=running", "a=failed", "a failed, b skipped, c running", "c", job.WorkflowRunning, ""},
		{
			"what was handled is no failure", "a b:a c:a!", "a=failed b=skipped c=running", "c=succeeded",
			"a failed, b skipped, c succeeded", "", job.WorkflowSucceeded, "",
		},
		{
			"a handler that fails", "a c:a!", "a=failed c=running", "c=failed",
			"a failed, c failed", "", job.WorkflowFailed, "node c has failed",
		},
		{
			"what cleans up handles nothing", "a b:a*", "a=failed b=running", "b=succeeded",
			"a failed, b succeeded", "", job.WorkflowFailed, "node a has failed",
		},
		{"all waits for all", "a b c:a,b", "a=succeeded b=running", "", "a succeeded, b running, c waiting", "", job.WorkflowRunning, ""},
		{"all needs all", "a b c:a,b", "a=running b=running", "a=failed", "a failed, b running, c skipped", "", job.WorkflowRunning, ""},
		{"any needs one", "a b c/any:a,b", "a=running b=running", "a=succeeded", "a succeeded, b running, c running", "c", job.WorkflowRunning, ""},
		{"any waits for the last", "a b c/any:a,b", "a=failed b=running", "", "a failed, b running, c waiting", "", job.WorkflowRunning, ""},
		{"any of none", "a b c/any:a,b", "a=failed b=running", "b=failed", "a failed, b failed, c skipped", "", job.WorkflowFailed, "nodes a, b have failed"},
		{
			"any forgives the others", "a b c/any:a,b", "a=failed b=succeeded c=running", "c=succeeded",
			"a failed, b succeeded, c succeeded", "", job.WorkflowSucceeded, "",
		},
		{"two of three", "a b c d/2:a,b,c", "a=succeeded b=failed c=running", "", "a succeeded, b failed, c running, d waiting", "", job.WorkflowRunning, ""},
		{"two of three hold", "a b c d/2:a,b,c", "a=succeeded b=failed c=running", "c=succeeded", "a succeeded, b failed, c succeeded, d running", "d", job.WorkflowRunning, ""},
		{"two of three cannot", "a b c d/2:a,b,c", "a=failed b=failed c=running", "", "a failed, b failed, c running, d skipped", "", job.WorkflowRunning, ""},
		{
			"many failures", "a b c d e f g", "a=failed b=failed c=failed d=failed e=failed f=failed g=running", "g=failed",
			"a failed, b failed, c failed, d failed, e failed, f failed, g failed", "", job.WorkflowFailed, "nodes a, b, c, d, e, 2 more have failed",
		},
		{"an order against the grain", "d:c c:b b:a a", "a=running", "a=failed", "d skipped, c skipped, b skipped, a failed", "", job.WorkflowFailed, "node a has failed"},
		{"cancelling starts nothing", "a b:a", "a=running", "a=succeeded", "a succeeded, b cancelled", "", job.WorkflowCancelled, "enough"},
		{"cancelling waits", "a b c:a", "a=running b=running", "a=cancelled", "a cancelled, b running, c cancelled", "", cancelling, "enough"},
		{"what fails while it is cancelled has failed", "a", "a=running", "a=failed", "a failed", "", job.WorkflowCancelled, "enough"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := running(strings.Fields(c.nodes)...)
			if strings.HasPrefix(c.name, "cancelling") || strings.Contains(c.name, "while it is cancelled") {
				r.State, r.Reason = cancelling, "enough"
			}
			apply(&r, c.before)
			untouched := running(strings.Fields(c.nodes)...)
			untouched.State, untouched.Reason = r.State, r.Reason
			apply(&untouched, c.before)
			w := Work{Run: r, Step: 4, Ended: map[int64]End{}}
			for part := range strings.FieldsSeq(c.ended) {
				name, state, _ := strings.Cut(part, "=")
				for i := range r.Nodes {
					if r.Nodes[i].Name == name {
						w.Ended[r.Nodes[i].RunID] = End{State: job.State(state), Message: "said", Reason: "why"}
					}
				}
			}
			step, starts := decide(w, now.Add(456*time.Microsecond), plain)
			var names []string
			for _, i := range starts {
				names = append(names, step.Run.Nodes[i].Name)
			}
			got := []any{states(&step.Run), strings.Join(names, " "), step.Run.State, step.Run.Reason, step.Number, len(step.Runs)}
			if diff := cmp.Diff([]any{c.want, c.starts, c.state, c.reason, int64(4), len(starts)}, got); diff != "" {
				t.Errorf("decide (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(untouched, r); diff != "" {
				t.Errorf("decide changed what it was given:\n%s", diff)
			}
			if over := c.state.Over(); over != step.Run.EndedAt.Equal(now) || over == step.Look.After(now) {
				t.Errorf("over: %t, ended at %s, next look %s", over, step.Run.EndedAt, step.Look)
			}
		})
	}
}

// What a run of a node looks like, and what a node keeps.
func TestRunOfANode(t *testing.T) {
	t.Parallel()
	r := running("a", "b:a")
	text := "{{nodes.a.result}}/{{param}}"
	r.Nodes[1].Param = &text
	apply(&r, "a=running")
	step, starts := decide(Work{Run: r, Ended: map[int64]End{50: {State: job.Succeeded, Message: strings.Repeat("ä", job.MaxNodeResult+1)}}}, now, plain)
	result := step.Run.Nodes[0].Result
	if n := len([]rune(result)); n != job.MaxNodeResult || !strings.HasSuffix(result, job.CutMark) {
		t.Errorf("the result has %d characters", n)
	}
	param := result + "/p"
	want := []job.Run{{
		JobID: 101, PlannedAt: r.PlannedAt, Cause: job.CauseParent, State: job.Planned, Reason: "workflow nightly run 7, node b",
		ReadyAt: now, DueAt: now, Param: &param, Loose: true, CreatedAt: now,
	}}
	if diff := cmp.Diff(want, step.Runs); diff != "" || !cmp.Equal(starts, []int{1}) || !cmp.Equal(step.Changed, []int{0, 1}) {
		t.Errorf("starts %v, changes %v, runs (-want +got):\n%s", starts, step.Changed, diff)
	}
	if n := step.Run.Nodes[1]; !n.StartedAt.Equal(now) || n.Generation != 1 || n.RunID != 0 {
		t.Errorf("the node: %+v", n)
	}
}

func TestReasonsOfNodes(t *testing.T) {
	t.Parallel()
	r := running("a", "b", "c", "d:a,b!,c", "e")
	apply(&r, "a=running b=succeeded c=skipped e=running")
	step, _ := decide(Work{Run: r, Ended: map[int64]End{
		50: {State: job.TimedOut, Message: "too slow"}, 54: {State: job.Skipped, Reason: "busy"},
	}}, now, plain)
	for i, want := range map[int]string{
		0: "run 50: timed out: too slow", 3: "not reached: a has failed, b has succeeded, c was skipped", 4: "run 54: skipped: busy",
	} {
		if got := step.Run.Nodes[i].Reason; got != want {
			t.Errorf("node %s: %q, want %q", step.Run.Nodes[i].Name, got, want)
		}
	}
}

// A parameter that does not fit fails its node, and what follows goes on from
// there.
func TestParamThatDoesNotFit(t *testing.T) {
	t.Parallel()
	r := running("a", "b:a!", "c:a")
	text := "{{param}}{{param}}"
	r.Nodes[0].Param, r.Param = &text, strings.Repeat("x", job.MaxParam/2+1)
	step, starts := decide(Work{Run: r}, now, plain)
	if got := states(&step.Run); got != "a failed, b running, c skipped" || len(starts) != 1 || len(step.Runs) != 1 {
		t.Errorf("%s, starts %v", got, starts)
	}
	if reason := step.Run.Nodes[0].Reason; !strings.Contains(reason, "make the parameter: the parameter has more than 65536 bytes") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	for ago, want := range map[time.Duration]time.Duration{
		0: time.Second, 3 * time.Second: time.Second, 20 * time.Second: 5 * time.Second, 20 * time.Hour: 15 * time.Second,
		-time.Hour: time.Second, // the clock was set back
	} {
		r := running("a", "b")
		apply(&r, "a=running b=running")
		r.Nodes[0].StartedAt, r.Nodes[1].StartedAt = now.Add(-100*time.Hour), now.Add(-ago)
		if step, _ := decide(Work{Run: r}, now, plain); !step.Look.Equal(now.Add(want)) || len(step.Changed) != 0 {
			t.Errorf("%s after the last start it is looked at after %s, want %s", ago, step.Look.Sub(now), want)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	r := running("a", "b", "c:a", "d:b")
	apply(&r, "a=running b=succeeded d=running")
	step := cancel(r, 9, "enough", now, plain)
	if got := states(&step.Run); got != "a running, b succeeded, c cancelled, d running" || step.Run.State != job.WorkflowCancelling {
		t.Errorf("%s: %s", step.Run.State, got)
	}
	if !cmp.Equal(step.Cancel, []int64{50, 53}) || step.Number != 9 || !step.Look.Equal(now.Add(15*time.Second)) {
		t.Errorf("cancels %v, number %d, look %s", step.Cancel, step.Number, step.Look)
	}
	r = running("a", "b:a")
	if step = cancel(r, 9, "enough", now, plain); step.Run.State != job.WorkflowCancelled || !step.Run.EndedAt.Equal(now) || step.Run.Done != 2 {
		t.Errorf("with nothing under way: %+v", step.Run)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, nodes, before, want string }{
		{"the failed and what follows", "a b:a c:b d", "a=failed b=skipped c=skipped d=succeeded", "a waiting, b waiting, c waiting, d succeeded"},
		{
			"what was handled stays", "a b:a! c:a d:b", "a=failed b=succeeded c=skipped d=failed",
			"a failed, b succeeded, c skipped, d waiting",
		},
		{"what cleaned up stays", "a b:a*", "a=failed b=succeeded", "a waiting, b succeeded"},
		{"the branch not taken stays", "a b:a c:a! d:c e:b", "a=succeeded b=failed c=skipped d=skipped e=skipped", "a succeeded, b waiting, c skipped, d skipped, e waiting"},
		{"the cancelled", "a b:a c:b", "a=succeeded b=cancelled c=cancelled", "a succeeded, b waiting, c waiting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := running(strings.Fields(c.nodes)...)
			apply(&r, c.before)
			r.State, r.Reason, r.EndedAt = job.WorkflowFailed, "it failed", now.Add(-time.Second)
			for i := range r.Nodes {
				r.Nodes[i].Reason, r.Nodes[i].EndedAt = "why", now
			}
			step := resume(r, 5, map[string]int64{"job-a": 900, "job-b": 901}, now)
			got := step.Run
			if states(&got) != c.want {
				t.Errorf("%s, want %s", states(&got), c.want)
			}
			if got.State != job.WorkflowRunning || got.Reason != "" || !got.EndedAt.IsZero() || got.Generation != 2 || !step.Look.Equal(now) {
				t.Errorf("the run: %+v", got)
			}
			for i := range got.Nodes {
				n := got.Nodes[i]
				if n.State != job.NodeWaiting {
					if diff := cmp.Diff(r.Nodes[i], n); diff != "" {
						t.Errorf("node %s was changed:\n%s", n.Name, diff)
					}
					continue
				}
				want := job.NodeRun{WorkflowNode: r.Nodes[i].WorkflowNode, State: job.NodeWaiting, Generation: 2}
				want.JobID = map[string]int64{"job-a": 900, "job-b": 901}[n.Job]
				if diff := cmp.Diff(want, n); diff != "" {
					t.Errorf("node %s (-want +got):\n%s", n.Name, diff)
				}
			}
		})
	}
}
