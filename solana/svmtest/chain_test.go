package svmtest

import (
	"os/exec"
	"testing"
	"time"
)

// The parts of the chain that are written in JavaScript have tests in JavaScript.
func TestNode(t *testing.T) {
	Start(t) // or this is skipped
	cmd := exec.CommandContext(t.Context(), "node", "--test", ".")
	cmd.Dir = folder("svm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A chain that ticks moves on without a call.
func TestStartTicking(t *testing.T) {
	c := StartTicking(t, time.Millisecond)
	key := Wallet("a").PublicKey()
	c.do(nil, "requestAirdrop", key, sol)
	deadline := time.NewTimer(longestWait)
	defer deadline.Stop()
	for c.Balance(key) == 0 {
		select {
		case <-deadline.C:
			t.Fatal("no block was made")
		default:
		}
	}
}

// Every chain begins alike, to the last blockhash.
func TestDeterministic(t *testing.T) {
	a, b := Start(t), Start(t)
	for range 3 {
		if a.Blockhash() != b.Blockhash() || a.Tick(2) != b.Tick(2) {
			t.Fatal("two chains differ")
		}
	}
}
