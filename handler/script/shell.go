package script

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// Config is how scripts run.
type Config struct {
	// Dir is the folder of the script files. It is created when missing; no
	// other program may use it. Required.
	Dir string
	// Keep names variables of the executor's environment that scripts get
	// beside the usual ones (PATH, HOME, LANG and the like).
	Keep []string
	// Grace is how long a cancelled script may take to end after it was asked
	// to (SIGTERM); then its process group is killed. Defaults to 5 s.
	Grace time.Duration
	// Linger is how long output is still read after the script has ended,
	// when a process that left its group holds the pipe. Defaults to 1 s.
	Linger time.Duration
	// Zone is the zone of the times in the environment. Defaults to
	// time.Local.
	Zone *time.Location
}

// Shell is a [handler.Handler] that runs shell scripts, with bash where it is
// installed and otherwise with sh. It may run many at the same time.
//
// A script gets three arguments: the parameter as a whole, the shard's index
// and the number of shards. Its standard input is empty. What it writes goes to
// the run log in order. Exit value 0 is success.
//
// When the script has ended, what it left in its process group is killed: use
// setsid, or a service manager, for what must live on.
type Shell struct {
	config Config
	files  files
	// find returns the interpreter's path.
	find func() (string, error)
}

// NewShell returns a Shell. The error tells of a Dir that cannot be used.
func NewShell(c Config) (*Shell, error) {
	if c.Dir == "" {
		return nil, job.FieldErrorf("dir", "is missing: scripts need a folder")
	}
	if c.Grace <= 0 {
		c.Grace = 5 * time.Second
	}
	if c.Linger <= 0 {
		c.Linger = time.Second
	}
	if c.Zone == nil {
		c.Zone = time.Local
	}
	f, err := openFiles(c.Dir, ".sh")
	if err != nil {
		return nil, fmt.Errorf("open the folder of the scripts: %w", err)
	}
	return &Shell{config: c, files: f, find: findShell}, nil
}

// exitText is the message of a script that failed. Servers, alarm rules and
// people's searches of other systems match it, so it is fixed.
const exitText = "script exit value(%d) is failed"

// notStarted is the exit value of a script that could not be started.
const notStarted = -1

// Handle runs the task's script and returns nil when it exits with 0. When ctx
// ends first, the script's process group is ended and ctx's cause is returned.
func (s *Shell) Handle(ctx context.Context, t *handler.Task) error {
	file, err := s.files.ensure(t.JobID, t.SourceAt, t.Source)
	if err != nil {
		t.Log("write the script file: %v", err)
		return fmt.Errorf(exitText, notStarted)
	}
	t.Log("----------- script file:%s -----------", file)
	shell, err := s.find()
	if err != nil {
		t.Log("%v", err)
		return fmt.Errorf(exitText, notStarted)
	}
	//nolint:gosec,noctx // running what servers send is its task; process.run ends the whole group
	cmd := exec.Command(shell, file, t.Param, strconv.Itoa(t.ShardIndex), strconv.Itoa(t.ShardTotal))
	cmd.Env = environment(s.config, t)
	p := process{cmd: cmd, output: t.Output(), grace: s.config.Grace, linger: s.config.Linger}
	exit, err := p.run(ctx)
	switch {
	case err != nil:
		t.Log("start the script: %v", err)
		return fmt.Errorf(exitText, notStarted)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case exit != 0:
		return fmt.Errorf(exitText, exit)
	}
	return nil
}

// findShell prefers bash, as scripts of other systems were written for it.
func findShell() (string, error) {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither bash nor sh is installed where PATH leads")
}
