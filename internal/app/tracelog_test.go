package app

import (
	"log/slog"
	"strings"
	"testing"
)

func TestLinesNameTheTrace(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(traceLog{Handler: slog.NewTextHandler(&out, nil), traceOf: func(run int64) string {
		if run == 7 {
			return "abc"
		}
		return ""
	}})
	for _, line := range []struct {
		write func()
		trace bool
	}{
		{func() { log.Info("one", "room", "x", "run_id", int64(7)) }, true},
		{func() { log.With("run_id", int64(7)).Info("two") }, true},
		{func() { log.With("run_id", int64(8)).Info("three", "run_id", int64(7)) }, true},
		{func() { log.Info("four", "run_id", int64(8)) }, false},
		{func() { log.Info("five", "run_id", "7") }, false},
		{func() { log.Info("six") }, false},
	} {
		out.Reset()
		line.write()
		if got := strings.Contains(out.String(), "trace_id=abc"); got != line.trace {
			t.Errorf("%s", out.String())
		}
	}
}
