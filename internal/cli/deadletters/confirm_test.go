package deadletters

import (
	"bytes"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/job"
)

// All that a filter finds is settled after a yes only, and what is asked says how
// much it is.
func TestSettleAsksFirst(t *testing.T) {
	t.Parallel()
	two := api.Settled{Done: 2, More: true, Letters: []api.SettledItem{
		{RunID: 1, JobKey: "a", State: job.Failed}, {RunID: 2, JobKey: "b", State: job.Lost},
	}}
	for _, c := range []struct {
		name, answer string
		flags        letterAction
		found        api.Settled
		calls, told  string
	}{
		{"yes", "y\n", letterAction{all: true}, two, "dry wet", "2 dead letters of 2 jobs will be retried; more dead letters match. Continue? [y/N]"},
		{"no", "n\n", letterAction{all: true}, two, "dry", "nothing was changed"},
		{"no answer", "", letterAction{all: true}, two, "dry", "nothing was changed"},
		{"none", "y\n", letterAction{all: true}, api.Settled{}, "dry", "No open dead letters found."},
		{"not to be asked", "", letterAction{all: true, yes: true}, two, "wet", "2 dead letters retried"},
		{"dry", "", letterAction{all: true, dryRun: true}, two, "dry", "2 dead letters would be retried"},
		{"named", "", letterAction{}, two, "wet", "2 dead letters retried"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			tool := &kit.Tool{Config: kit.Config{Stdout: &out, Stderr: &errs, Stdin: strings.NewReader(c.answer)}, Output: kit.NewChoice("table", "table", "json")}
			var calls []string
			err := settleLetters(tool, &c.flags, "retried", func(dry bool) (api.Settled, error) {
				calls = append(calls, map[bool]string{true: "dry", false: "wet"}[dry])
				return c.found, nil
			})
			if err != nil || strings.Join(calls, " ") != c.calls || !strings.Contains(errs.String(), c.told) {
				t.Errorf("%v, calls %v, told %q", err, calls, errs.String())
			}
		})
	}
}
