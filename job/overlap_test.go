package job

import "testing"

func TestOverlapLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		job  Job
		want int
	}{
		{"a job of before", Job{Overlap: OverlapSerial}, 0},
		{"the executor counts", Job{Overlap: OverlapSerial, OverlapScope: ScopeExecutor}, 0},
		{"serial", Job{Overlap: OverlapSerial, OverlapScope: ScopeCluster}, 1},
		{"discard", Job{Overlap: OverlapDiscard, OverlapScope: ScopeCluster}, 1},
		{"cover", Job{Overlap: OverlapCover, OverlapScope: ScopeCluster}, 1},
		{"concurrent", Job{Overlap: OverlapConcurrent, OverlapScope: ScopeCluster, Concurrency: 7}, 7},
		{"concurrent without a number", Job{Overlap: OverlapConcurrent, OverlapScope: ScopeCluster}, 1},
		{"a number for another rule", Job{Overlap: OverlapSerial, OverlapScope: ScopeCluster, Concurrency: 7}, 1},
	} {
		if got := c.job.OverlapLimit(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestOverlapRoom(t *testing.T) {
	t.Parallel()
	for queue, want := range map[int]int{0: DefaultOverlapQueue, 1: 1, 5000: 5000} {
		if got := (&Job{OverlapQueue: queue}).OverlapRoom(); got != want {
			t.Errorf("%d: %d, want %d", queue, got, want)
		}
	}
}

func TestOverlapReasons(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		BusyReason(OverlapSerial, 1, 71):     "waits for run 71 of the same job (serial)",
		BusyReason(OverlapConcurrent, 3, 71): "waits: 3 runs of this job are under way, run 71 among them, and no more may be (concurrent)",
		BehindReason(OverlapSerial):          "waits behind runs of the same job that came first (serial)",
		DiscardedReason(71):                  "run 71 of this job is still running (discard)",
		CoveredReason(72):                    "covered by run 72",
		CrowdedReason(1):                     "1 run of this job waits already, and no more may: raise overlap_queue to let more wait",
		CrowdedReason(999):                   "999 runs of this job wait already, and no more may: raise overlap_queue to let more wait",
		CrowdedReason(1000):                  "1,000 runs of this job wait already, and no more may: raise overlap_queue to let more wait",
		CrowdedReason(100_000):               "100,000 runs of this job wait already, and no more may: raise overlap_queue to let more wait",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
