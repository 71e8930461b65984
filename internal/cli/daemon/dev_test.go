package daemon

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGreeting: the first page of 'orth dev' prints commands as a shell takes them.
func TestGreeting(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	greet(&out, "http://127.0.0.1:8080", "http://127.0.0.1:9999/", "it is a folder", "/opt/my tools/orth-1.2")
	whole, err := filepath.Abs("it is a folder")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"`export ORTH_DATA='" + whole + "'`", "\n  '/opt/my tools/orth-1.2' job list ", "\n  '/opt/my tools/orth-1.2' --help "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nhas no %q", &out, want)
		}
	}
}
