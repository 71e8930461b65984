//go:build unix && failpoints

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestKillAtEveryStep kills an executor under load at each step that a task takes
// through it, at an early and a late hit, and lets the judge compare what was
// accepted, what ran and what was reported.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	const big = 480 << 10 // bytes of a script: enough of them fill files of the queue, which are cleaned then
	for _, c := range []struct {
		kills string // of the first process
		then  string // of the second
		bytes int
	}{
		{kills: "runner/accepting=kill"},
		{kills: "runner/accepting=kill:20"},
		{kills: "runner/stored=kill"},
		{kills: "runner/stored=kill:20"},
		{kills: "runner/accepted=kill"},
		{kills: "runner/accepted=kill:15"},
		{kills: "runner/started=kill"},
		{kills: "runner/started=kill:15"},
		{kills: "runner/ended=kill"},
		{kills: "runner/ended=kill:15"},
		{kills: "runner/finished=kill"},
		{kills: "runner/finished=kill:15"},
		{kills: "outbox/sent=kill"},
		{kills: "outbox/sent=kill:3"},
		{kills: "outbox/dropped=kill"},
		{kills: "outbox/dropped=kill:3"},
		{kills: "journal/written=kill:2"},
		{kills: "journal/written=kill:30"},
		{kills: "journal/synced=kill:2"},
		{kills: "journal/synced=kill:30"},
		{kills: "queue/durable=kill:2"},
		{kills: "queue/durable=kill:30"},
		// The first hit is that of the start.
		{kills: "journal/created=kill:2", bytes: big},
		{kills: "journal/cleaned=kill", bytes: big},
		{kills: "journal/cleaned=kill:2", bytes: big},
		// In the recovery after a kill.
		{kills: "runner/started=kill:8", then: "runner/settled=kill"},
		{kills: "runner/ended=kill:8", then: "runner/recovered=kill"},
		{kills: "runner/started=kill:8", then: "journal/written=kill"},
		{kills: "runner/finished=kill:8", then: "journal/synced=kill"},
		{kills: "journal/written=kill:20", then: "queue/durable=kill"},
		{kills: "journal/cleaned=kill", then: "journal/cleaned=kill", bytes: big},
		{kills: "runner/ended=kill:8", then: "outbox/sent=kill"},
	} {
		t.Run(strings.TrimSpace(c.kills+" "+c.then), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, scratch(t))
			loads := mix()
			for i := range loads {
				loads[i].bytes = c.bytes
			}
			r.start(c.kills)
			r.floodUntilKilled(loads, 10)
			if c.then != "" {
				r.start(c.then)
				r.killedItself()
			}
			r.start("")
			r.resend()
			r.flood(loads, 2)
			r.settled()
			r.stop()
			r.judge(verdict{})
		})
	}
}

// floodUntilKilled is flood, and more of it until the executor was killed as it was told to be: how often
// it comes by a step depends on how much this machine lets it do at once.
func (r *rig) floodUntilKilled(loads []load, n int) {
	r.t.Helper()
	r.flood(loads, n)
	eventually(r.t, func() error {
		for end := time.Now().Add(time.Second); time.Now().Before(end); rest(r.t, 20*time.Millisecond) {
			if r.ended() {
				return nil
			}
		}
		r.flood(loads, 2)
		return errors.New("the executor did not come by the step at which it was to be killed")
	})
	r.killedItself()
}

// TestPoison runs a task that kills its executor each time: after three further
// tries it is a dead letter, everybody else's tasks are done, and an operator
// can have it run once what was wrong is mended.
func TestPoison(t *testing.T) {
	t.Parallel()
	r := newRig(t, scratch(t))
	poison := filepath.Join(t.TempDir(), "poison")
	mustWrite(t, poison, "")
	r.start("")
	other := load{id: 2, overlap: job.OverlapSerial}
	bad := r.send(load{
		id: 1, overlap: job.OverlapSerial, onCrash: job.CrashRerun,
		body: "if [ -e " + poison + " ]; then kill -9 $PPID; sleep 60; fi",
	})
	if bad.fate == refused {
		t.Fatalf("the task was refused: %s", bad.text)
	}
	for range 4 {
		eventually(t, func() error {
			if began, ended, _ := r.ran(); !r.ended() {
				return fmt.Errorf("the task began %d times, ended %d times, and has the outcomes %q", began[1], ended[1], r.admin.of(1))
			}
			return nil
		})
		r.killedItself()
		r.start("")
	}
	r.resend()
	r.flood([]load{other}, 3)
	r.settled()
	id := bad.task.AttemptID
	const buried = "failed: executor stopped during the run 4 times, not run again"
	if got := r.admin.of(id); !slices.Equal(got, []string{buried}) {
		t.Errorf("the outcomes are %q, want %q", got, buried)
	}
	if out := r.queue("list", "--state", "dead"); !strings.Contains(out, fmt.Sprint(id)) || !strings.Contains(out, "4 times") {
		t.Errorf("the dead letter is not listed with its reason:\n%s", out)
	}

	if err := os.Remove(poison); err != nil {
		t.Fatal(err)
	}
	r.queue("retry", fmt.Sprint(id))
	eventually(t, func() error {
		if _, ended, _ := r.ran(); ended[id] != 1 {
			return fmt.Errorf("the task that was driven again has ended %d times, want 1", ended[id])
		}
		return nil
	})
	r.stop()
	r.judge(verdict{redriven: []int64{id}})
}
