package post

import (
	"strings"
	"testing"
)

func TestCleanPath(t *testing.T) { // alone: it counts allocations
	for path, want := range map[string]string{
		"": "", "/": "/", "//": "/", "///": "/", "/run": "/run", "run": "/run", "run/": "/run", "/run/": "/run", "//run//": "/run",
		"//xxl-job-admin//api//registry/": "/xxl-job-admin/api/registry", "/a b/": "/a b", "/run/?x=1": "/run/?x=1", "/a/../b/": "/a/../b",
	} {
		if got := CleanPath(path); got != want {
			t.Errorf("CleanPath(%q) = %q, want %q", path, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { CleanPath("/xxl-job-admin/api/registry") }); n != 0 {
		t.Errorf("a clean path costs %v allocations, want none", n)
	}
}

// FuzzCleanPath: cleaning changes slashes alone, and a second time nothing.
func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{"", "/", "//", "run", "/run/", "//api///registry//", "/a?b=//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		clean := CleanPath(path)
		if again := CleanPath(clean); again != clean {
			t.Errorf("%q cleans to %q, and that to %q", path, clean, again)
		}
		if strings.Contains(clean, "//") || len(clean) > 1 && strings.HasSuffix(clean, "/") || clean != "" && clean[0] != '/' {
			t.Errorf("%q cleans to %q", path, clean)
		}
		segments := func(text string) string {
			return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '/' }), "/")
		}
		if segments(clean) != segments(path) {
			t.Errorf("%q cleans to %q: other segments", path, clean)
		}
	})
}
