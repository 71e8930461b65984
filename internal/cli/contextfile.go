package cli

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

// noContext is the name that selects no context.
const noContext = "none"

// maxContexts is the maximum size of the context file in bytes.
const maxContexts = 1 << 20

// maxAsk is the timeout of a token command.
const maxAsk = 30 * time.Second

// serverContext is a stored context.
type serverContext struct {
	Name         string   `yaml:"name"`
	Server       string   `yaml:"server"`
	Namespace    string   `yaml:"namespace,omitempty"`
	Token        string   `yaml:"token,omitempty"`
	TokenFile    string   `yaml:"token_file,omitempty"`
	TokenCommand []string `yaml:"token_command,omitempty,flow"`
	TokenID      string   `yaml:"token_id,omitempty"` // token of a login: logout revokes it
	CA           string   `yaml:"ca,omitempty"`
}

// contextFile is the content of the context file.
type contextFile struct {
	Current  string          `yaml:"current,omitempty"`
	Contexts []serverContext `yaml:"contexts"`

	path string
}

// contextPath returns the path of the context file; empty without ORTH_CONFIG and
// without a home folder.
func (t *tool) contextPath() string {
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

// contexts reads the context file; a missing file has no contexts.
func (t *tool) contexts() (contextFile, error) {
	found := contextFile{path: t.contextPath()}
	if found.path == "" {
		return found, nil
	}
	file, err := os.Open(found.path)
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
		return found, job.FieldErrorf(found.path, "is larger than %d bytes", maxContexts)
	}
	in := yaml.NewDecoder(bytes.NewReader(text))
	in.KnownFields(true)
	if err := in.Decode(&found); err != nil && !errors.Is(err, io.EOF) {
		return found, job.FieldErrorf(found.path, "is not a valid context file: %s", plainYAML(err))
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
func (f *contextFile) check(file *os.File) error {
	seen := make(map[string]bool)
	secrets := false
	for i := range f.Contexts {
		c := &f.Contexts[i]
		if err := checkContextName(c.Name); err != nil {
			return job.FieldErrorf(f.path, "%v", err)
		}
		if seen[c.Name] {
			return job.FieldErrorf(f.path, "defines context %q twice", c.Name)
		}
		seen[c.Name], secrets = true, secrets || c.Token != ""
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("read the contexts: %w", err)
	}
	if secrets && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return &job.Error{
			Kind: job.Forbidden, Field: f.path,
			Message: fmt.Sprintf("contains tokens, but mode %04o allows other users to read it", info.Mode().Perm()),
			Hint:    "run: chmod 600 " + f.path,
		}
	}
	return nil
}

// contextName matches valid names of contexts.
var contextName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

func checkContextName(name string) error {
	if !contextName.MatchString(name) || name == noContext {
		return output.Usagef("NAME: %q is not a valid context name: use letters, digits, dots, dashes and underscores; %q is reserved", name, noContext)
	}
	return nil
}

// at returns the index of a context, -1 when there is none with this name.
func (f *contextFile) at(name string) int {
	return slices.IndexFunc(f.Contexts, func(c serverContext) bool { return c.Name == name })
}

// named returns a context, or job.NotFound.
func (f *contextFile) named(name string) (*serverContext, error) {
	if at := f.at(name); at >= 0 {
		return &f.Contexts[at], nil
	}
	return nil, &job.Error{
		Kind: job.NotFound, Message: fmt.Sprintf("context %q does not exist", name),
		Hint: "see 'orth context list', or create it with " + inQuotes(shellLine("context", "set", name, "--server", "URL")),
	}
}

// save writes the file atomically with mode 0600.
func (f *contextFile) save() (err error) {
	if f.path == "" {
		return &job.Error{
			Kind: job.Invalid, Message: "the location of the context file is unknown",
			Hint: "set HOME or ORTH_CONFIG",
		}
	}
	slices.SortFunc(f.Contexts, func(a, b serverContext) int { return strings.Compare(a.Name, b.Name) })
	text, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(f.path), ".config-*") // mode 0600
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
	return os.Rename(file.Name(), f.path)
}

// chosenContext is the selected context and the source of the selection; without a name
// no context is selected.
type chosenContext struct {
	serverContext
	origin
}

// chosenContext returns the context from --context, ORTH_CONTEXT or the file. The file
// applies only when no server is set in another way.
func (t *tool) chosenContext() (chosenContext, error) {
	name := firstFrom(origin{t.context, "--context"}, t.variable("ORTH_CONTEXT"))
	if name.value == noContext || name.value == "" && firstOf(t.server, t.data, t.Getenv("ORTH_SERVER"), t.Getenv("ORTH_DATA")) != "" {
		return chosenContext{}, nil
	}
	file, err := t.contexts()
	if err != nil {
		return chosenContext{}, err
	}
	if name.value == "" {
		name = origin{file.Current, file.path}
	}
	if name.value == "" {
		return chosenContext{}, nil
	}
	c, err := file.named(name.value)
	if err != nil {
		return chosenContext{}, err
	}
	found := chosenContext{*c, origin{name.value, fmt.Sprintf("context %s (selected by %s)", name.value, name.from)}}
	if t.data != "" || t.context == "" && t.variable("ORTH_CONTEXT").value == "" && t.Getenv("ORTH_DATA") != "" {
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
