package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/cli"
	"github.com/orthd/orth/solana/control"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// longest bounds each thing that a test waits for.
const longest = time.Minute

// rig is a chain with a node that is a process of its own.
type rig struct {
	*svmtest.Threads
	t        *testing.T
	folder   string
	binary   string
	settings string // path
}

// binary is orth-solana, built once.
var binary = sync.OnceValues(func() (string, error) { //nolint:gochecknoglobals // It is built once for all tests.
	folder, err := os.MkdirTemp("", "orth-solana-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "orth-solana")
	text, err := exec.Command("go", "build", "-o", path, "github.com/orthd/orth/solana/cmd/orth-solana").CombinedOutput()
	if err != nil {
		return "", errors.New(string(text))
	}
	return path, nil
})

func newRig(t *testing.T) *rig {
	t.Helper()
	chain := svmtest.StartTicking(t, 50*time.Millisecond)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	chain.SetTime(time.Now().Unix())
	chain.StartLeaders(2)
	r := &rig{Threads: chain.Install(), t: t, folder: t.TempDir(), binary: path}
	key := svmtest.Wallet("executor")
	chain.Fund(key.PublicKey(), solana.LAMPORTS_PER_SOL)
	text, err := json.Marshal(func() (numbers []int) {
		for _, b := range key {
			numbers = append(numbers, int(b))
		}
		return numbers
	}())
	if err != nil {
		t.Fatal(err)
	}
	r.settings = filepath.Join(r.folder, "node.yaml")
	r.write("executor.json", string(text))
	r.configure("")
	return r
}

// configure writes the settings, with more lines.
func (r *rig) configure(more string) {
	r.write("node.yaml", "endpoints:\n  - url: "+r.RPC+"\n    ws: "+r.WS+"\n    rate: 10000\nkeypair: "+filepath.Join(r.folder, "executor.json")+
		"\ndata: "+filepath.Join(r.folder, "data")+"\nlisten: 127.0.0.1:0\ndrain-for: 10s\n"+more)
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// running is the node's process.
type running struct {
	rig    *rig
	cmd    *exec.Cmd
	ended  chan struct{}
	err    error // once ended is closed
	stderr bytes.Buffer
}

// start starts a node, and waits until its commands find it.
func (r *rig) start() *running {
	r.t.Helper()
	n := &running{rig: r, cmd: exec.CommandContext(context.WithoutCancel(r.t.Context()), r.binary, "run", "--config", r.settings), ended: make(chan struct{})}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	n.cmd.Stderr = &n.stderr
	if err := n.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, out)
		n.err = n.cmd.Wait()
		close(n.ended)
	}()
	r.t.Cleanup(func() {
		_ = n.cmd.Process.Kill()
		<-n.ended
	})
	if err != nil || !strings.Contains(line, svmtest.Wallet("executor").PublicKey().String()) {
		_ = n.cmd.Process.Kill()
		<-n.ended
		r.t.Fatalf("the node says %q: %v\n%s", line, err, &n.stderr)
	}
	r.until("the node listens", func() bool {
		_, err := os.Stat(filepath.Join(r.folder, "data", control.NoteFile))
		return err == nil
	})
	return n
}

// end ends the node by a signal, and returns its exit code.
func (n *running) end(s os.Signal) int {
	n.rig.t.Helper()
	if err := n.cmd.Process.Signal(s); err != nil {
		n.rig.t.Fatal(err)
	}
	select {
	case <-n.ended:
	case <-time.After(longest):
		n.rig.t.Fatalf("the node does not end\n%s", &n.stderr)
	}
	return n.cmd.ProcessState.ExitCode()
}

// until waits for something that the chain or the node does by itself.
func (r *rig) until(what string, is func() bool) {
	r.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	late := time.After(longest)
	for !is() {
		select {
		case <-look.C:
		case <-late:
			r.t.Fatalf("%s: not within %v", what, longest)
		}
	}
}

