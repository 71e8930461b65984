package runlog

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func logOn(t *testing.T, l *Logs, attempt int64, at time.Time) io.WriteCloser {
	t.Helper()
	w, err := l.Create(attempt, at)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, "x\n")
	return w
}

func folders(t *testing.T, l *Logs) []string {
	t.Helper()
	names, err := l.names()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func TestPrune(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{Days: 2})
	for ago := range 5 {
		closeLog(t, logOn(t, l, 1, noon.AddDate(0, 0, -ago)))
	}
	running := logOn(t, l, 2, noon.AddDate(0, 0, -4))
	for _, name := range []string{"notes", "2026-1-1", ".trash-2026-01-01", "scripts"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "inside"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	n, err := l.Prune(noon)
	if n != 1 || err != nil {
		t.Errorf("pruned %d days, %v; want the one of three days ago", n, err)
	}
	want := []string{"2026-1-1", "2026-11-17", "2026-11-19", "2026-11-20", "2026-11-21", "notes", "scripts"}
	if diff := cmp.Diff(want, folders(t, l)); diff != "" {
		t.Error(diff)
	}
	closeLog(t, running)
	if n, err := l.Prune(noon); n != 1 || err != nil {
		t.Errorf("pruned %d days, %v; want the one whose log has ended", n, err)
	}
	if page, _ := l.Read(2, noon.AddDate(0, 0, -4), 1); !page.End {
		t.Error("the old log is still there")
	}
	closeLog(t, logOn(t, l, 2, noon.AddDate(0, 0, -4))) // a day that was pruned may come back
}

func TestPruneNever(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	closeLog(t, logOn(t, l, 1, noon))
	n, err := l.Prune(noon.AddDate(10, 0, 0))
	if page, readErr := l.Read(1, noon, 1); n != 0 || err != nil || readErr != nil || page.End {
		t.Errorf("pruned %d days, %v, %v", n, err, readErr)
	}
}

// TestPruneZone: the age is counted in days of the logs' zone.
func TestPruneZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 10*3600)
	l, _ := open(t, Config{Days: 1, Zone: zone})
	closeLog(t, logOn(t, l, 1, time.Date(2026, 11, 20, 23, 0, 0, 0, zone)))
	if n, _ := l.Prune(time.Date(2026, 11, 21, 23, 59, 0, 0, zone)); n != 0 {
		t.Error("pruned within the day after")
	}
	if n, _ := l.Prune(time.Date(2026, 11, 22, 0, 0, 0, 0, zone)); n != 1 {
		t.Error("not pruned two days later")
	}
}
