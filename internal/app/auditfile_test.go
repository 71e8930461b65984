package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/job"
)

// fileLines returns the lines of a file of the audit.
func fileLines(t *testing.T, path string) []api.AuditLine {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []api.AuditLine
	for row := range bytes.Lines(text) {
		var l api.AuditLine
		if err := json.Unmarshal(row, &l); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		lines = append(lines, l)
	}
	return lines
}

// Every line of the audit is in the file too, in the same order, also after somebody
// has moved the file away.
func TestAuditFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, AuditFile: path})
	askAPI(t, s, http.MethodPost, "/jobs", aNewJob)
	askAPI(t, s, http.MethodPost, "/jobs?dry_run=true", strings.Replace(aNewJob, "report", "tried", 1))
	askAPI(t, s, http.MethodPost, "/jobs", aNewJob) // a conflict
	askAPI(t, s, http.MethodPost, "/jobs/report/start", "")
	until(t, "the lines are in the file", func() bool { return len(fileLines(t, path)) == 1 })
	away := path + ".1"
	if err := os.Rename(path, away); err != nil {
		t.Skip("a file that is open cannot be moved here")
	}
	askAPI(t, s, http.MethodPatch, "/jobs/report", `{"title":"Nightly"}`)
	until(t, "the file is made anew", func() bool {
		_, err := os.Stat(path)
		return err == nil && len(fileLines(t, path)) == 1
	})
	all := append(fileLines(t, away), fileLines(t, path)...)
	stored := wholeAudit(t, s)
	if len(all) != len(stored) {
		t.Fatalf("%d lines in files, %d in the database", len(all), len(stored))
	}
	for i, l := range all {
		if l.Digest != stored[i].Digest || int64(l.Seq) != stored[i].Seq || l.Operation != stored[i].Operation {
			t.Errorf("line %d is %+v, stored %+v", i, l, stored[i])
		}
	}
	if about, err := os.Stat(path); err != nil || about.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("others may read the file: %v, %v", about.Mode(), err)
	}
}

// A file that cannot be written to is found before the server starts, one that goes
// bad later holds no change up.
func TestAuditFileFails(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, AuditFile: t.TempDir()})
	if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "audit-file") {
		t.Errorf("a folder: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "sub")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lost := 0
	var log bytes.Buffer
	f, err := newAuditFile(filepath.Join(dir, "audit.jsonl"), func(n int) { lost += n }, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	f.close()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	f.write(make([]audit.Line, 2))
	f.write(make([]audit.Line, 1))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f.write(make([]audit.Line, 1))
	if lost != 3 || strings.Count(log.String(), "only in the database") != 1 || strings.Count(log.String(), "again") != 1 {
		t.Errorf("%d lines lost, and the log has:\n%s", lost, log.String())
	}
	for range maxAuditBatches + 5 {
		f.take(make([]audit.Line, 1))
	}
	if lost != 8 {
		t.Errorf("%d lines lost when nobody writes", lost)
	}
}