// command runs a command of orth-solana, and returns its output and its exit code.
func (r *rig) command(words ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	return command(r.t, append(words, "--config", r.settings)...)
}

func command(t *testing.T, words ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Execute(t.Context(), words, cli.Config{
		Stdout: &out, Stderr: &errs, Stdin: strings.NewReader(""), Environ: []string{"TERM=dumb"}, Location: time.UTC, Version: "1.2.3",
	})
	return out.String(), errs.String(), code
}

// decoded runs a command, and decodes its result.
func decoded[T any](r *rig, words ...string) (value T) {
	r.t.Helper()
	stdout, stderr, code := r.command(append(words, "-o", "json")...)
	if code != 0 {
		r.t.Fatalf("%v: exit code %d, %s", words, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &value); err != nil {
		r.t.Fatalf("%v: %v in %s", words, err, stdout)
	}
	return value
}

func (r *rig) put(id string, every int64, fiber solana.Instruction) thread.Key {
	r.t.Helper()
	return r.Put(thread.Thread{
		Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(id), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: every},
		Schedule: thread.Schedule{Kind: thread.Timed, Next: time.Now().Unix()},
	}, fiber)
}

// A node executes, is killed, is started again, and goes on; what it gave up is found, driven again, and copied, by the running
// node and by the stopped one.
func TestNode(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	good, bad := r.put("good", 3, r.Succeed()), r.put("bad", 3600, r.FailWith(7))
	// A few tries soon are enough for a dead letter.
	first := r.start()
	if _, stderr, code := r.command("queue", "retry", "--max-retries", "1", "--initial", "10ms", "--max", "20ms"); code != 0 {
		t.Fatal(stderr)
	}
	r.until("the thread is executed", func() bool { return r.Thread(good).ExecCount >= 2 })
	dead := func() []control.Task { return decoded[[]control.Task](r, "queue", "list", "--place", "dead") }
	r.until("a dead letter", func() bool { return len(dead()) == 1 })
	if _, stderr, code := command(t, "run", "--config", r.settings); code != 5 || !strings.Contains(stderr, "is in use") {
		t.Errorf("a second node: exit code %d, %s", code, stderr)
	}
	letter := dead()[0]
	if letter.Thread != bad.String() || letter.ThreadID != "bad" || letter.Failure == nil || letter.Failure.Class != "program" || letter.Exec != 1 {
		t.Errorf("%+v", letter)
	}
	if text, _, _ := r.command("queue", "show", letter.ID); !strings.Contains(text, "Given up:") || !strings.Contains(text, bad.String()) {
		t.Errorf("it is shown as %s", text)
	}
	r.figures()
	if code := first.end(syscall.SIGKILL); code == 0 {
		t.Error("a kill was a stop")
	}

	// The note of the killed node leads nowhere: the commands open its folder.
	if stats := decoded[control.Stats](r, "queue", "stats"); stats.About.Running || stats.Ledger.Dead != 1 || stats.Profit.Executions < 2 {
		t.Errorf("of the stopped node: %+v", stats)
	}
	if text, _, code := r.command("threads"); code != 0 || !strings.Contains(text, "good") || !strings.Contains(text, "every 1h0m0s") {
		t.Errorf("threads of the chain, exit code %d: %s", code, text)
	}
	if _, stderr, code := r.command("queue", "redrive", letter.ID); code != 0 {
		t.Errorf("redrive of the stopped node: %s", stderr)
	}
	r.PutFiber(thread.Fiber{Thread: bad, Compiled: svmtest.Compile(r.Succeed())}, 0)

	before := r.Thread(good).ExecCount
	second := r.start()
	r.until("what was driven again is executed", func() bool { return r.Thread(bad).ExecCount == 1 })
	r.until("the other goes on", func() bool { return r.Thread(good).ExecCount > before })
	copied := filepath.Join(r.folder, "copy.db")
	if _, stderr, code := r.command("queue", "backup", copied); code != 0 {
		t.Errorf("backup: %s", stderr)
	}
	if _, _, code := r.command("queue", "backup", copied); code != 5 {
		t.Errorf("a copy in the place of another: exit code %d", code)
	}
	me := svmtest.Wallet("executor").PublicKey().String()
	r.until("the node sees what it has executed", func() bool {
		threads := decoded[[]control.Thread](r, "threads")
		return len(threads) == 2 && threads[0].Net != nil && threads[1].Net != nil && threads[0].LastExecutor == me && threads[1].LastExecutor == me
	})
	if code := second.end(syscall.SIGTERM); code != 0 || strings.Contains(second.stderr.String(), "ERROR") {
		t.Errorf("a stop in good order: exit code %d\n%s", code, &second.stderr)
	}
	if _, err := os.Stat(filepath.Join(r.folder, "data", control.NoteFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the note is left behind: %v", err)
	}
	profit := decoded[control.Profit](r, "profit")
	if got := r.Thread(good).ExecCount + r.Thread(bad).ExecCount; profit.Total.Executions != got {
		t.Errorf("%d executions have an account, and the chain has %d", profit.Total.Executions, got)
	}

	// A ledger that was put back is one that works.
	r.configure("")
	restored := filepath.Join(r.folder, "restored")
	if err := os.MkdirAll(filepath.Join(restored, "tasks"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", copied, "-C", filepath.Join(restored, "tasks")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if text, stderr, code := command(t, "queue", "stats", "--data", restored); code != 0 || !strings.Contains(text, "stopped") {
		t.Errorf("of the copy, exit code %d: %s%s", code, text, stderr)
	}
}

// figures looks at what the running node shows to everybody on the machine.
func (r *rig) figures() {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.folder, "data", control.NoteFile))
	if err != nil {
		r.t.Fatal(err)
	}
	var note control.Note
	if err := json.Unmarshal(text, &note); err != nil {
		r.t.Fatal(err)
	}
	page := func(path string) string {
		request, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, "http://"+note.Address+path, nil)
		if err != nil {
			r.t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			r.t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			r.t.Fatal(err)
		}
		return string(text)
	}
	if text := page("/healthz"); text != "ok\n" {
		r.t.Errorf("healthz says %q", text)
	}
	if text := page("/readyz"); text != "ready\n" {
		r.t.Errorf("readyz says %q", text)
	}
	figures := page("/metrics")
	for _, want := range []string{
		"orth_solana_executions_landed_total ", `orth_solana_execution_seconds_bucket{outcome="executed",trigger="interval",le="60"}`, `orth_solana_rpc_requests_total{method="simulateTransaction"`,
		`orth_solana_file_bytes{file="tasks"}`, `orth_solana_store_bytes{store="metadata"}`, `orth_solana_store_bytes{store="scheduled"}`, "orth_solana_ready 1", "orth_solana_observers_up 1", "orth_solana_owned_threads ", "orth_solana_metrics_dropped_total 0", "orth_solana_tpu_handed_total",
	} {
		if !strings.Contains(figures, want) {
			r.t.Errorf("%s is missing in\n%s", want, figures)
		}
	}
	r.watched(figures)
	if strings.Contains(figures, "executor.json") || strings.Contains(figures, "http://") {
		r.t.Error("the figures show a path or an address")
	}
}

// watched finds figures in boards and alert rules that no page shows.
func (r *rig) watched(figures string) {
	r.t.Helper()
	for _, file := range []string{"grafana/solana.json", "prometheus/alerts-solana.yml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "deploy", filepath.FromSlash(file)))
		if err != nil {
			r.t.Fatal(err)
		}
		asked := regexp.MustCompile(`\borth_[a-z_]+`).FindAllString(string(text), -1)
		if len(asked) < 5 {
			r.t.Errorf("%s asks for %q alone", file, asked)
		}
		for _, name := range asked {
			if !strings.Contains(figures, "\n# TYPE "+name+" ") {
				r.t.Errorf("%s asks for %s, which nobody shows", file, name)
			}
		}
	}
}
