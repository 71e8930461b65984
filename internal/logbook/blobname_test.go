package logbook

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

func TestCheckBlobName(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "2026-11-21/00001.pack", "A/b/C_d-e.f", "a..b", strings.Repeat("x", MaxBlobName)} {
		if err := CheckBlobName(good); err != nil {
			t.Errorf("%q is refused: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", "/", "a/", "/a", "a//b", "a/../b", ".hidden", "a/.b", "a.", "a./b", `a\b`, "a b", "ä", "a\x00", "a\xff",
		strings.Repeat("x", MaxBlobName+1),
	} {
		if err := CheckBlobName(bad); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v, want it refused as invalid", bad, err)
		}
	}
}

// A name that is taken stays below the place of a store.
func FuzzCheckBlobName(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "a/./b", `..\a`, "C:/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckBlobName(name) != nil {
			return
		}
		if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) {
			t.Errorf("%q leads out of its place", name)
		}
	})
}
