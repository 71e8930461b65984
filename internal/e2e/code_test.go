//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
)

// channelURL holds the secret of the channel of the examples.
const channelURL = "ORTH_CHANNEL_OPS_URL"

// codeSite is a site whose commands know the secret of the examples.
type codeSite struct{ *site }

// code runs a command that must end with an exit code.
func (s codeSite) code(want int, args ...string) string {
	s.t.Helper()
	stdout, stderr, code := run(s.t, []string{channelURL + "=http://127.0.0.1:9/hook?secret-word"}, append(args, "--data", s.data())...)
	if code != want {
		s.t.Fatalf("orth %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout, stderr)
	}
	if strings.Contains(stdout+stderr, "secret-word") {
		s.t.Fatalf("orth %s shows a secret:\n%s%s", strings.Join(args, " "), stdout, stderr)
	}
	return stdout + stderr
}

// TestJobsAsCode applies the examples, and jobs of all kinds beside them, to a server:
// then the plan of the same files is empty, what is exported gives an empty plan, and so
// does the same on a second server; what is changed by hand is shown and put back.
func TestJobsAsCode(t *testing.T) {
	t.Parallel()
	s, dir := codeSite{newSite(t)}, scratch(t)
	s.startServer()
	folder := filepath.Join(dir, "in")
	if err := os.CopyFS(folder, os.DirFS(filepath.FromSlash("../../examples/jobs-as-code"))); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(folder, "more.yaml"), everything())
	s.code(8, "plan", "-f", folder, "--detailed-exitcode")
	if out := s.code(2, "apply", "-f", folder); !strings.Contains(out, "add --yes") {
		t.Errorf("nobody was asked: %s", out)
	}
	s.code(0, "apply", "-f", folder, "--yes")
	s.code(0, "plan", "-f", folder, "--detailed-exitcode")
	if out := s.code(0, "apply", "-f", folder); !strings.Contains(out, "nothing to do") {
		t.Errorf("applied twice: %s", out)
	}

	exported := filepath.Join(dir, "out")
	s.code(0, "export", exported)
	s.code(0, "plan", "-f", exported, "--detailed-exitcode")
	again := filepath.Join(dir, "again")
	s.code(0, "export", again)
	if diff := cmp.Diff(filesIn(t, exported), filesIn(t, again)); diff != "" {
		t.Errorf("two exports of the same differ: %s", diff)
	}
	text := filepath.Join(dir, "all.yaml")
	mustWrite(t, text, s.orth("export"))
	s.code(0, "plan", "-f", text, "--detailed-exitcode")

	second := codeSite{newSite(t)}
	second.startServer()
	second.code(0, "apply", "-f", exported, "--yes")
	second.code(0, "plan", "-f", exported, "--detailed-exitcode")
	there := filepath.Join(dir, "there")
	second.code(0, "export", there)
	if diff := cmp.Diff(filesIn(t, exported), filesIn(t, there)); diff != "" {
		t.Errorf("a second server has something else: %s", diff)
	}
	drift(t, s, folder)
	prune(t, second, filepath.Join(dir, "set"))
}

// drift changes things by hand; the plan puts them back.
func drift(t *testing.T, s codeSite, folder string) {
	t.Helper()
	s.orth("job", "edit", "send-report", "--timeout", "9s", "--label", "by=hand")
	s.orth("job", "disable", "nightly-report")
	s.orth("workflow", "delete", "end-of-month", "--yes")
	plan := s.code(8, "plan", "-f", folder, "--detailed-exitcode")
	for _, want := range []string{
		"~ job default/send-report\n    labels.by: hand → (default)\n    timeout: 9s → (default)\n", "~ job default/nightly-report\n    enabled: false → true\n",
		"+ workflow default/end-of-month\n", "1 to create, 2 to change, 0 to delete",
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan does not say %q:\n%s", want, plan)
		}
	}
	s.code(0, "apply", "-f", folder, "--yes")
	s.code(0, "plan", "-f", folder, "--detailed-exitcode")
	var j api.Job
	if decode(t, s.orth("job", "show", "nightly-report", "-o", "json"), &j); !j.Enabled {
		t.Error("the job that was stopped by hand is not started")
	}
}

