package credential

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// maxFile bounds the size of a file that holds a secret, in bytes.
const maxFile = 4096

// Load reads a secret from a file. White space around it is ignored. An empty
// file, or one that does not hold a single printable line, is job.Invalid; a
// missing one is an error for which errors.Is(err, fs.ErrNotExist) holds.
func Load(path string) (redacted.Text, error) {
	raw, err := read(path)
	if err != nil {
		return redacted.Text{}, fmt.Errorf("read the token file: %w", err)
	}
	if strings.TrimSpace(raw) == "" {
		return redacted.Text{}, job.Errorf(job.Invalid, "the token file %s is empty: write a token into it, or delete it to get a new one", path)
	}
	return parse("the token file "+path, raw)
}

// Read reads a secret from where it comes, as [Load] does from a file. from names
// that in errors.
func Read(r io.Reader, from string) (redacted.Text, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return redacted.Text{}, fmt.Errorf("read the token from %s: %w", from, err)
	}
	return parse(from, string(raw))
}

func parse(from, raw string) (redacted.Text, error) {
	text := strings.TrimSpace(raw)
	switch {
	case len(raw) > maxFile:
		return redacted.Text{}, job.Errorf(job.Invalid, "%s is larger than %d bytes", from, maxFile)
	case text == "":
		return redacted.Text{}, job.Errorf(job.Invalid, "%s is empty", from)
	case strings.ContainsFunc(text, unprintable):
		return redacted.Text{}, job.Errorf(job.Invalid, "%s must hold one line of printable ASCII without blanks", from)
	}
	return redacted.New(text), nil
}

// read returns what a file holds, or one byte more than maxFile of it.
func read(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(raw), nil
}

// LoadOrCreate reads the secret in the file and, when there is no such file,
// generates one and writes it first. The file has mode 0600 and appears whole
// or not at all; of several callers that create it at once all get the same
// secret. The folder must exist.
func LoadOrCreate(path string) (redacted.Text, error) { return loadOr(path, Generate) }

// LoadOrCreateServer is LoadOrCreate for the executor key of a server.
func LoadOrCreateServer(path string) (redacted.Text, error) { return loadOr(path, GenerateServer) }

func loadOr(path string, made func() redacted.Text) (redacted.Text, error) {
	text, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if err := create(path, made()); err != nil && !errors.Is(err, fs.ErrExist) {
		return redacted.Text{}, fmt.Errorf("write the token file: %w", err)
	}
	return Load(path)
}

// create writes the secret to a file of its own and then gives it its name,
// unless the name is taken: fs.ErrExist.
func create(path string, text redacted.Text) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.Remove(file.Name()); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
	}()
	_, err = file.WriteString(text.Reveal() + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	err = os.Link(file.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without hard links: the rename is as whole, but the last
	// of several callers wins.
	return os.Rename(file.Name(), path)
}

// Replace writes the secret to a file of mode 0600, in the place of what was there.
// The folder must exist. The file appears whole or not at all.
func Replace(path string, text redacted.Text) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what was in the place of a secret: %w", err)
	}
	if err := create(path, text); err != nil {
		return fmt.Errorf("write a secret: %w", err)
	}
	return nil
}
