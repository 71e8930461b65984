//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestStorm kills and starts an executor at random moments and at random steps,
// under load and with a server that loses answers, and lets the judge compare.
func TestStorm(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := newRig(t, scratch(t))
	r.admin.forgetful.Store(10)
	r.start("")

	over := make(chan struct{})
	var senders sync.WaitGroup
	for _, l := range mix() {
		senders.Go(func() { r.drizzle(l, over) })
	}
	for end := time.Now().Add(stormFor); time.Now().Before(end); {
		wait := time.NewTimer(time.Duration(100+random.IntN(500)) * time.Millisecond)
		select {
		case <-r.now.done: // its plan has killed it
			r.killedItself()
		case <-wait.C:
			r.kill()
		}
		wait.Stop()
		r.start(stormPlan(random))
	}
	close(over)
	senders.Wait()
	if r.ended() {
		r.killedItself()
	} else {
		r.kill()
	}
	r.start("")
	r.resend()
	r.settled()
	r.stop()
	tasks := r.accepted()
	t.Logf("%d kills, %d tasks accepted of %d", r.kills, len(tasks), r.ids.Load())
	if len(tasks) < int(stormFor/time.Second) {
		t.Errorf("only %d tasks were accepted: that is no storm", len(tasks))
	}
	// A task that may run again can meet more kills than it is given tries.
	r.judge(verdict{dead: true, outcomes: []string{interrupted + " 4 times, not run again"}})
}

// stormPlan returns no plan, or a random step and hit.
func stormPlan(random *rand.Rand) string {
	steps := []string{
		"", "", "runner/accepting", "runner/stored", "runner/accepted", "runner/started", "runner/ended", "runner/finished",
		"runner/settled", "runner/recovered", "outbox/sent", "outbox/dropped", "journal/created", "journal/written", "journal/synced",
		"journal/cleaned",
	}
	step := steps[random.IntN(len(steps))]
	if step == "" {
		return ""
	}
	return fmt.Sprintf("%s=kill:%d", step, 1+random.IntN(20))
}

// drizzle sends tasks of a job, about ten in a second, until it is over. It
// does not care whether anybody answers.
func (r *rig) drizzle(l load, over <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.send(l)
		case <-over:
			return
		}
	}
}
