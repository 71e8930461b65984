package command

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// invocation is what a parameter asks for.
type invocation struct {
	args []string // the program first
	dir  string   // empty: the handler's
	env  []string // name=value, by name
}

// document is a parameter that is a JSON object.
type document struct {
	Program string            `json:"program"`
	Args    []string          `json:"args"`
	Dir     string            `json:"dir"`
	Env     map[string]string `json:"env"`
}

// parse reads a parameter: a JSON object, a JSON array, or a line as [split] takes it.
// Errors are Invalid.
func parse(param string) (invocation, error) {
	text := strings.TrimSpace(param)
	if !strings.HasPrefix(text, "{") {
		args, err := split(text)
		return invocation{args: args}, err
	}
	var d document
	in := json.NewDecoder(strings.NewReader(text))
	in.DisallowUnknownFields() // a misspelt field must not be ignored
	if err := in.Decode(&d); err != nil {
		return invocation{}, job.FieldErrorf("param", `must be an object with the fields program, args (texts), dir and env (texts): %w`, err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return invocation{}, job.FieldErrorf("param", "has text after the JSON object: remove it")
	}
	args, err := checkArgs(append([]string{d.Program}, d.Args...))
	if err != nil {
		return invocation{}, err
	}
	v := invocation{args: args, dir: d.Dir}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		if err := checkVariable(name, d.Env[name]); err != nil {
			return invocation{}, err
		}
		v.env = append(v.env, name+"="+d.Env[name])
	}
	return v, nil
}

func checkVariable(name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return job.FieldErrorf("param", "env: %q is no name of a variable: it must not be empty, and must not have = or NUL in it", job.Clean(name, 40))
	case strings.HasPrefix(name, "ORTH_"):
		return job.FieldErrorf("param", "env: %s is set by the executor: choose a name that does not begin with ORTH_", job.Clean(name, 40))
	case strings.ContainsRune(value, 0):
		return job.FieldErrorf("param", "env: the value of %s has a NUL character, which no variable can hold: remove it", job.Clean(name, 40))
	}
	return nil
}

// admitEnv refuses variables that the operator has not listed. With every program
// allowed all variables are: /usr/bin/env could set them anyway.
func (h *command) admitEnv(env []string) error {
	if h.all || slices.Contains(h.config.Variables, "*") {
		return nil
	}
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		if !slices.Contains(h.config.Variables, name) {
			return job.Errorf(job.Refused, "jobs may not set the variable %s on this executor: its operator has to list it in the setting "+
				"`command-env` (executor.Config.Programs.CommandEnv)", job.Clean(name, 40))
		}
	}
	return nil
}

// admitDir returns the folder to run in: the wanted one with its links resolved, when it
// is in one that the operator has listed. With every program allowed all folders are.
func (h *command) admitDir(dir string) (string, error) {
	if dir == "" {
		return h.config.Dir, nil
	}
	if !filepath.IsAbs(dir) {
		return "", job.FieldErrorf("param", "dir: %q must be an absolute path", job.Clean(dir, 100))
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", job.Errorf(job.Refused, "the folder %s cannot be used on this executor's machine: make it, or route the job elsewhere: %w", dir, err)
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", job.Errorf(job.Refused, "%s is no folder on this executor's machine: name one, or route the job elsewhere", dir)
	}
	if h.all || slices.ContainsFunc(h.config.Dirs, func(allowed string) bool { return within(allowed, resolved) }) {
		return resolved, nil
	}
	return "", job.Errorf(job.Refused, "jobs may not run in the folder %s on this executor: its operator has to list it in the setting "+
		"`command-dirs` (executor.Config.Programs.CommandDirs)", dir)
}

// within reports whether a folder without links in its path is an allowed one, or below it.
func within(allowed, resolved string) bool {
	root, err := filepath.EvalSymlinks(allowed)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(root, resolved)
	return err == nil && filepath.IsLocal(below)
}
