package backfills

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// TestProgress draws a bar on a terminal, and tells each tenth elsewhere.
func TestProgress(t *testing.T) {
	t.Parallel()
	stages := []api.Backfill{
		{Slots: 20, Made: 1, State: job.BackfillRunning},
		{Slots: 20, Made: 2, Succeeded: 1, State: job.BackfillRunning},
		{Slots: 20, Made: 4, Succeeded: 2, Failed: 1, State: job.BackfillRunning},
		{Slots: 20, Made: 4, Succeeded: 2, Failed: 1, State: job.BackfillRunning},
		{Slots: 20, Made: 15, Succeeded: 14, Failed: 1, Skipped: 5, State: job.BackfillFinished},
	}
	for name, c := range map[string]struct {
		drawn bool
		want  string
	}{
		"lines": {false, "3 of 20 slots done, 2 succeeded, 1 failed, 1 running\n20 of 20 slots done, 14 succeeded, 1 failed, 5 skipped\n"},
		"bar": {true, "\r\x1b[K[..............................] 0 of 20 slots done, 1 running" +
			"\r\x1b[K[#.............................] 1 of 20 slots done, 1 succeeded, 1 running" +
			"\r\x1b[K[####..........................] 3 of 20 slots done, 2 succeeded, 1 failed, 1 running" +
			"\r\x1b[K[####..........................] 3 of 20 slots done, 2 succeeded, 1 failed, 1 running" +
			"\r\x1b[K[##############################] 20 of 20 slots done, 14 succeeded, 1 failed, 5 skipped\r\x1b[K"},
	} {
		var out bytes.Buffer
		w := watcher{out: &out, bar: terminal.NewBar(&out)}
		if c.drawn {
			w.bar = terminal.NewDrawnBar(&out)
		}
		for i := range stages {
			w.show(&stages[i])
		}
		w.bar.Clear()
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	empty := watcher{out: &bytes.Buffer{}, bar: terminal.NewDrawnBar(&bytes.Buffer{})}
	empty.show(&api.Backfill{State: job.BackfillFinished}) // no slots: no division by zero
}
