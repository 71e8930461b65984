package upkeep

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// puts is a resolver that answers with err, or puts a value into the parameter.
type puts struct{ err error }

func (p puts) Resolve(_ context.Context, _ *job.Job, t job.Task) (job.Task, error) {
	t.Param = "value"
	return t, p.err
}

// A task that is sent again gets its secrets again; when they cannot be had, the attempt
// has failed, unless its executor has it.
func TestResentTasksAreResolved(t *testing.T) {
	t.Parallel()
	gone, away := job.Errorf(job.Invalid, "secret x does not exist"), job.Errorf(job.Unavailable, "the disk is full")
	for _, test := range []struct {
		name     string
		executor *executor
		err      error
		once     bool
		want     job.State
		sent     bool
	}{
		{"it is sent with them", &executor{}, nil, false, job.Running, true},
		{"it is there already", &executor{holds: map[int64]bool{7: true}}, gone, false, job.Running, false},
		{"one that takes it once is asked first", &executor{holds: map[int64]bool{7: true}}, gone, true, job.Running, false},
		{"it is not there, and cannot be sent", &executor{}, gone, true, job.Failed, false},
		{"nobody can tell now", &executor{}, away, false, job.Dispatched, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := start(t, Config{Resolver: puts{test.err}, Once: func(string, string) bool { return test.once }})
				w.change(func() { w.leases["http://1"], w.executors["http://1"] = true, test.executor })
				w.open(7, "http://1", job.Dispatched)
				pass(6 * time.Second)
				if got := w.state(7); got != test.want {
					t.Errorf("attempt is %s, want %s", got, test.want)
				}
				w.change(func() {
					if (len(w.sent) > 0) != test.sent || test.sent && w.sent[0].Param != "value" {
						t.Errorf("sent %+v", w.sent)
					}
					if test.want == job.Failed && !strings.HasPrefix(w.outcomes[0].Message, "the task was not sent: secret x does not exist") {
						t.Errorf("message %q", w.outcomes[0].Message)
					}
				})
			})
		})
	}
}
