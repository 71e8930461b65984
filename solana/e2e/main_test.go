package e2e

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

// patience bounds every wait for a chain or another process. It is long because machines
// that run tests are busy; nothing waits that long when all is well.
const patience = 3 * time.Minute

// programs is the folder of the programs that tests build.
var programs string

func TestMain(m *testing.M) {
	if role := os.Getenv(shopRole); role != "" {
		os.Exit(dieInShop(role))
	}
	flag.Parse()
	if testing.Short() {
		if run := flag.Lookup("test.run"); run.Value.String() == "" {
			_ = run.Value.Set("^$") // each of the tests takes seconds
		}
	}
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "orth-solana-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	return m.Run()
}
