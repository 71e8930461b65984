package completer

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// keeping is a store that notes the logs of completions.
type keeping struct {
	*rows

	logs []*Log
}

func (k *keeping) CommitCompletions(ctx context.Context, completions []Completion) ([]bool, error) {
	for i := range completions {
		k.logs = append(k.logs, completions[i].Log)
	}
	return k.rows.CommitCompletions(ctx, completions)
}

// A log that comes with an outcome is stored masked with the end of its attempt, as far as
// the job keeps logs as they come.
func TestLogOfAnOutcome(t *testing.T) {
	t.Parallel()
	kept := &Log{GroupID: 5, Address: "http://10.0.0.1:9999", Text: "token ***\nend\n", Lines: 2}
	long := *kept
	long.KeepFor = time.Hour
	for name, c := range map[string]struct {
		policy job.LogPolicy
		cause  job.Cause
		log    string
		want   *Log
	}{
		"kept":               {log: "token hush-hush\nend\n", want: kept},
		"kept for an hour":   {policy: job.LogPolicy{KeepFor: time.Hour}, log: "token hush-hush\nend\n", want: &long},
		"none came":          {},
		"none is kept":       {policy: job.LogPolicy{Off: true}, log: "one\n"},
		"of a trial":         {policy: job.LogPolicy{Off: true}, cause: job.CauseTrial, log: "token hush-hush\nend\n", want: kept},
		"it may have to cut": {policy: job.LogPolicy{MaxBytes: job.MaxOutcomeLog - 1}, log: "one\n"},
		"it is small enough": {policy: job.LogPolicy{MaxBytes: job.MaxOutcomeLog}, log: "token hush-hush\nend\n", want: kept},
	} {
		s := open(1, 0)
		s.Logs, s.Run.GroupID, s.Attempt.Address = c.policy, 5, "http://10.0.0.1:9999"
		if c.cause != "" {
			s.Run.Cause = c.cause
		}
		store := &keeping{rows: newRows(s)}
		complete(t, New(Config{Store: store, IDs: store, CleanLog: func(text string) string {
			return strings.ReplaceAll(text, "hush-hush", "***")
		}}), job.Outcome{AttemptID: 70, State: job.Succeeded, Log: c.log})
		if diff := cmp.Diff([]*Log{c.want}, store.logs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
