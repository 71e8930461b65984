package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// NoContext is the name that selects no context.
const NoContext = "none"

// maxContexts is the maximum size of the context file in bytes.
const maxContexts = 1 << 20

// maxAsk is the timeout of a token command.
const maxAsk = 30 * time.Second

// ServerContext is a stored context.
type ServerContext struct {
	Name         string   `yaml:"name"`
	Server       string   `yaml:"server"`
	Namespace    string   `yaml:"namespace,omitempty"`
	Token        string   `yaml:"token,omitempty"`
	TokenFile    string   `yaml:"token_file,omitempty"`
	TokenCommand []string `yaml:"token_command,omitempty,flow"`
	TokenID      string   `yaml:"token_id,omitempty"` // token of a login: logout revokes it
	CA           string   `yaml:"ca,omitempty"`
}

// ContextFile is the content of the context file.
type ContextFile struct {
	Current  string          `yaml:"current,omitempty"`
	Contexts []ServerContext `yaml:"contexts"`

	Path string
}

// contextPath returns the path of the context file; empty without ORTH_CONFIG and
// without a home folder.
func (t *Tool) contextPath() string {
	if path := t.Getenv("ORTH_CONFIG"); path != "" {
		return path
	}
	if dir := t.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "orth", "config.yaml")
	}
	home := t.Getenv("HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = t.Getenv("USERPROFILE")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "orth", "config.yaml")
}

// Contexts reads the context file; a missing file has no contexts.
func (t *Tool) Contexts() (ContextFile, error) {
	found := ContextFile{Path: t.contextPath()}
	if found.Path == "" {
		return found, nil
	}
	file, err := os.Open(found.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("read the contexts: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxContexts+1))
	if err != nil {
		return found, fmt.Errorf("read the contexts: %w", err)
	}
	if len(text) > maxContexts {
		return found, job.FieldErrorf(found.Path, "is larger than %d bytes", maxContexts)
	}
	in := yaml.NewDecoder(bytes.NewReader(text))
	in.KnownFields(true)
	if err := in.Decode(&found); err != nil && !errors.Is(err, io.EOF) {
		return found, job.FieldErrorf(found.Path, "is not a valid context file: %s", plainYAML(err))
	}
	err = found.check(file)
	return found, err
}

// plainYAML returns a YAML error on one line and without values, which may be secret.
func plainYAML(err error) string {
	if _, ok := errors.AsType[*yaml.TypeError](err); ok {
		return "unknown field or wrong type; the fields of a context are name, server, namespace, token, token_file, token_command, token_id and ca"
	}
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
}

// check rejects invalid names, and a file with tokens that other users can read.
func (f *ContextFile) check(file *os.File) error {
	seen := make(map[string]bool)
	secrets := false
	for i := range f.Contexts {
		c := &f.Contexts[i]
		if err := CheckContextName(c.Name); err != nil {
			return job.FieldErrorf(f.Path, "%v", err)
		}
		if seen[c.Name] {
			return job.FieldErrorf(f.Path, "defines context %q twice", c.Name)
		}
		seen[c.Name], secrets = true, secrets || c.Token != ""
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("read the contexts: %w", err)
	}
	if secrets && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return &job.Error{
			Kind: job.Forbidden, Field: f.Path,
			Message: fmt.Sprintf("contains tokens, but mode %04o allows other users to read it", info.Mode().Perm()),
			Hint:    "run: chmod 600 " + f.Path,
		}
	}
	return nil
}

// ContextName matches valid names of contexts.
var ContextName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// CheckContextName rejects a name that no context can have.
func CheckContextName(name string) error {
	if !ContextName.MatchString(name) || name == NoContext {
		return output.Usagef("NAME: %q is not a valid context name: use letters, digits, dots, dashes and underscores; %q is reserved", name, NoContext)
	}
	return nil
}

// At returns the index of a context, -1 when there is none with this name.
func (f *ContextFile) At(name string) int {
	return slices.IndexFunc(f.Contexts, func(c ServerContext) bool { return c.Name == name })
}

// Named returns a context, or job.NotFound.
func (f *ContextFile) Named(name string) (*ServerContext, error) {
	if at := f.At(name); at >= 0 {
		return &f.Contexts[at], nil
	}
	return nil, &job.Error{
		Kind: job.NotFound, Message: fmt.Sprintf("context %q does not exist", name),
		Hint: "see 'orth context list', or create it with " + Quote(ShellLine("context", "set", name, "--server", "URL")),
	}
}

// Save writes the file atomically with mode 0600.
func (f *ContextFile) Save() (err error) {
	if f.Path == "" {
		return &job.Error{
			Kind: job.Invalid, Message: "the location of the context file is unknown",
			Hint: "set HOME or ORTH_CONFIG",
		}
	}
	slices.SortFunc(f.Contexts, func(a, b ServerContext) int { return strings.Compare(a.Name, b.Name) })
	text, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(f.Path), ".config-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
			err = fmt.Errorf("write the contexts: %w", err)
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), f.Path)
}

// ChosenContext is the selected context and the source of the selection; without a name
// no context is selected.
type ChosenContext struct {
	ServerContext
	Origin
}

// chosenContext returns the context from --context, ORTH_CONTEXT or the file. The file
// applies only when no server is set in another way.
func (t *Tool) chosenContext() (ChosenContext, error) {
	name := firstFrom(Origin{t.Context, "--context"}, t.variable("ORTH_CONTEXT"))
	if name.Value == NoContext || name.Value == "" && FirstOf(t.Server, t.Data, t.Getenv("ORTH_SERVER"), t.Getenv("ORTH_DATA")) != "" {
		return ChosenContext{}, nil
	}
	file, err := t.Contexts()
	if err != nil {
		return ChosenContext{}, err
	}
	if name.Value == "" {
		name = Origin{file.Current, file.Path}
	}
	if name.Value == "" {
		return ChosenContext{}, nil
	}
	c, err := file.Named(name.Value)
	if err != nil {
		return ChosenContext{}, err
	}
	found := ChosenContext{*c, Origin{name.Value, fmt.Sprintf("context %s (selected by %s)", name.Value, name.From)}}
	if t.Data != "" || t.Context == "" && t.variable("ORTH_CONTEXT").Value == "" && t.Getenv("ORTH_DATA") != "" {
		found.Server = ""
	}
	return found, nil
}

// askCommand runs a token command and returns the first line of its output.
func askCommand(ctx context.Context, args []string) (redacted.Text, error) {
	ctx, cancel := context.WithTimeout(ctx, maxAsk)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user configured this command
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return redacted.Text{}, &job.Error{
			Kind: job.Unauthorized, Message: fmt.Sprintf("the token command %s failed: %v", args[0], err),
			Hint: "run it by hand, or set the token in another way", Err: err,
		}
	}
	first, _, _ := strings.Cut(string(out), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return redacted.Text{}, job.Errorf(job.Unauthorized, "the token command %s printed nothing", args[0])
	}
	return redacted.New(first), nil
}
