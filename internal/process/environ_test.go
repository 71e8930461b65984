package process

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 1, 36, 40, 671e6, time.UTC)
	got := Facts{
		JobID: 7, AttemptID: 41, RunID: 9, Try: 2, Param: "a\x00b", TriggeredAt: at, Deadline: at.Truncate(time.Second),
		ShardIndex: 2, ShardTotal: 5, Labels: map[string]string{"team.a-b": "x"}, Zone: time.UTC,
		Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}.Environ()
	want := []string{
		"ORTH_JOB_ID=7", "ORTH_JOB_PARAM=a", "ORTH_JOB_LOG_ID=41", "ORTH_LOG_ID=41",
		"ORTH_JOB_SCHEDULE_TIME=", "ORTH_SCHEDULE_TIME=",
		"ORTH_JOB_TRIGGER_TIME=2026-11-21T01:36:40.671Z", "ORTH_TRIGGER_TIME=2026-11-21T01:36:40.671Z",
		"ORTH_JOB_SHARD_INDEX=2", "ORTH_SHARD_INDEX=2", "ORTH_JOB_SHARD_TOTAL=5", "ORTH_SHARD_TOTAL=5",
		"ORTH_JOB_RUN_ID=9", "ORTH_JOB_TRY=2", "ORTH_JOB_DEADLINE=2026-11-21T01:36:40Z",
		"TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "ORTH_LABEL_TEAM_A_B=x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if few := (Facts{}).Environ(); len(few) != 12 {
		t.Errorf("nothing known: %q", few)
	}
}

func TestInherited(t *testing.T) {
	t.Setenv("ORTH_TEST_SECRET", "secret")
	t.Setenv("ORTH_TEST_KEPT", "kept")
	t.Setenv("LC_ORTH", "locale")
	env := Inherited([]string{"ORTH_TEST_KEPT"})
	for text, want := range map[string]bool{
		"ORTH_TEST_KEPT=kept": true, "LC_ORTH=locale": true, "ORTH_TEST_SECRET=secret": false,
	} {
		if slices.Contains(env, text) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		{Isolation: "jail"}, {Grace: -1}, {Linger: -1}, {Limits: Limits{Memory: -1}}, {Limits: Limits{CPUTime: -1}},
	} {
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{64 << 20: "64 MiB", 1 << 30: "1 GiB", 1536: "1536 bytes", 2048: "2 KiB"} {
		if got := formatSize(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}
