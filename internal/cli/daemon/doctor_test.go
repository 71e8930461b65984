package daemon

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/store/sqlite"
)

// examined runs the doctor and returns its findings by check.
func examined(t *testing.T, wantCode int, env map[string]string, args ...string) map[string]finding {
	t.Helper()
	var out, errs bytes.Buffer
	tool := kit.New(kit.Config{
		Stdout: &out, Stderr: &errs, Version: "9.9.9", Location: time.UTC, Getenv: func(name string) string { return env[name] },
	})
	cmd := NewDoctorCommand(tool)
	tool.ServerFlags(cmd)
	root := &cobra.Command{Use: "orth", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cmd)
	tool.Prepare(root)
	code := tool.Execute(t.Context(), root, append([]string{"doctor", "-o", "json"}, args...))
	if code != wantCode {
		t.Errorf("%v: exit code %d, want %d: %s%s", args, code, wantCode, &out, &errs)
	}
	var list []finding
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatalf("%v: %v: %s", args, err, &out)
	}
	found := make(map[string]finding)
	for _, f := range list {
		if f.Status != checkOK && f.Remedy == "" {
			t.Errorf("%s is %s, and nothing says what to do: %s", f.Check, f.Status, f.Message)
		}
		found[f.Check] = f
	}
	return found
}

// patient is a server that answers what a doctor asks.
func patient(t *testing.T, late time.Duration, answers map[string]string) map[string]string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(-late).UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		text, ok := answers[strings.TrimPrefix(r.URL.Path, "/api/v1")]
		switch {
		case r.URL.Path == "/healthz":
			text = `{"status":"ok"}`
		case !ok:
			w.Header().Set("Content-Type", api.ProblemType)
			w.WriteHeader(http.StatusNotFound)
			text = `{"code":"not_found","detail":"there is nothing"}`
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": "a-token"}
}

func healthy() map[string]string {
	return map[string]string{
		"/version":   `{"version":"9.9.9"}`,
		"/me":        `{"kind":"token","name":"ci","must_change_password":false,"grants":[{"role":"editor","namespace":"*","group":"*"}]}`,
		"/executors": `{"executors":[{"group":"a","address":"http://10.0.0.1:9999"}]}`,
		"/jobs":      `{"jobs":[{"key":"x","group":"a","enabled":true,"schedule":{"kind":"manual"}},{"key":"y","group":"b","enabled":false,"schedule":{"kind":"manual"}}]}`,
		"/warnings":  `{"warnings":[]}`,
	}
}

func TestDoctorOfAHealthyServer(t *testing.T) {
	t.Parallel()
	found := examined(t, 0, patient(t, 0, healthy()))
	for _, check := range []string{"server", "clock", "token", "versions", "executors", "warnings", "time zones"} {
		if found[check].Status != checkOK {
			t.Errorf("%s: %+v", check, found[check])
		}
	}
	if says := found["token"].Message; says != "valid, of token ci: editor (from ORTH_TOKEN)" {
		t.Errorf("the token is %s", says)
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	ill := healthy()
	ill["/version"] = `{"version":"9.9.8"}`
	ill["/executors"] = `{"executors":[{"group":"a","address":"http://10.0.0.1:9999","unreachable":"refused"},` +
		`{"group":"b","address":"http://10.0.0.2:9999","trouble":"another executor registers this address too"}]}`
	ill["/warnings"] = `{"warnings":["the token of executors is well known"]}`
	found := examined(t, 1, patient(t, time.Minute, ill))
	for check, want := range map[string]string{
		"clock": checkFail, "versions": checkWarn, "executors": checkWarn, "group a": checkWarn, "warning": checkWarn, "token": checkOK,
		"executor http://10.0.0.2:9999": checkWarn,
	} {
		if found[check].Status != want {
			t.Errorf("%s: %+v, want %s", check, found[check], want)
		}
	}
	delete(ill, "/me")
	delete(ill, "/version")
	if f := examined(t, 1, patient(t, 0, ill))["token"]; f.Status != checkFail {
		t.Errorf("token: %+v", f)
	}
	env := patient(t, 0, ill)
	delete(env, "ORTH_TOKEN")
	if f := examined(t, 1, env)["token"]; f.Status != checkFail || !strings.Contains(f.Message, "no token for this server") {
		t.Errorf("token: %+v", f)
	}
	if f := examined(t, 1, map[string]string{"ORTH_SERVER": "http://127.0.0.1:1"})["server"]; f.Status != checkFail || !strings.Contains(f.Message, "does not respond") {
		t.Errorf("server: %+v", f)
	}
}

func TestDoctorOfADataFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	dir, env := t.TempDir(), patient(t, 0, healthy())
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sqlite.Open(filepath.Join(dir, "orth.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // That is what the doctor is to find.
		t.Fatal(err)
	}
	write("api.token", "a-secret-of-its-own-and-long-enough\n", 0o644)
	write("executor.token", "default_token\n", 0o600)
	found := examined(t, 1, env, "--data", dir)
	for check, want := range map[string]string{
		"data folder": checkFail, "api.token": checkOK, "executor.token": checkFail, "database": checkOK, "server here": checkWarn, "disk": found["disk"].Status,
	} {
		if found[check].Status != want {
			t.Errorf("%s: %+v, want %s", check, found[check], want)
		}
	}
	if !strings.Contains(found["data folder"].Message, "can read api.token in") {
		t.Errorf("data folder: %+v", found["data folder"])
	}
	write("orth.db", strings.Repeat("not a database ", 500), 0o600)
	_ = os.Remove(filepath.Join(dir, "orth.db-wal"))
	if f := examined(t, 1, env, "--data", dir)["database"]; f.Status != checkFail {
		t.Errorf("database: %+v", f)
	}
	if f := examined(t, 1, env, "--data", filepath.Join(dir, "none"))["data folder"]; f.Status != checkFail {
		t.Errorf("data folder: %+v", f)
	}
	write("server.yaml", "lease-tl: 5s\n", 0o600)
	if f := examined(t, 1, env, "--config", filepath.Join(dir, "server.yaml"))["settings"]; f.Status != checkFail || !strings.Contains(f.Message, "lease-tl") {
		t.Errorf("settings: %+v", f)
	}
}

// What is shown to people has the remedies below the table.
func TestDoctorReport(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	d := doctor{Tool: &kit.Tool{Config: kit.Config{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}, Output: kit.NewChoice(output.Table)}}
	d.record("disk", checkWarn, "make room", "%s are free", "1 GiB")
	d.record("token", checkOK, "nothing", "good")
	if err := d.report(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff("STATUS  CHECK  MESSAGE\nwarn    disk   1 GiB are free\nok      token  good\n", out.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("disk: make room\n1 ok, 1 warn, 0 failed\n", errs.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCertificateDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for left, want := range map[time.Duration]string{90 * 24 * time.Hour: checkOK, 5 * 24 * time.Hour: checkWarn} {
		d := doctor{Tool: &kit.Tool{Config: kit.Config{Location: time.UTC}}}
		d.certificate(&x509.Certificate{DNSNames: []string{"orth.example.com"}, NotAfter: now.Add(left)}, now)
		if d.findings[0].Status != want {
			t.Errorf("%s left: %+v", left, d.findings[0])
		}
	}
}

func TestIdleGroups(t *testing.T) {
	t.Parallel()
	jobs := []api.Job{{Group: "b", Enabled: true}, {Group: "a", Enabled: true}, {Group: "b", Enabled: true}, {Group: "c"}, {Group: "d", Enabled: true}}
	if got := idleGroups(jobs, map[string]int{"d": 1}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("idle are %v", got)
	}
}
