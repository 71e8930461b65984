package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orthd/orth/internal/manifest/tree"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Limits of what is read.
const (
	MaxFile  = 1 << 20   // bytes of a file
	MaxBytes = 256 << 20 // of all files together
	MaxFiles = 100_000   // of a folder: a document and its script each
)

// maxMistakes bounds the errors that are reported at once.
const maxMistakes = 20

// Load reads the documents of a file, or of all files of a folder that end in .yaml, .yml
// or .json; hidden ones are skipped. Documents without a namespace are in the given one.
// Files that a document refers to are read from its folder, and never from outside of the
// named folder. Errors are Invalid with file, line and column, of several files at once.
func Load(name, namespace string) ([]Object, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read the documents: %w", err)
	}
	folder, only := name, ""
	if !info.IsDir() {
		folder, only = filepath.Split(filepath.Clean(name))
	}
	root, err := os.OpenRoot(filepath.Clean(folder))
	if err != nil {
		return nil, fmt.Errorf("read the documents: %w", err)
	}
	defer root.Close()
	files := []string{only}
	if only == "" {
		if files, err = documentsOf(root); err != nil {
			return nil, err
		}
	}
	return loadFiles(root, files, namespace)
}

// loadFiles reads files of a folder. Their errors are reported together.
func loadFiles(root *os.Root, files []string, namespace string) ([]Object, error) {
	var all []Object
	var mistakes []error
	bytes := 0
	for _, file := range files {
		text, err := readIn(root, file, MaxFile)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		if bytes += len(text); bytes > MaxBytes {
			return nil, job.Errorf(job.Invalid, "the files have more than %d MiB together: apply folders of a part of them", MaxBytes>>20)
		}
		found, wrong := Read(file, []byte(text), namespace, func(name string, most int) (string, error) {
			beside, err := readBeside(root, file, name, most)
			bytes += len(beside)
			return beside, err
		})
		all = append(all, found...)
		if mistakes = append(mistakes, wrong...); len(mistakes) >= maxMistakes {
			break
		}
		if len(all) > tree.MaxDocuments {
			return nil, job.Errorf(job.Invalid, "there are more than %d documents", tree.MaxDocuments)
		}
	}
	if err := told(append(mistakes, twice(all)...)); err != nil {
		return nil, err
	}
	return all, nil
}

// told joins errors to one, nil for none.
func told(mistakes []error) error {
	if len(mistakes) < 2 {
		return errors.Join(mistakes...)
	}
	lines := make([]string, 0, maxMistakes)
	for _, err := range mistakes[:min(len(mistakes), maxMistakes)] {
		line := messageOf(err)
		if known, ok := errors.AsType[*job.Error](err); ok && known.Hint != "" {
			line += "; " + known.Hint
		}
		lines = append(lines, line)
	}
	return &job.Error{
		Kind: job.Invalid, Message: plural.Count(len(mistakes), "mistake") + ":\n" + strings.Join(lines, "\n"),
	}
}

// twice finds objects that two documents are about.
func twice(all []Object) (mistakes []error) {
	seen := make(map[ID]string, len(all))
	for i := range all {
		if first, ok := seen[all[i].ID()]; ok {
			mistakes = append(mistakes, job.Errorf(job.Invalid, "%s: %s is described already in %s", all[i].Origin, all[i].ID(), first))
			continue
		}
		seen[all[i].ID()] = all[i].Origin
	}
	return mistakes
}

// documentsOf returns the files of a folder that hold documents, in order of path.
func documentsOf(root *os.Root) ([]string, error) {
	var files []string
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(name))):
			files = append(files, name)
		}
		if len(files) > MaxFiles {
			return job.Errorf(job.Invalid, "there are more than %d files", MaxFiles)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for documents: %w", err)
	}
	return files, nil
}

// readBeside reads a file that a document names.
func readBeside(root *os.Root, document, name string, most int) (string, error) {
	at := path.Join(path.Dir(filepath.ToSlash(document)), name)
	if path.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(at)) || strings.Contains(name, `\`) {
		return "", errors.New("must be a file within the folder of the documents, named with /")
	}
	text, err := readIn(root, filepath.FromSlash(at), most)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(text) {
		return "", errors.New("is not UTF-8")
	}
	return text, nil
}

// readIn reads a file of a folder. Only plain files are read, so that a pipe does
// not hold it up.
func readIn(root *os.Root, name string, most int) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", bare(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("is no plain file")
	}
	file, err := root.Open(name)
	if err != nil {
		return "", bare(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err != nil {
		return "", bare(err)
	}
	if len(text) > most {
		return "", fmt.Errorf("is larger than %d KiB", most>>10)
	}
	return string(text), nil
}

// bare returns an error without the path that its reader knows.
func bare(err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped.Err
	}
	return err
}

// Read reads the documents of one text. Its name, which ends in .json for JSON, is part of
// errors; the function reads files that it refers to, and may be nil when there are none.
// Valid documents are returned together with the errors of the others.
func Read(name string, text []byte, namespace string, files func(name string, most int) (string, error)) (all []Object, mistakes []error) {
	if len(text) > MaxFile {
		return nil, []error{job.Errorf(job.Invalid, "%s: is larger than %d KiB", name, MaxFile>>10)}
	}
	if !utf8.Valid(text) {
		return nil, []error{job.Errorf(job.Invalid, "%s: is not UTF-8", name)}
	}
	if files == nil {
		files = func(string, int) (string, error) {
			return "", errors.New("there is no folder that it could stand in: name a folder or a file")
		}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	parse := tree.ParseYAML
	if strings.EqualFold(path.Ext(name), ".json") {
		parse = tree.ParseJSON
	}
	documents, err := parse(name, text)
	if err != nil {
		return nil, []error{err}
	}
	r := reader{namespace: namespace, beside: files}
	for _, n := range documents {
		o, err := r.object(n)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		all = append(all, o)
	}
	return all, mistakes
}
