package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// folderWith returns a data folder as a server leaves it.
func folderWith(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	s, err := sqlite.Open(filepath.Join(dir, backup.Database), sqlite.Config{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secrets.key": "key", "executor.token": "token", "logs/a.pack": "lines"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// called runs a command where nobody can be asked.
func called(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Execute(t.Context(), args, kit.Config{
		Stdout: &out, Stderr: &errs, Stdin: strings.NewReader(""), Getenv: func(string) string { return "" }, Location: time.UTC, Version: "1.2.3",
	})
	return out.String(), errs.String(), code
}

// in returns the names in a folder.
func in(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// What is copied can be put back, and nothing half is left anywhere.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	dir, archives := folderWith(t), t.TempDir()
	archive := filepath.Join(archives, "orth.tar.zst")
	stdout, stderr, code := called(t, "backup", archive, "--data", dir, "--with-logs", "-o", "json")
	var m backup.Meta
	if err := json.Unmarshal([]byte(stdout), &m); code != 0 || err != nil || m.Orth != "1.2.3" || !m.Has("logs/a.pack") || m.Has("api.token") {
		t.Fatalf("%d, %v\n%s%s", code, err, stdout, stderr)
	}
	if _, stderr, code := called(t, "backup", archive, "--data", dir); code != 5 || !strings.Contains(stderr, "already exists") {
		t.Errorf("a file that is there: %d, %s", code, stderr)
	}
	if _, stderr, code := called(t, "backup", "verify", archive); code != 0 || !strings.Contains(stderr, "is a valid backup") {
		t.Errorf("a check: %d, %s", code, stderr)
	}
	if names := in(t, archives); !slices.Equal(names, []string{"orth.tar.zst"}) {
		t.Errorf("beside the archive there is %v", names)
	}
	parent := t.TempDir()
	to := filepath.Join(parent, "data")
	if _, stderr, code := called(t, "restore", archive, "--data", to); code != 2 || !strings.Contains(stderr, "add --yes") {
		t.Errorf("nobody was asked: %d, %s", code, stderr)
	}
	if _, stderr, code := called(t, "restore", archive, "--data", to, "--dry-run"); code != 0 || !strings.Contains(stderr, "nothing was changed") || len(in(t, parent)) != 0 {
		t.Errorf("only tried: %d, %s", code, stderr)
	}
	if _, stderr, code := called(t, "restore", archive, "--data", to, "--yes"); code != 0 || !strings.Contains(stderr, "restored ") || !strings.Contains(stderr, "has no [api.token]") {
		t.Fatalf("%d, %s", code, stderr)
	}
	if names := in(t, to); !slices.Equal(names, []string{"executor.token", "logs", "orth.db", "secrets.key"}) {
		t.Errorf("there is %v", names)
	}
	if _, stderr, code := called(t, "restore", archive, "--data", to, "--yes"); code != 5 || !strings.Contains(stderr, "already has a database") {
		t.Errorf("a database is there: %d, %s", code, stderr)
	}
	if _, stderr, code := called(t, "restore", archive, "--data", to, "--replace", "--yes"); code != 0 || !strings.Contains(stderr, to+".before-restore-") {
		t.Errorf("replaced: %d, %s", code, stderr)
	}
	if names := in(t, parent); len(names) != 2 {
		t.Errorf("beside the folder there is %v", names)
	}
}

// What cannot be put back changes nothing.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	dir, archives := folderWith(t), t.TempDir()
	archive, bare, broken := filepath.Join(archives, "a"), filepath.Join(archives, "bare"), filepath.Join(archives, "broken")
	development, newer := filepath.Join(archives, "development"), filepath.Join(archives, "newer")
	for path, changes := range map[string][]string{
		development: {"UPDATE schema_steps SET name = 'first' WHERE number = 1", "INSERT INTO schema_versions (version_id, is_applied) VALUES (50, 1)"},
		newer:       {"INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)"},
	} {
		of := folderWith(t)
		for _, change := range changes {
			altered(t, of, change)
		}
		if _, stderr, code := called(t, "backup", path, "--data", of); code != 0 {
			t.Fatalf("%d, %s", code, stderr)
		}
	}
	for _, args := range [][]string{{archive}, {bare, "--without-key"}} {
		if _, stderr, code := called(t, append([]string{"backup", "--data", dir}, args...)...); code != 0 {
			t.Fatalf("%d, %s", code, stderr)
		}
	}
	text, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	to := filepath.Join(parent, "data")
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"restore " + broken + " --data " + to + " --yes", "damaged", 1},
		{"restore " + archives + "/none --data " + to + " --yes", "no such file", 1},
		{"restore " + archive + " --data " + to + " --yes --max-size 1KiB", "larger than allowed", 1},
		{"restore " + archive + " --data " + to + " --yes --missed often", "--missed", 2},
		{"restore " + archive + " --yes", "--data", 2},
		{"restore " + archive + " --data " + archives + " --yes", "is not empty", 5},
		{"backup verify " + broken, "damaged", 1},
		{"backup verify " + development, "its database has schema version 50 of a development build", 1},
		{"restore " + development + " --data " + to + " --yes", "made by Orth 1.2.3: restore it with that version", 1},
		{"restore " + newer + " --data " + to + " --yes", "its database has schema version 4711, and this Orth knows", 1},
		{"backup x --data " + parent, "no embedded database", 1},
	} {
		_, stderr, code := called(t, strings.Split(c.args, " ")...)
		if code == 0 || c.code > 1 && code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d, %s", c.args, code, stderr)
		}
		if names := in(t, parent); len(names) != 0 {
			t.Errorf("%s: there is %v", c.args, names)
		}
	}
	if _, stderr, code := called(t, "restore", bare, "--data", to, "--yes"); code != 0 || !strings.Contains(stderr, "secrets.key executor.token api.token") {
		t.Errorf("without keys: %d, %s", code, stderr)
	}
	held, err := sqlite.Open(filepath.Join(to, backup.Database), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := held.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, stderr, code := called(t, "restore", archive, "--data", to, "--replace", "--yes"); code != 5 || !strings.Contains(stderr, "another orth server") {
		t.Errorf("a folder in use: %d, %s", code, stderr)
	}
}

