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

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// noContext is the name that asks for no context at all.
const noContext = "none"

// maxContexts bounds the file of contexts, in bytes.
const maxContexts = 1 << 20

// maxAsk bounds how long a command that prints a token may take.
const maxAsk = 30 * time.Second

// serverContext is what is kept about a server under a name.
type serverContext struct {
	Name         string   `yaml:"name"`
	Server       string   `yaml:"server"`
	Namespace    string   `yaml:"namespace,omitempty"`
	Token        string   `yaml:"token,omitempty"`
	TokenFile    string   `yaml:"token_file,omitempty"`
	TokenCommand []string `yaml:"token_command,omitempty,flow"`
	TokenID      string   `yaml:"token_id,omitempty"` // of a token that a login made: logout revokes it
	CA           string   `yaml:"ca,omitempty"`
}

// contextFile is the file that the contexts are kept in.
type contextFile struct {
	Current  string          `yaml:"current,omitempty"`
	Contexts []serverContext `yaml:"contexts"`

	path string
}

// contextPath returns where the contexts are kept; empty on a machine that says
// neither that nor where a user is at home.
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

// contexts reads the file of contexts; one that is missing has none.
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
		return found, job.FieldErrorf(found.path, "is no file of contexts: %s", plainYAML(err))
	}
	err = found.check(file)
	return found, err
}

// plainYAML returns what is wrong with a YAML text, on one line and without the values
// in it, which may be secret.
func plainYAML(err error) string {
	if _, ok := errors.AsType[*yaml.TypeError](err); ok {
		return "a field is unknown, or has a value of another kind: the fields of a context are name, server, namespace, token, token_file, token_command, token_id and ca"
	}
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
}

// check refuses names that are no names, and a file that others can read though it
// has tokens in it.
func (f *contextFile) check(file *os.File) error {
	seen := make(map[string]bool)
	secrets := false
	for i := range f.Contexts {
		c := &f.Contexts[i]
		if err := checkContextName(c.Name); err != nil {
			return job.FieldErrorf(f.path, "%v", err)
		}
		if seen[c.Name] {
			return job.FieldErrorf(f.path, "has two contexts %q", c.Name)
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
			Message: fmt.Sprintf("has tokens in it, and its mode %04o lets others read it", info.Mode().Perm()),
			Hint:    "run: chmod 600 " + f.path,
		}
	}
	return nil
}

// contextName is what the name of a context may be.
var contextName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

func checkContextName(name string) error {
	if !contextName.MatchString(name) || name == noContext {
		return usagef("NAME: %q is no name of a context: use letters, digits, dots and dashes, and not %q", name, noContext)
	}
	return nil
}

// at returns the place of a context, -1 when there is none of that name.
func (f *contextFile) at(name string) int {
	return slices.IndexFunc(f.Contexts, func(c serverContext) bool { return c.Name == name })
}

// named returns a context, or job.NotFound.
func (f *contextFile) named(name string) (*serverContext, error) {
	if at := f.at(name); at >= 0 {
		return &f.Contexts[at], nil
	}
	return nil, &job.Error{
		Kind: job.NotFound, Message: fmt.Sprintf("there is no context %q", name),
		Hint: "see 'orth context list', or make it with " + inQuotes(shellLine("context", "set", name, "--server", "URL")),
	}
}

// save writes the file, for its owner only, whole or not at all.
func (f *contextFile) save() (err error) {
	if f.path == "" {
		return &job.Error{
			Kind: job.Invalid, Message: "nothing says where contexts are kept",
			Hint: "set HOME, or name a file with ORTH_CONFIG",
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

// chosenContext is the context that counts and where its choice comes from; one
// without a name is none.
type chosenContext struct {
	serverContext
	origin
}

// chosenContext returns the context that --context, ORTH_CONTEXT or the file names.
// The file's own choice counts only where no server is named in another way.
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
	found := chosenContext{*c, origin{name.value, fmt.Sprintf("the context %s (chosen by %s)", name.value, name.from)}}
	if t.data != "" || t.context == "" && t.variable("ORTH_CONTEXT").value == "" && t.Getenv("ORTH_DATA") != "" {
		found.Server = ""
	}
	return found, nil
}

// askCommand runs a command that prints a token on its first line.
func askCommand(ctx context.Context, args []string) (redacted.Text, error) {
	ctx, cancel := context.WithTimeout(ctx, maxAsk)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // The user wrote it for this.
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return redacted.Text{}, &job.Error{
			Kind: job.Unauthorized, Message: fmt.Sprintf("the token command %s did not work: %v", args[0], err),
			Hint: "run it by hand, or name the token in another way", Err: err,
		}
	}
	first, _, _ := strings.Cut(string(out), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return redacted.Text{}, job.Errorf(job.Unauthorized, "the token command %s printed nothing", args[0])
	}
	return redacted.New(first), nil
}
