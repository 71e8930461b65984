package svmtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/solana/thread"
)

// Key is an address on the chain.
type Key = thread.Key

// Chain is a chain that runs for one test. Its methods end the test when the chain refuses: what a test wants to see fail, it
// asks over RPC itself.
type Chain struct {
	RPC string `json:"rpc"` // the address of JSON-RPC over HTTP
	WS  string `json:"ws"`  // the address of subscriptions over websockets
	t   testing.TB
}

// longestStart bounds how long Node.js may take to answer.
const longestStart = 2 * time.Minute

// folder finds a folder of the Solana tests' data. It looks in the working directory and in
// those above it: a binary built with -trimpath does not know where its sources are.
func folder(name string) string {
	inside := filepath.Join("solana", "testdata", name)
	dir, err := os.Getwd()
	if err != nil {
		return inside
	}
	for {
		path := filepath.Join(dir, inside)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return inside
		}
		dir = parent
	}
}

// Start starts a chain, and ends it with the test. It holds the programs of Agave and no
// accounts of users yet.
func Start(tb testing.TB) *Chain {
	tb.Helper()
	return start(tb)
}

// StartTicking is Start of a chain that makes a block by itself again and again. Its clock still counts 400 ms for each.
func StartTicking(tb testing.TB, every time.Duration) *Chain {
	tb.Helper()
	return start(tb, fmt.Sprintf("AUTO_TICK_MS=%d", max(1, every.Milliseconds())))
}

func start(tb testing.TB, settings ...string) *Chain {
	tb.Helper()
	if missing := missing(); missing != "" {
		if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			tb.Fatal(missing)
		}
		tb.Skip(missing)
	}
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), "node", "main.js") // it ends when its input does
	cmd.Dir = folder("svm")
	cmd.Env = append(os.Environ(), settings...)
	var messages tail
	cmd.Stderr = &messages
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the chain ended: %v", err)
		}
		if text := messages.String(); text != "" {
			tb.Errorf("the chain complained:\n%s", text)
		}
	})
	c := &Chain{t: tb}
	timer := time.AfterFunc(longestStart, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), c)
	}
	if err != nil {
		tb.Fatalf("the chain did not start: %v\n%s", err, messages.String())
	}
	return c
}

// missing names what is not installed and how to install it, "" when all is there.
func missing() string {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "the virtual machine of Solana is here for linux/amd64 alone"
	}
	if _, err := exec.LookPath("node"); err != nil {
		return "Node.js is not installed: scripts/tools does it"
	}
	if _, err := os.Stat(filepath.Join(folder("svm"), "node_modules", "litesvm-linux-x64-gnu")); err != nil {
		return "the virtual machine of Solana is not installed: make solana does it"
	}
	return ""
}

// tail keeps the end of what the chain writes about its mistakes.
type tail struct {
	mu   sync.Mutex
	text strings.Builder
}

const longestTail = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text.Len() < longestTail {
		t.text.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// fatal ends the test.
func (c *Chain) fatal(method string, err error) {
	c.t.Helper()
	c.t.Fatal(fmt.Errorf("%s: %w", method, err))
}
