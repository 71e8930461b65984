package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/errorline"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Config is how scripts run.
type Config struct {
	// Dir is the folder of the script files. It is created when missing; no
	// other program may use it. Required.
	Dir string
	// Interpreters run the scripts; see [Find]. The first of a kind counts.
	Interpreters []Interpreter
	// Keep names variables of the executor's environment that scripts get besides the usual
	// ones (PATH, HOME, LANG and the like).
	Keep []string
	// Spawner runs the interpreters. Required; it stays the caller's.
	Spawner *process.Spawner
	// Mask hides secrets in whole lines, before one of them becomes the message of a
	// failure. Defaults to none.
	Mask func(text string) string
	// Zone is the zone of the times in the environment. Defaults to
	// time.Local.
	Zone *time.Location
	// MaxSource is the largest script, in bytes. Defaults to [job.MaxSource].
	MaxSource int
}

// Scripts runs scripts of several kinds. It may run many at the same time.
type Scripts struct {
	config Config
	files  *files
}

// New returns a Scripts. It fails when Dir cannot be used.
func New(c Config) (*Scripts, error) {
	if c.Dir == "" {
		return nil, job.FieldErrorf("dir", "is missing: scripts need a folder")
	}
	if c.Spawner == nil {
		return nil, job.FieldErrorf("spawner", "is missing: scripts need what runs programs")
	}
	if c.MaxSource <= 0 {
		c.MaxSource = job.MaxSource
	}
	f, err := openFiles(c.Dir, c.Spawner.Lend)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the scripts: %w", err)
	}
	return &Scripts{config: c, files: f}, nil
}

// Kinds returns the interpreters that the Scripts has.
func (s *Scripts) Kinds() []Interpreter { return slices.Clone(s.config.Interpreters) }

// Handler returns a handler that runs the scripts of a kind. The error is of kind
// job.Refused when this machine has no interpreter for it.
//
// A script gets three arguments: the parameter as a whole, the shard's index and the number
// of shards. Its standard input is empty. Its output goes to the run log in order. Exit
// value 0 is success. The file that ORTH_JOB_RESULT_FILE names holds its result, or the
// text of its failure. A failure without a text gets the exit value and the line of the
// output that explains it. Its whole process tree ends with it.
func (s *Scripts) Handler(k job.HandlerKind) (handler.Handler, error) {
	i := slices.IndexFunc(s.config.Interpreters, func(in Interpreter) bool { return in.Kind == k })
	if i < 0 {
		return nil, job.Errorf(job.Refused, "this executor's machine has no %s: install it, or route the job elsewhere", program(k))
	}
	return &script{Scripts: s, interpreter: s.config.Interpreters[i]}, nil
}

// program names what a kind needs.
func program(k job.HandlerKind) string {
	switch k {
	case job.HandlerShell:
		return "bash or sh"
	case job.HandlerPython:
		return "Python 3 (python3)"
	case job.HandlerPython2:
		return "Python 2 (python2)"
	case job.HandlerNode:
		return "Node.js (node)"
	case job.HandlerPHP:
		return "php"
	case job.HandlerPowerShell:
		return "PowerShell (pwsh)"
	case job.HandlerGroovy:
		return "Groovy (groovy and Java)"
	default:
		return fmt.Sprintf("program for scripts of kind %q", k)
	}
}

// script runs the scripts of one kind.
type script struct {
	*Scripts
	interpreter Interpreter
}

// Handle runs the task's script and returns nil when it exits with 0. When ctx
// ends first, the script's process tree is ended and ctx's cause is returned.
func (s *script) Handle(ctx context.Context, t *handler.Task) error {
	if n := len(t.Source); n > s.config.MaxSource {
		return retry.Permanent(job.Errorf(job.Invalid, "the script has %d bytes, at most %d are allowed: "+
			"move parts of it into programs on the executor's machine", n, s.config.MaxSource))
	}
	file, done, err := s.files.takeFile(t.JobID, t.SourceAt, s.interpreter.Suffix, t.Source)
	if err != nil {
		t.Log("write the script file: %v", err)
		return fmt.Errorf("write the script file: %w", err)
	}
	defer done()
	t.Log("----------- script file:%s -----------", file)
	var result strings.Builder
	argv, output := s.interpreter.Argv, errorline.NewTail(t.Output(), s.config.Mask)
	exit, err := s.config.Spawner.Run(ctx, process.Command{
		Path:   argv[0],
		Args:   append(slices.Clone(argv[1:]), file, t.Param, strconv.Itoa(t.ShardIndex), strconv.Itoa(t.ShardTotal)),
		Env:    s.environ(t),
		Output: output,
		Result: &result,
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case job.Is(err, job.Invalid):
		t.Log("%v", err)
		return retry.Permanent(err)
	case err != nil:
		t.Log("%v", err)
		return err
	}
	if exit.Reason != "" {
		t.Log("%s", exit.Reason)
	}
	return s.outcome(t, exit, strings.TrimSpace(job.Clean(result.String(), 2*process.MaxResult)), output.Line)
}

// outcome returns what the run reports after an exit with a result; why finds the line of
// the output that explains the failure.
func (s *script) outcome(t *handler.Task, exit process.Exit, result string, why func() string) error {
	if exit.Value == 0 {
		if result != "" {
			t.Result(result)
		}
		return nil
	}
	text := result
	switch {
	case text == "":
		text = exit.Message(why())
	case exit.Reason != "":
		text += ": " + exit.Reason
	}
	if s.interpreter.TimeoutExit != 0 && exit.Value == s.interpreter.TimeoutExit {
		if result == "" {
			text = "the script timed out: " + text
		}
		return handler.TimedOut(text)
	}
	return errors.New(text)
}

func (s *script) environ(t *handler.Task) []string {
	facts := process.Facts{
		JobID: t.JobID, AttemptID: t.AttemptID, RunID: t.RunID, Try: t.Try, Param: t.Param,
		PlannedAt: t.PlannedAt, TriggeredAt: t.TriggeredAt, Deadline: t.Deadline,
		ShardIndex: t.ShardIndex, ShardTotal: t.ShardTotal, Labels: t.Labels, Trace: t.Trace, Zone: s.config.Zone,
	}
	return slices.Concat(process.Inherited(s.config.Keep), facts.Environ(), s.interpreter.Env)
}
