package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

func TestEndings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		completion completer.Completion
		plans      int
		fills      int64
		log        string
	}{
		{"a success", completer.Completion{RunID: 7, RunState: job.Succeeded}, 0, 7, ""},
		{"a retry", completer.Completion{RunID: 7, RunState: job.WaitingRetry}, 0, 0, ""},
		{"a firing that is near", completer.Completion{RunID: 7, RunState: job.Lost, NextAt: time.Now().Add(time.Second)}, 1, 7, ""},
		{"one that is far", completer.Completion{RunID: 7, RunState: job.Lost, NextAt: time.Now().Add(time.Hour)}, 0, 7, ""},
		{
			"the last of too many",
			completer.Completion{RunID: 7, RunState: job.Failed, StopReason: "5 runs failed"},
			0, 7,
			`level=WARN msg="job stopped after failures" run_id=7 attempt_id=0 job_id=0 reason="5 runs failed"`,
		},
	} {
		var log bytes.Buffer
		plans, filled := 0, int64(0)
		endings{
			log:  slog.New(slog.NewTextHandler(&log, nil)),
			plan: func() { plans++ }, fill: func(run int64) { filled = run },
		}.tell(c.completion)
		if plans != c.plans || filled != c.fills || !strings.Contains(log.String(), c.log) || (c.log == "") != (log.Len() == 0) {
			t.Errorf("%s: planner woken %d times, run %d told, log %q", c.name, plans, filled, log.String())
		}
	}
}

func TestExpiredIsAnEnding(t *testing.T) {
	t.Parallel()
	for cause, plans := range map[job.Cause]int{job.CauseSchedule: 1, job.CauseMisfire: 1, job.CauseManual: 0, job.CauseBackfill: 0} {
		planned, filled := 0, int64(0)
		endings{plan: func() { planned++ }, fill: func(run int64) { filled = run }}.expired(job.Run{ID: 7, Cause: cause})
		if planned != plans || filled != 7 {
			t.Errorf("%s: planner woken %d times, run %d told", cause, planned, filled)
		}
	}
}

func TestBurialsAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ended := endings{log: slog.New(slog.NewTextHandler(&log, nil))}
	ended.buried(completer.Completion{RunID: 7, JobID: 3, RunState: job.TimedOut, Message: strings.Repeat("x", 9999), Reason: "gave up after 2 retries"})
	text := log.String()
	const want = `level=WARN msg="run ended badly after its last attempt" run_id=7 attempt_id=0 job_id=3 state=timed_out message=`
	if !strings.Contains(text, want) || !strings.Contains(text, `reason="gave up after 2 retries"`) || len(text) > 600 {
		t.Errorf("logged %q", text)
	}
}
