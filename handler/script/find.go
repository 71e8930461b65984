package script

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// Interpreter runs the scripts of one kind.
type Interpreter struct {
	Kind   job.HandlerKind
	Suffix string // of the script files, with its dot
	// Argv is the program's absolute path and its first arguments. The
	// script's path, the parameter, the shard's index and the number of shards
	// follow.
	Argv    []string
	Version string   // as the program reports it, such as "3.11.2"
	Env     []string // besides what all scripts get
	// TimeoutExit is an exit value that means timed out; 0 is none.
	TimeoutExit int
}

// candidate is how the interpreter of a kind may be called.
type candidate struct {
	kind   job.HandlerKind
	suffix string
	names  []string // along PATH, best first
	args   []string // before the script
	ask    []string // for the version
	env    []string // besides what all scripts get
}

func candidates() []candidate {
	dash := []string{"--version"}
	// Without it Python keeps what it prints until its end: the log of a running
	// script is empty, and its last line is not the error.
	unbuffered := []string{"PYTHONUNBUFFERED=1"}
	return []candidate{
		// bash comes first, as scripts of other systems were written for it. Not every sh
		// can report a version, but each runs.
		{kind: job.HandlerShell, suffix: ".sh", names: []string{"bash", "sh"}, ask: []string{"-c", "echo ${BASH_VERSION:-0}"}},
		{kind: job.HandlerPython, suffix: ".py", names: []string{"python3", "python"}, ask: dash, env: unbuffered},
		{kind: job.HandlerPython2, suffix: ".py", names: []string{"python2", "python2.7"}, ask: dash, env: unbuffered},
		{kind: job.HandlerNode, suffix: ".js", names: []string{"node"}, ask: dash},
		{kind: job.HandlerPHP, suffix: ".php", names: []string{"php"}, ask: dash},
		{
			kind: job.HandlerPowerShell, suffix: ".ps1", names: []string{"pwsh", "powershell"},
			args: []string{"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"},
			ask:  []string{"-NoProfile", "-NonInteractive", "-Command", "$PSVersionTable.PSVersion.ToString()"},
		},
	}
}

const (
	// answerIn is how long an interpreter may take to report its version. It is asked once,
	// when the executor starts: on a machine that is busy with other starts a shell takes
	// seconds for that, and an interpreter that is left out then is refused until the next
	// start.
	answerIn = 30 * time.Second
	// lastWords is how long reading the rest of its output may take after its end.
	lastWords = 3 * time.Second
)

// Find looks for the interpreters along PATH, or at the given paths, and asks each for its
// version: one that does not answer within 30 s is left out.
func Find(ctx context.Context, paths map[job.HandlerKind]string) []Interpreter {
	all := candidates()
	found := make([]*Interpreter, len(all))
	var g sync.WaitGroup
	for i, c := range all {
		g.Go(func() {
			if path := paths[c.kind]; path != "" {
				c.names = []string{path}
			}
			found[i] = c.findInterpreter(ctx)
		})
	}
	g.Wait()
	var list []Interpreter
	for _, f := range found {
		if f != nil {
			list = append(list, *f)
		}
	}
	return list
}

func (c candidate) findInterpreter(ctx context.Context) *Interpreter {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	for _, name := range c.names {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			continue
		}
		if version, ok := askVersion(ctx, path, c.ask); ok && c.fitsVersion(version) {
			if version == "0" {
				version = ""
			}
			return &Interpreter{Kind: c.kind, Suffix: c.suffix, Argv: append([]string{path}, c.args...), Version: version, Env: c.env}
		}
	}
	return nil
}

// fitsVersion keeps a Python 2 from being taken for a Python 3, and the reverse.
func (c candidate) fitsVersion(version string) bool {
	switch c.kind {
	case job.HandlerPython:
		return strings.HasPrefix(version, "3")
	case job.HandlerPython2:
		return strings.HasPrefix(version, "2")
	default:
		return true
	}
}

var versionPattern = regexp.MustCompile(`[0-9]+(\.[0-9]+)*`)

// askVersion runs a program that prints its version. Old Pythons print it to standard error.
func askVersion(ctx context.Context, path string, args []string) (version string, ok bool) {
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // the operator has named it or put it along PATH
	cmd.WaitDelay = lastWords
	text, err := cmd.CombinedOutput()
	if err != nil {
		return "", false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	found := versionPattern.Find(line)
	return string(found), found != nil
}
