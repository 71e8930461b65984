//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// TestSolanaNode: a node that names a server is an executor of it, and what it executes appears there as runs; while the server
// is away it goes on.
func TestSolanaNode(t *testing.T) {
	t.Parallel()
	chain := svmtest.StartTicking(t, 50*time.Millisecond)
	s := newSite(t)
	program, err := compile("..", "./cmd/orth-solana")
	if err != nil {
		t.Fatal(err)
	}
	server := s.startServer()
	chain.SetTime(time.Now().Unix())
	threads := chain.Install()
	key := svmtest.Wallet("executor")
	chain.Fund(key.PublicKey(), solana.LAMPORTS_PER_SOL)
	put := func(id string, every int64) thread.Key {
		return threads.Put(thread.Thread{
			Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(id), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: every},
			Schedule: thread.Schedule{Kind: thread.Timed, Next: time.Now().Unix()},
		}, threads.Succeed())
	}
	once := put("once", 36_000)
	mustWrite(t, filepath.Join(s.dir, "executor.key"), key.String())
	settings := filepath.Join(s.dir, "node.yaml")
	mustWrite(t, settings, fmt.Sprintf(
		"endpoints:\n  - url: %s\n    ws: %s\n    rate: 10000\nkeypair: %s\ndata: %s\nsubmit: rpc\nlisten: 127.0.0.1:0\nservers: [http://%s]\nexecutor-token-file: %s\napi-token-file: %s\ngroup: chain\ndrain-for: 5s\n",
		chain.RPC, chain.WS, filepath.Join(s.dir, "executor.key"), filepath.Join(s.dir, "node"), s.server, filepath.Join(s.data(), "executor.token"), filepath.Join(s.data(), "api.token"),
	))
	node := start(t, program, "run", "--config", settings)
	messages := func() string {
		if _, stderr, code := s.try("job", "show", "solana-execute"); code != 0 {
			return stderr
		}
		var all []string
		for _, run := range s.runs("solana-execute") {
			all = append(all, string(run.State)+" "+run.Message)
		}
		return strings.Join(all, "\n")
	}
	eventually(t, func() error {
		if text := messages(); !strings.Contains(text, "succeeded "+once.String()+"#0 executed in slot ") {
			return fmt.Errorf("the runs are %q", text)
		}
		return nil
	})
	eventually(t, func() error { // what it is, is told after the first beat
		var executors []struct{ Kind string }
		if err := json.Unmarshal([]byte(s.orth("executors", "-o", "json")), &executors); err != nil || len(executors) != 1 || executors[0].Kind != "solana" {
			return fmt.Errorf("the executors are %+v, %w", executors, err)
		}
		return nil
	})
	server.stop()
	alone := put("alone", 36_000)
	eventually(t, func() error {
		if n := threads.Thread(alone).ExecCount; n != 1 {
			return fmt.Errorf("without the server the thread was executed %d times", n)
		}
		return nil
	})
	s.startServer()
	eventually(t, func() error {
		if text := messages(); !strings.Contains(text, alone.String()) {
			return fmt.Errorf("what was executed without the server is not told: %q", text)
		}
		return nil
	})
	if code := node.stop(); code != 0 {
		t.Errorf("the node ended with the code %d\n%s", code, node.out)
	}
}