// A workflow that was under way starts nothing more, and what it has on executors is
// waited for.
func TestRestoreWorkflow(t *testing.T) {
	t.Parallel()
	dir := folderWith(t)
	var id int64
	worked(t, dir, func(ctx context.Context, s *sqlite.Store) error {
		r, err := s.AddWorkflowRun(ctx, job.WorkflowRun{
			WorkflowID: 1, Namespace: job.DefaultNamespace, Workflow: "month", Version: 1, State: job.WorkflowRunning, Total: 2,
			CreatedAt: time.Now(), Nodes: []job.NodeRun{
				{WorkflowNode: job.WorkflowNode{Name: "load"}, State: job.NodeRunning, RunID: 7},
				{WorkflowNode: job.WorkflowNode{Name: "send"}, State: job.NodeWaiting},
			},
		})
		id = r.ID
		return err
	})
	archive, to := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "data")
	if _, stderr, code := called(t, "backup", archive, "--data", dir); code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	if _, stderr, code := called(t, "restore", archive, "--data", to, "--yes"); code != 0 || !strings.Contains(stderr, "were running: ended") {
		t.Fatalf("%d, %s", code, stderr)
	}
	worked(t, to, func(ctx context.Context, s *sqlite.Store) error {
		r, _, err := s.WorkflowRun(ctx, id)
		if err == nil && (r.State != job.WorkflowCancelling || r.Nodes[0].State != job.NodeRunning || r.Nodes[1].State != job.NodeCancelled) {
			t.Errorf("%+v", r)
		}
		return err
	})
}

// worked opens the database of a folder for a function.
func worked(t *testing.T, dir string, fn func(ctx context.Context, s *sqlite.Store) error) {
	t.Helper()
	s, err := sqlite.Open(filepath.Join(dir, backup.Database), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	wrong := fn(t.Context(), s)
	stop()
	if err := errors.Join(wrong, <-ended, s.Close()); err != nil {
		t.Fatal(err)
	}
}
