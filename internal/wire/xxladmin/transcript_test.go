package xxladmin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// TestTranscripts plays the requests of testdata/*.http, which scripts of each generation
// send, and compares the answers and what was asked of the server's own API. Each file is
// a list of cases, played in order at midnight of 2000-01-01 UTC:
//
//	=== name
//	request line, headers, empty line, body
//	--- answer
//	status, headers, empty line, body
//	--- requests
//	who: what was asked of the API
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.http")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { playFile(t, file) })
		})
	}
}

func playFile(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	h := w.handler(t)
	var rewritten strings.Builder
	for i, block := range strings.Split("\n"+string(text), "\n=== ") {
		if i == 0 { // what stands before the first case
			rewritten.WriteString(strings.TrimPrefix(block, "\n"))
			continue
		}
		name, rest, _ := strings.Cut(block, "\n")
		request, want, _ := strings.Cut(rest, "\n--- answer\n")
		got := strings.TrimRight(play(t, h, request)+"\n--- requests\n"+w.take(), "\n")
		fmt.Fprintf(&rewritten, "\n=== %s\n%s\n--- answer\n%s\n", name, strings.TrimRight(request, "\n"), got)
		if diff := cmp.Diff(strings.TrimRight(want, "\n"), got); diff != "" && !*update {
			t.Errorf("%s: %s (-want +got):\n%s", path, name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(rewritten.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// play sends a request and shows the answer.
func play(t *testing.T, h *Handler, request string) string {
	t.Helper()
	w := ask(t, h, request)
	var out strings.Builder
	fmt.Fprintf(&out, "%d\n", w.Code)
	names := make([]string, 0, len(w.Header()))
	for name := range w.Header() {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name != "Content-Length" && name != "X-Content-Type-Options" && name != "Cache-Control" {
			fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(w.Header()[name], ", "))
		}
	}
	fmt.Fprintf(&out, "\n%s", w.Body)
	return out.String()
}
