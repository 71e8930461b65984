package cli_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

var manyThreads = flag.Int("threads", 1000, "how many threads a node of TestNodeMemory watches") //nolint:gochecknoglobals // It is a flag.

// mostMemory is what a node may take, in MiB, with 10,000 threads.
const mostMemory = 150

// A node that watches many threads stays small, also while it executes and after it has listed all of them again.
func TestNodeMemory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	authority := svmtest.Wallet("authority").PublicKey()
	far := time.Now().Add(240 * time.Hour).Unix()
	for i := range *manyThreads {
		r.Put(thread.Thread{
			Authority: authority, ID: []byte("far-" + strconv.Itoa(i)), Trigger: thread.Trigger{Kind: thread.OnTimestamp, At: far},
			Schedule: thread.Schedule{Kind: thread.Timed, Next: far},
		})
	}
	soon := r.Put(thread.Thread{
		Authority: authority, ID: []byte("often"), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 1}, Schedule: thread.Schedule{Kind: thread.Timed, Next: 1},
	}, r.Succeed())
	n := r.start()
	r.until("it executes", func() bool { return r.Thread(soon).ExecCount >= 5 })
	var tracked int
	r.until("it knows all threads", func() bool {
		out, _, _ := r.command("threads", "-o", "name", "--limit", "1000000")
		tracked = strings.Count(out, "\n")
		return tracked == *manyThreads+1
	})
	resident, peak := memoryOf(t, n.cmd.Process.Pid)
	t.Logf("%d threads: %d MiB resident, %d MiB at most", tracked, resident, peak)
	if peak > mostMemory {
		t.Errorf("with %d threads the node takes %d MiB at most, more than %d", tracked, peak, mostMemory)
	}
	if code := n.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// memoryOf returns what a process takes, and what it took at most, in MiB.
func memoryOf(t *testing.T, pid int) (resident, peak int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			resident = kib >> 10
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			peak = kib >> 10
		}
	}
	if resident == 0 || peak == 0 {
		t.Fatalf("no memory in\n%s", text)
	}
	return resident, peak
}
