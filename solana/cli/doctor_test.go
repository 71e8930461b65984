package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// checks runs the doctor, and returns each check's status and text, by its name.
func (r *rig) checks() (status, says map[string]string, code int) {
	r.t.Helper()
	stdout, stderr, code := r.command("doctor", "-o", "json")
	var findings []struct{ Check, Status, Says, Remedy string }
	if err := json.Unmarshal([]byte(stdout), &findings); err != nil {
		r.t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	status, says = make(map[string]string), make(map[string]string)
	for _, f := range findings {
		name, _, _ := strings.Cut(f.Check, " 127.")
		status[name], says[name] = f.Status, f.Says+" | "+f.Remedy
		if (f.Status == "ok") != (f.Remedy == "") {
			r.t.Errorf("%+v: a remedy belongs to what is not well", f)
		}
	}
	return status, says, code
}

// The doctor finds nothing wrong with what is well, and each thing that is not.
func TestDoctor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	status, says, code := r.checks()
	for _, check := range []string{"program", "settings", "key", "node", "chain", "websocket", "leaders", "program's config", "clock", "balance"} {
		if status[check] != "ok" {
			t.Errorf("%s: %s %s", check, status[check], says[check])
		}
	}
	if code != 0 || status["data folder"] != "warn" {
		t.Errorf("exit code %d, the folder that there is not yet: %s", code, says["data folder"])
	}

	key := filepath.Join(r.folder, "executor.json")
	if err := os.Mkdir(filepath.Join(r.folder, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.Fund(svmtest.Wallet("executor").PublicKey(), 5_000_000)
	config := r.Config
	config.Paused = true
	r.Configured(config)
	r.SetTime(1_600_000_000)
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	status, says, code = r.checks()
	if runtime.GOOS != "windows" && (status["key"] != "fail" || !strings.Contains(says["key"], "run: chmod go= ")) {
		t.Errorf("the key: %s", says["key"])
	}
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	for check, want := range map[string]string{"clock": "warn", "program's config": "warn", "data folder": "ok", "ledger": "ok"} {
		if status[check] != want {
			t.Errorf("%s: %s %s, want %s", check, status[check], says[check], want)
		}
	}
	if code != 1 {
		t.Errorf("exit code %d", code)
	}

	status, says, _ = r.checks()
	if status["balance"] != "fail" || !strings.Contains(says["balance"], "are below the floor") || !strings.Contains(says["balance"], "send SOL to ") {
		t.Errorf("the balance: %s", says["balance"])
	}
	r.configure("profile: seed\nsubmit: rpc\n")
	status, says, _ = r.checks()
	if status["program"] != "fail" || status["program's config"] != "fail" || !strings.Contains(says["leaders"], "none is needed") || !strings.Contains(says["node"], "version ") {
		t.Errorf("another program: %s, %s, %s", says["program"], says["program's config"], says["leaders"])
	}

	r.configure("workers: none\n")
	if _, says, code := r.checks(); code != 1 || !strings.Contains(says["settings"], "workers: ") {
		t.Errorf("exit code %d, settings: %s", code, says["settings"])
	}
	r.write("node.yaml", "endpoints: ['http://127.0.0.1:9/secret-key']\nkeypair: "+key+"\ntimeout: 1s\n")
	status, says, code = r.checks()
	if code != 1 || status["node"] != "fail" || status["websocket"] != "fail" || strings.Contains(says["node"]+says["websocket"]+says["program"], "secret-key") {
		t.Errorf("no node: exit code %d, %v", code, says)
	}
	if !strings.Contains(says["websocket"], "it takes no subscriptions: ") || status["leaders"] != "warn" || !strings.HasSuffix(says["leaders"], "| repair the nodes first") {
		t.Errorf("no node: %s; %s", says["websocket"], says["leaders"])
	}
}

// What would be executed is shown, or why nothing would be; nothing is sent.
func TestSimulate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	// However slowly the chain's clock goes here, they are due, and pay the whole fee.
	r.Configured(thread.Config{Version: 1, Admin: r.Admin, Fee: 1000, ExecutorShare: 9000, TeamShare: 1000, Grace: 3600, Decay: 295})
	put := func(id string, fiber solana.Instruction) thread.Key {
		return r.Put(thread.Thread{
			Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(id), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 3600},
			Schedule: thread.Schedule{Kind: thread.Timed, Next: time.Now().Unix() - 60},
		}, fiber)
	}
	due, later := put("due", r.Succeed()), put("failing", r.FailWith(7))
	type simulated struct {
		Thread       struct{ ID string }
		Class        string
		Reason       string
		Fibers       int
		Net          int64
		Instructions []struct {
			Program  string
			Accounts []string
		}
	}
	got := decoded[simulated](r, "simulate", due.String())
	if got.Thread.ID != "due" || got.Reason != "" || got.Fibers != 1 || got.Net != 900 || len(got.Instructions) < 2 || got.Instructions[len(got.Instructions)-1].Program != r.Profile.Program.String() {
		t.Fatalf("%+v", got)
	}
	me := svmtest.Wallet("executor").PublicKey().String() + " s w"
	if last := got.Instructions[len(got.Instructions)-1].Accounts; !strings.Contains(strings.Join(last, "\n"), me) {
		t.Errorf("%q is missing in %q", me, last)
	}
	text, _, code := r.command("simulate", later.String())
	if code != 1 || !strings.Contains(text, "it would not be executed now") || !strings.Contains(text, "program") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if text, _, code := r.command("simulate", due.String()); code != 0 || !strings.Contains(text, "+900 lamports (0.000000900 SOL)") {
		t.Errorf("exit code %d: %s", code, text)
	}
	for words, want := range map[string]int{"word": 2, svmtest.Wallet("nobody").PublicKey().String(): 3, r.Probe.String(): 3} {
		if _, stderr, code := r.command("simulate", words); code != want {
			t.Errorf("simulate %s: exit code %d, %s", words, code, stderr)
		}
	}
	if n := r.Thread(due).ExecCount; n != 0 || r.Thread(later).Trigger.Kind != thread.OnInterval {
		t.Errorf("it was executed %d times", n)
	}
}
