//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// TestStop stops an executor with one task that runs and others that wait: what
// runs may end, what waits is kept for the next start or handed back, and nobody
// gets a task in.
func TestStop(t *testing.T) {
	t.Parallel()
	const handedBack = "failed: the executor stops and hands its waiting tasks back [job not executed, in the job queue, killed.]"
	for _, c := range []struct {
		drain   string
		waiting string // the outcome of what waits, once the executor has stopped
	}{
		{drain: "keep"},
		{drain: "return", waiting: handedBack},
	} {
		t.Run(c.drain, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, scratch(t), "--drain", c.drain)
			r.start("")
			gate := filepath.Join(t.TempDir(), "gate")
			l := load{id: 1, overlap: job.OverlapSerial, body: "until [ -e " + gate + " ]; do sleep 0.05; done"}
			r.flood([]load{l}, 1)
			eventually(t, func() error {
				if began, _, _ := r.ran(); began[1] == 0 {
					return fmt.Errorf("the first task has not begun")
				}
				return nil
			})
			l.body = ""
			r.flood([]load{l}, 5)
			if n := len(r.accepted()); n != 6 {
				t.Fatalf("%d tasks were accepted, want 6", n)
			}
			r.now.ask()
			if text := r.refusal(load{id: 2, overlap: job.OverlapSerial}); !strings.Contains(text, "stopping") {
				t.Errorf("a stopping executor refuses with %q", text)
			}
			mustWrite(t, gate, "")
			if code := r.now.ended(); code != 0 {
				t.Errorf("the executor's exit code is %d, want 0", code)
			}
			if got := r.admin.of(1); !slices.Equal(got, []string{"succeeded: "}) {
				t.Errorf("the task that ran has the outcomes %q", got)
			}
			var want []string
			if c.waiting != "" {
				want = []string{c.waiting}
			}
			for id := int64(2); id <= 6; id++ {
				if got := r.admin.of(id); !slices.Equal(got, want) {
					t.Errorf("attempt %d, which waited, has the outcomes %q, want %q", id, got, want)
				}
			}
			kept := r.queue("list", "--state", "scheduled", "--limit", "1000")
			for id := 2; id <= 6; id++ {
				if found := strings.Contains(kept, fmt.Sprintf("\n%d ", id)); found != (c.drain == "keep") {
					t.Errorf("attempt %d is kept: %t\n%s", id, found, kept)
				}
			}
			r.start("")
			r.resend()
			r.settled()
			r.stop()
			r.judge(verdict{outcomes: want})
		})
	}
}

// refusal sends tasks until one is not taken and returns the executor's text, or
// "" when it was not there any more.
func (r *rig) refusal(l load) string {
	for {
		switch q := r.send(l); {
		case q.fate == unknown, strings.Contains(q.text, "connect"):
			return ""
		case q.fate == refused:
			return q.text
		}
	}
}

// TestSecondExecutorLeavesTheFirstAlone starts a second executor on a folder:
// it says what is wrong and what to do, and the first one goes on.
func TestSecondExecutorLeavesTheFirstAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, scratch(t))
	r.start("")
	loads := mix()
	r.flood(loads, 3)
	_, stderr, code := run(t, []string{"ORTH_EXECUTOR_TOKEN=" + secretToken}, "executor", "--servers", r.admin.url,
		"--group", "torture", "--listen", freeAddress(t), "--data", r.data, "--scripts")
	if code != 5 {
		t.Errorf("the second executor's exit code is %d, want 5: a conflict", code)
	}
	for _, want := range []string{r.data, "another process", "stop that process"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the error lacks %q: %s", want, stderr)
		}
	}
	noStack(t, "the second executor", stderr)
	r.flood(loads, 3)
	r.settled()
	r.stop()
	r.judge(verdict{})
}

// TestSentAgain sends an attempt again that has ended: the answer is that it is
// known, also when a new task would be refused, and after a kill. Another answer
// would have it run elsewhere too.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, scratch(t))
	r.start("")
	l := load{id: 1, overlap: job.OverlapDiscard}
	first := r.send(l)
	r.settled()
	l.body = "sleep 60"
	again := func(when string) {
		t.Helper()
		if err := r.client.Run(t.Context(), "http://"+r.address, first.task); !job.Is(err, job.Duplicate) {
			t.Errorf("the attempt again, %s: %v, want a duplicate", when, err)
		}
	}
	r.flood([]load{l}, 1)
	if q := r.send(l); q.fate != refused || !strings.Contains(q.text, "Discard Later") {
		t.Errorf("a third task meets the busy job: %q", q.text)
	}
	again("while its job is busy")
	r.kill()
	r.start("")
	r.flood([]load{l}, 1)
	again("while its job is busy, after a kill")
	r.kill()
	r.start("")
	r.settled()
	r.stop()
	r.judge(verdict{})
}
