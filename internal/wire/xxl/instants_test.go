package xxl

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// TestInstantsOfDialects: among executors and servers an instant is a number of milliseconds, under
// the name that the dialect has for it; what has none is 0, never a text.
func TestInstantsOfDialects(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 2, 9, 47, 671e6, time.UTC)
	task := job.Task{AttemptID: 1, JobID: 2, Handler: job.Handler{Kind: job.HandlerShell, Source: "id", SourceAt: at}, TriggeredAt: at, PlannedAt: at}
	numbers := func(text []byte) []string {
		return regexp.MustCompile(`"(?:logDateTime?|glueUpdatetime|scheduleTime)":[^,}]*`).FindAllString(string(text), -1)
	}
	fork := forked()
	fork.Planned = true
	const run, glue, planned = `"logDateTime":1795226987671`, `"glueUpdatetime":1795226987671`, `"scheduleTime":1795226987671`
	const short, whole = `"logDateTim":1795226987671`, run
	for _, c := range []struct {
		speech            dialect.Speech
		run, log, outcome []string
	}{
		{dialect.Speeches()[0], []string{run, glue}, []string{short, whole}, []string{short}},
		{dialect.Speeches()[1], []string{run, glue}, []string{short}, []string{short}},
		{dialect.Speeches()[2], []string{run, glue}, []string{short}, []string{short}},
		{dialect.Speeches()[3], []string{run, glue}, []string{whole}, []string{whole}},
		{fork, []string{run, glue, planned}, []string{short, whole}, []string{short}},
	} {
		sent, err := dialect.AppendTask(nil, &task, &c.speech)
		if err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2][]string{
			"a task":     {numbers(sent), c.run},
			"a log":      {numbers(dialect.LogRequest{Attempt: 1, At: at, From: 1}.Encode(c.speech.LogDates)), c.log},
			"an outcome": {numbers(dialect.AppendOutcome(nil, &c.speech, job.Outcome{AttemptID: 1, TriggeredAt: at, State: job.Succeeded}, false)), c.outcome},
		} {
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("%s, %s: %v, want %v", c.speech.Dialect, what, pair[0], pair[1])
			}
		}
	}
	if got := numbers(dialect.AppendOutcome(nil, &fork, job.Outcome{AttemptID: 1, State: job.Failed}, false)); !slices.Equal(got, []string{`"logDateTim":0`}) {
		t.Errorf("an outcome without an instant: %v", got)
	}
}
