package job

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTrialJob(t *testing.T) {
	t.Parallel()
	j := saved()
	j.Route, j.Shards, j.Overlap, j.OverlapScope, j.Concurrency = RouteBroadcast, 3, OverlapConcurrent, ScopeCluster, 4
	j.OnCrash, j.StopAfter, j.Logs.Off, j.Delivery = CrashRerun, 5, true, Delivery{Selector: map[string]string{"os": "linux"}, Priority: PriorityHigh}
	j.Handler, j.Template, j.TemplateVersion = Handler{Kind: HandlerShell, Source: "of the template"}, 9, 2
	kept := j
	trial := Trial{Timeout: time.Minute, Handler: &Handler{Kind: HandlerPython, Source: "print(1)"}}
	want := j
	want.Handler, want.Template, want.TemplateVersion = *trial.Handler, 0, 0
	want.Route, want.Shards, want.Overlap, want.OverlapScope, want.Concurrency = RouteRound, 0, OverlapSerial, ScopeExecutor, 0
	want.OnCrash, want.StopAfter, want.Children, want.Logs.Off, want.Timeout = CrashReport, 0, nil, false, time.Minute
	want.Delivery.Deadline, want.Delivery.ExpireAfter = 90*time.Second, time.Minute
	if diff := cmp.Diff(want, trial.Job(&j)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(kept, j); diff != "" {
		t.Errorf("the job itself was changed:\n%s", diff)
	}
	j.Route = RouteFailover
	own := Trial{Timeout: time.Second}
	if got := own.Job(&j); got.Handler != j.Handler || got.Template != 9 || got.Route != RouteFailover {
		t.Errorf("without code it tries %+v of template %d by %s", got.Handler, got.Template, got.Route)
	}
}

func TestTrialCheck(t *testing.T) {
	t.Parallel()
	for timeout, fine := range map[time.Duration]bool{
		0: false, -time.Second: false, time.Second - 1: false, time.Second: true, MaxTrialTimeout: true, MaxTrialTimeout + 1: false,
	} {
		if err := (&Trial{Timeout: timeout}).Check(); (err == nil) != fine {
			t.Errorf("%s: %v", timeout, err)
		}
	}
}

// Executors know a trial by an id that no job has and that the wire can carry, and two
// trials near one another by two of them.
func TestTaskJobID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		run := Run{ID: rapid.Int64Range(1, math.MaxInt64-trialIDs).Draw(r, "id"), JobID: 7, Cause: CauseTrial}
		next := run
		next.ID += rapid.Int64Range(1, trialIDs-1).Draw(r, "further")
		id := run.TaskJobID()
		if id <= MaxJobID || id > math.MaxInt32 || id == next.TaskJobID() {
			r.Fatalf("run %d is job %d, run %d is job %d", run.ID, id, next.ID, next.TaskJobID())
		}
		if run.Cause = CauseManual; run.TaskJobID() != 7 {
			r.Fatalf("another run is job %d", run.TaskJobID())
		}
	})
	if Dies(CauseTrial, Failed) {
		t.Error("a trial becomes a dead letter")
	}
}
