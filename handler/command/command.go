package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/errorline"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Config is how commands run.
type Config struct {
	// Allow lists the programs that may run: absolute paths, names that are
	// looked up along PATH by New, or "*" for all. A task that names the same
	// file by another path, such as /bin/echo for /usr/bin/echo, runs the
	// listed one. Defaults to none: every task is refused.
	Allow []string
	// Keep names variables of the executor's environment that programs get besides the
	// usual ones (PATH, HOME, LANG and the like).
	Keep []string
	// Spawner runs the programs. Required; it stays the caller's.
	Spawner *process.Spawner
	// Mask hides secrets in whole lines, before one of them becomes the message of a
	// failure. Defaults to none.
	Mask func(text string) string
	// Dir is the programs' working folder. Defaults to the executor's.
	Dir string
	// Dirs lists the folders that a task may name as its working folder, with all below
	// them. Defaults to none, or to all when Allow has "*".
	Dirs []string
	// Variables lists the names of environment variables that a task may set; "*" is all.
	// Defaults to none, or to all when Allow has "*".
	Variables []string
	// Zone is the zone of the times in the environment. Defaults to
	// time.Local.
	Zone *time.Location
}

// command is the handler.
type command struct {
	config  Config
	allowed []string // absolute paths
	all     bool
}

// New returns the handler for tasks whose parameter is a command: a JSON object with
// program, args, dir and env, a JSON array of texts, or a line with a shell's quotes.
// There is no shell: nothing is
// expanded, and metacharacters such as | and > are handed on as they are. The
// program gets the same environment as a script, and its tree ends with it.
// The error names what is wrong with the Config, such as an allowed program
// that is not there.
func New(c Config) (handler.Handler, error) {
	if c.Spawner == nil {
		return nil, job.FieldErrorf("spawner", "is missing: commands need what runs programs")
	}
	h := &command{config: c}
	for _, name := range c.Allow {
		if name == "*" {
			h.all = true
			continue
		}
		path, err := resolve(name)
		if err != nil {
			return nil, job.FieldErrorf("commands", "%q cannot be allowed: install it or give its absolute path: %w", name, err)
		}
		h.allowed = append(h.allowed, path)
	}
	for _, dir := range c.Dirs {
		if !filepath.IsAbs(dir) {
			return nil, job.FieldErrorf("command-dirs", "%q must be an absolute path", dir)
		}
	}
	return h, nil
}

// resolve returns the absolute path of a program. Links are kept: some programs
// act by the name they are called with.
func resolve(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// Handle runs the command in the task's parameter and returns nil when it exits with 0. Any
// other exit is an error with the text of the file that ORTH_JOB_RESULT_FILE names, or else
// with the exit value and the line of the output that explains it. When ctx ends first,
// Handle ends the command's process tree and returns ctx's cause.
func (h *command) Handle(ctx context.Context, t *handler.Task) error {
	wanted, err := parse(t.Param)
	if err != nil {
		return retry.Permanent(err)
	}
	args := wanted.args
	path, err := h.admit(args[0])
	if err != nil {
		return retry.Permanent(err)
	}
	dir, err := h.admitDir(wanted.dir)
	if err == nil {
		err = h.admitEnv(wanted.env)
	}
	if err != nil {
		return retry.Permanent(err)
	}
	t.Log("----------- command:%q -----------", append([]string{path}, args[1:]...))
	var result strings.Builder
	output := errorline.NewTail(t.Output(), h.config.Mask)
	exit, err := h.config.Spawner.Run(ctx, process.Command{
		Path: path, Args: args[1:], Env: append(h.environ(t), wanted.env...), Dir: dir, Output: output, Result: &result,
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case job.Is(err, job.Invalid):
		return retry.Permanent(err)
	case err != nil:
		return err
	}
	text := strings.TrimSpace(job.Clean(result.String(), 2*process.MaxResult))
	if exit.Value == 0 {
		if text != "" {
			t.Result(text)
		}
		return nil
	}
	switch {
	case text == "":
		text = exit.Message(output.Line())
	case exit.Reason != "":
		text += ": " + exit.Reason
	}
	return errors.New(text)
}

// admit returns the path of an allowed program, as the list has it: the path of
// a task may come to mean another file before the start.
func (h *command) admit(name string) (string, error) {
	if !h.all && len(h.allowed) == 0 {
		return "", job.Errorf(job.Refused, "this executor runs no commands: its operator has to list %q in the setting "+
			"`commands` (executor.Config.Programs.Commands)", name)
	}
	path, err := resolve(name)
	if err != nil {
		return "", job.Errorf(job.Refused, "the program %q is not on this executor's machine: install it, or route the job elsewhere: %w",
			name, err)
	}
	if h.all || slices.Contains(h.allowed, path) {
		return path, nil
	}
	if i := slices.IndexFunc(h.allowed, func(allowed string) bool { return isSameProgram(allowed, path) }); i >= 0 {
		return h.allowed[i], nil
	}
	return "", job.Errorf(job.Refused, "the program %s is not allowed on this executor: its operator has to list it in the setting "+
		"`commands` (executor.Config.Programs.Commands)", path)
}

// isSameProgram reports whether two paths are of one program: of one file and of one name, because a
// file may be many programs that choose their task by name (busybox is sh as well as echo).
// The files are compared again each time: an upgrade of a program replaces its file.
func isSameProgram(a, b string) bool {
	if !strings.EqualFold(filepath.Base(a), filepath.Base(b)) {
		return false
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func (h *command) environ(t *handler.Task) []string {
	facts := process.Facts{
		JobID: t.JobID, AttemptID: t.AttemptID, RunID: t.RunID, Try: t.Try, Param: t.Param,
		PlannedAt: t.PlannedAt, TriggeredAt: t.TriggeredAt, Deadline: t.Deadline,
		ShardIndex: t.ShardIndex, ShardTotal: t.ShardTotal, Labels: t.Labels, Trace: t.Trace, Zone: h.config.Zone,
	}
	return append(process.Inherited(h.config.Keep), facts.Environ()...)
}