// prune deletes what a set has made and describes no more, and nothing else.
func prune(t *testing.T, s codeSite, folder string) {
	t.Helper()
	document := func(key string) string {
		return "apiVersion: orth/v1\nkind: Job\nmetadata: {key: " + key + "}\nspec: {group: ops, handler: {kind: named, name: x}}\n"
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(folder, "a.yaml"), document("set-a"))
	mustWrite(t, filepath.Join(folder, "b.yaml"), document("set-b"))
	s.code(0, "apply", "-f", folder, "--set", "mine", "--prune", "--yes")
	if err := os.Remove(filepath.Join(folder, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	s.code(0, "plan", "-f", folder, "--set", "mine", "--detailed-exitcode")
	if plan := s.code(8, "plan", "-f", folder, "--set", "mine", "--prune", "--detailed-exitcode"); !strings.Contains(plan, "- job default/set-b\n\n0 to create, 0 to change, 1 to delete") {
		t.Errorf("the plan: %s", plan)
	}
	s.code(0, "apply", "-f", folder, "--set", "mine", "--prune", "--yes")
	s.code(0, "plan", "-f", folder, "--set", "mine", "--prune", "--detailed-exitcode")
	s.orth("job", "show", "nightly-report") // made by other documents
	if out := s.code(5, "plan", "-f", folder, "--set", "other"); !strings.Contains(out, "belongs to the set mine") {
		t.Errorf("of another set: %s", out)
	}
}

// everything is jobs of all kinds, with children and grandchildren.
func everything() string {
	var out strings.Builder
	for kind, schedule := range map[string]string{
		"manual": "{kind: manual}", "cron": "{kind: cron, cron: '@daily', zone: Asia/Shanghai, jitter: 5m, start: 2030-01-01T00:00:00Z}",
		"unix": "{kind: cron, cron: '0 9 * * 1', dst: {gap: fire_before, overlap: both}}", "every": "{kind: every, every: 90s, anchor: 2030-01-01T00:00:00+01:00}",
		"pace": "{kind: every, every: 2h}", "after": "{kind: after, after: 10m, count: 7}", "daily": "{kind: daily, daily: '09:00-18:00 MON-FRI every 5m'}",
		"once": "{kind: once, at: 2035-01-01T00:00:00Z}", "delay": "{kind: once, delay: 100h}",
		"several": "{kind: several, of: [{kind: cron, cron: '0 0 3 * * ?', zone: Europe/Berlin}, {kind: every, every: 1h}], calendars: [month-ends], excluded: shift}",
	} {
		fmt.Fprintf(&out, "---\napiVersion: orth/v1\nkind: Job\nmetadata: {key: when-%s}\nspec: {group: Ops.1, handler: {kind: named, name: x}, schedule: %s, enabled: %t}\n", kind, schedule, kind != "manual")
	}
	for _, kind := range []string{"shell", "python", "python2", "nodejs", "php", "powershell", "groovy", "javascript"} {
		fmt.Fprintf(&out, "---\napiVersion: orth/v1\nkind: Job\nmetadata: {key: code-%s}\nspec: {group: ops, handler: {kind: %s, source: \"  one\\r\\n\\ttwo 文\\n\\n\"}}\n", kind, kind)
	}
	out.WriteString(`---
apiVersion: orth/v1
kind: Job
metadata: {key: child-a}
spec: {group: ops, handler: {kind: named, name: x}, children: [{key: child-b, on: failure, param: "{{result}}"}], enabled: true, schedule: {kind: every, every: 24h}}
---
apiVersion: orth/v1
kind: Job
metadata: {key: child-b}
spec:
  group: ops
  handler: {kind: named, name: x}
  children: [{key: when-manual, on: always}, {key: code-shell}]
  title: "title: with # signs"
  param: |2
      two lines

    of it
  misfire: fire_all
  misfire_limits: {threshold: 1m, window: 6h, max: 7, spacing: 2s}
  stop_after: 3
  route: broadcast
  shards: 4
  overlap: concurrent
  concurrency: 4
  overlap_scope: executor
  overlap_queue: 5
  labels: {a.b: "true", c: "1"}
  timeout: 1h
  retry: {tries: 3, initial: 1s, multiplier: 1.5, max: 1m, jitter: 0.25, on: [lost, failed]}
  on_crash: rerun
  delivery: {priority: high, expire_after: 10m, deadline: 2h, selector: {zone: eu}, keep_for: 720h, keep_runs: 10}
  logs: {off: true, keep_for: 24h, max_bytes: 4096}
  alarm_emails: [ops@example.com]
---
apiVersion: orth/v1
kind: Calendar
metadata: {key: china}
spec: {shipped: cn}
---
apiVersion: orth/v1
kind: Pause
metadata: {key: for-ever}
spec: {reason: off, groups: [nobody]}
---
apiVersion: orth/v1
kind: AlarmRule
metadata: {key: slow}
spec:
  kinds: [slow, failure_rate, backlog]
  severity: info
  longer: 5m
  count: 100
  percent: 10
  repeat: never
  group_by: job
  escalation: [{after: 30m, channels: [ops]}]
  channels: [ops]
  enabled: false
`)
	return out.String()
}

// filesIn returns the texts of all files of a folder by their paths.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[strings.TrimPrefix(path, dir)] = mustRead(t, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: %v", slices.Collect(maps.Keys(files)), err)
	}
	return files
}
