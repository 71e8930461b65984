package console

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestBuiltFromSources compares the digest of the sources that scripts/pack.mjs wrote into
// the comment of dist.zip with the sources next to it. It needs no Node.js, so a stale archive
// is found before the browser suites build it again.
func TestBuiltFromSources(t *testing.T) {
	archive, err := zip.NewReader(bytes.NewReader(dist), int64(len(dist)))
	if err != nil {
		t.Fatal(err)
	}
	want := "sources " + digestOfSources(t, os.DirFS("app"))
	if archive.Comment != want {
		t.Errorf("console/dist.zip has the comment %q, its sources give %q: run make console", archive.Comment, want)
	}
}

// digestOfSources hashes the sources of the bundle like scripts/pack.mjs.
func digestOfSources(t *testing.T, app fs.FS) string {
	t.Helper()
	names := []string{"index.html", "package-lock.json", "package.json", "vite.config.ts"}
	for _, folder := range []string{"src", "public"} {
		err := fs.WalkDir(app, folder, func(name string, entry fs.DirEntry, err error) error {
			ext := path.Ext(name)
			test := strings.HasSuffix(strings.TrimSuffix(name, ext), ".test") && (ext == ".ts" || ext == ".tsx")
			if err == nil && !entry.IsDir() && !test {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	hash := sha256.New()
	for _, name := range names {
		data, err := fs.ReadFile(app, name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(hash, "%s\n%d\n", name, len(data))
		_, _ = hash.Write(data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
