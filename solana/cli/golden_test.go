package cli_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/solana/cli"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o750), os.WriteFile(path, []byte(got), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// Every command has a description and an example, and every flag a description.
func TestHelp(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	commands := 0
	err := output.EveryCommand(cli.New(cli.Config{Version: "1.2.3"}), func(cmd *cobra.Command) error {
		commands++
		path := cmd.CommandPath()
		switch {
		case cmd.Name() == "completion", cmd.HasParent() && cmd.Parent().Name() == "completion":
			return nil
		case cmd.Short == "" || strings.HasSuffix(cmd.Short, "."):
			t.Errorf("%s: the short text is %q", path, cmd.Short)
		case !strings.Contains(cmd.Example, path):
			t.Errorf("the example of %s does not show it: %s", path, cmd.Example)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s says nothing", path, f.Name)
			}
		})
		stdout, _, code := command(t, append(strings.Fields(path)[1:], "--help")...)
		if code != 0 {
			t.Errorf("%s --help: exit code %d", path, code)
		}
		all.WriteString("$ " + path + " --help\n" + stdout + "\n")
		return nil
	})
	if err != nil || commands < 14 {
		t.Errorf("%d commands, %v", commands, err)
	}
	golden(t, "help", all.String())
}

// at is when everything happens in the goldens.
var at = time.Date(2030, 1, 31, 1, 30, 0, 0, time.UTC)

// kept is a data folder with one execution of each place.
func kept(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	l, err := service.OpenLedger(folder, ledger.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	defer func() {
		cancel()
		if err := errors.Join(<-ended, l.Close()); err != nil {
			t.Error(err)
		}
	}()
	task := func(n byte, id string, trigger thread.Trigger) ledger.Task {
		return ledger.Task{
			Thread: thread.Key{n}, ExecCount: uint64(n), TriggerTime: at.Unix() - 5, Due: thread.Due{Unit: thread.Seconds, At: at.Unix() - 5},
			State: &thread.Thread{ID: []byte(id), Trigger: trigger, ExecCount: uint64(n), Fibers: []uint8{0}},
		}
	}
	offered, err := l.Offer(
		t.Context(), at, task(1, "waits", thread.Trigger{Kind: thread.OnCron, Cron: "0 30 1 * * *"}), task(2, "flies", thread.Trigger{Kind: thread.OnInterval, Every: 60}),
		task(3, "fails", thread.Trigger{Kind: thread.OnSlot, Number: 300}), task(4, "done", thread.Trigger{Kind: thread.Immediate}),
	)
	if err != nil {
		t.Fatal(err)
	}
	flight := ledger.Flight{
		Transaction: rpc.Transaction{Wire: []byte("wire"), LastValid: 4711}, SentAt: at.Add(time.Second), Fibers: 1, Units: 35_000, Price: 10, Fee: 5001, Before: 1_000_000_000, After: 1_000_000_899,
	}
	failed := ledger.Failure{Class: failure.Program, Reason: "program Probe111 failed with the code 7", At: at.Add(2 * time.Second), Logs: []string{"Program log: no", "Program Probe111 failed: custom program error: 0x7"}}
	if err := errors.Join(l.Start(t.Context(), offered[1].ID, flight), l.Start(t.Context(), offered[3].ID, flight)); err != nil {
		t.Fatal(err)
	}
	if err := l.Settle(t.Context(), at, offered[3].ID, true, ledger.CostOf(&flight, true), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Bury(t.Context(), at.Add(2*time.Second), offered[2].ID, failed, ledger.Cost{}, nil); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestCommands compares what commands show of a stopped node with golden files.
func TestCommands(t *testing.T) {
	t.Parallel()
	dead := ledger.IDOf(thread.Key{3}, 3, false, 0).String()
	for name, args := range map[string]string{
		"queue-list":        "queue list",
		"queue-list-wide":   "queue list -o wide",
		"queue-list-json":   "queue list -o json --place dead",
		"queue-list-name":   "queue list -o name",
		"queue-list-head":   "queue list --columns STATE,THREAD --no-headers",
		"queue-list-one":    "queue list --limit 1",
		"queue-list-column": "queue list --columns STATE,COLOUR",
		"queue-list-place":  "queue list --place gone",
		"queue-list-output": "queue list -o xml",
		"queue-list-limit":  "queue list --limit 0",
		"queue-show":        "queue show " + dead,
		"queue-show-flight": "queue show " + ledger.IDOf(thread.Key{2}, 2, false, 0).String(),
		"queue-show-yaml":   "queue show " + dead + " -o yaml",
		"queue-show-none":   "queue show 5",
		"queue-show-word":   "queue show word",
		"queue-redrive":     "queue redrive " + dead,
		"queue-redrive-no":  "queue redrive",
		"queue-redrive-too": "queue redrive --all 5",
		"queue-redrive-5":   "queue redrive 5",
		"queue-purge":       "queue purge --all --yes -o json",
		"queue-purge-ask":   "queue purge " + dead,
		"queue-retry":       "queue retry",
		"queue-retry-set":   "queue retry --max-retries 8 --initial 500ms -o json",
		"queue-retry-wrong": "queue retry --jitter 2",
		"profit":            "profit",
		"profit-json":       "profit -o json",
		"threads-no-nodes":  "threads",
		"unknown":           "quue",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := kept(t)
			stdout, stderr, code := command(t, append(strings.Fields(args), dataFlag(args, folder)...)...)
			text := "$ orth-solana " + args + "\n" + stdout
			if stderr != "" {
				text += "--- messages\n" + stderr
			}
			golden(t, name, strings.ReplaceAll(text, folder, "FOLDER")+"--- exit code "+string(rune('0'+code))+"\n")
		})
	}
}

// dataFlag names the folder, where there is a command that takes one.
func dataFlag(args, folder string) []string {
	if args == "unknown" || args == "quue" {
		return nil
	}
	return []string{"--data", folder}
}

func TestFoldersThatAreNone(t *testing.T) {
	t.Parallel()
	if _, stderr, code := command(t, "queue", "list", "--data", t.TempDir()); code != 3 || !strings.Contains(stderr, "no node has worked in") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, stderr, code := command(t, "run"); code != 2 || !strings.Contains(stderr, "--endpoints: there is no node") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if stdout, _, code := command(t, "version"); code != 0 || !strings.HasPrefix(stdout, "orth-solana 1.2.3 (go1.") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	if stdout, _, code := command(t, "man", "--dir", filepath.Join(t.TempDir(), "man1")); code != 0 || !strings.HasPrefix(stdout, "wrote ") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	stdout, stderr, code := command(t, "run", "--print-config", "--endpoints", "https://rpc.example/very-secret", "--keypair", "k.json", "--workers", "3")
	if code != 0 || strings.Contains(stdout+stderr, "very-secret") || !strings.Contains(stdout, "endpoints") || !strings.Contains(stdout, "rpc.example") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	golden(t, "print-config", stdout)
}
