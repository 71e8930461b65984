package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/job"
)

// PrintFiles prints files as one multi-document text.
func PrintFiles(t *kit.Tool, files []manifest.File) error {
	for i, file := range files {
		text := file.Text
		if i > 0 {
			text = append([]byte("---\n"), text...)
		}
		if _, err := t.Stdout.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// WriteFiles writes files into a folder. It first checks that no existing file has
// different content.
func WriteFiles(t *kit.Tool, dir string, files []manifest.File, objects int, overwrite bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // manifests contain no secrets
		return fmt.Errorf("create the folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer root.Close()
	for _, file := range files {
		old, err := root.ReadFile(filepath.FromSlash(file.Name))
		if err == nil && !bytes.Equal(old, file.Text) && !overwrite {
			wrong := job.Errorf(job.Conflict, "%s exists with different content", filepath.Join(dir, file.Name))
			wrong.Hint = "compare with 'orth diff -f " + dir + "', choose an empty folder, or add --overwrite; nothing was written"
			return wrong
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the folder: %w", err)
		}
	}
	for _, file := range files {
		name := filepath.FromSlash(file.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("write the manifests: %w", err)
		}
		if err := root.WriteFile(name, file.Text, 0o644); err != nil {
			return fmt.Errorf("write the manifests: %w", err)
		}
	}
	t.PrintNote("Exported %s to %s in %s.", plural.Count(objects, "object"), dir, plural.Count(len(files), "file"))
	return nil
}

// OpenServer returns the server as a target of manifests.
func OpenServer(t *kit.Tool) (*reconcile.Server, error) {
	found, err := t.FindServer()
	if err != nil {
		return nil, err
	}
	if found.Namespace.Value == "" {
		found.Namespace.Value = job.DefaultNamespace
	}
	return &reconcile.Server{Namespace: found.Namespace.Value, Getenv: t.Getenv, Dial: func(namespace string) (*client.Client, error) {
		there := found
		there.Namespace = kit.Origin{Value: namespace, From: "the manifests"}
		return t.Dial(there)
	}}, nil
}
