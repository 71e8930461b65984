package executor

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
)

// Programs sets how child processes run: scripts that travel with tasks, and commands.
type Programs struct {
	// Interpreters are paths of interpreters by the kind of script, for those
	// that are not where PATH leads. A kind that is not named here is looked
	// for at the start.
	Interpreters map[job.HandlerKind]string
	// JavaScript is the command that runs a file of JavaScript; the file, the
	// parameter and the shard follow. `orth executor` runs itself for it.
	// Defaults to none: such scripts are refused.
	JavaScript []string
	// Commands are the programs that jobs of the handler commandJobHandler may
	// run, as absolute paths or as names that are looked up along PATH at the
	// start; "*" allows all. Defaults to none: there is no such handler then.
	Commands []string
	// CommandDirs are the folders, with all below them, that these jobs may name as their
	// working folder, as absolute paths. Defaults to none, or to all when Commands has "*".
	CommandDirs []string
	// CommandEnv are the names of environment variables that these jobs may set; "*" is
	// all. A variable may turn an allowed program into another one, as LD_PRELOAD does.
	// Defaults to none, or to all when Commands has "*".
	CommandEnv []string
	// Keep names the variables of this process's environment that children get, besides
	// PATH, HOME, LANG and their like.
	Keep []string
	// User runs children as another user: a name, a number, or two numbers
	// uid:gid. It needs a privileged executor and Unix. That user may then pass
	// through the Data folder (mode 0711) to scripts and temporary files; it
	// must be able to reach the Data folder. Defaults to none.
	User string
	// Isolation is how a child's process tree is held together: "cgroup2",
	// "cgroup1", "group", or "auto" for the best that the machine has.
	// Defaults to "auto".
	Isolation string
	// PrivateTemp gives each child a folder for temporary files of its own,
	// which is removed after its end.
	PrivateTemp bool
	// Grace is how long a cancelled child may take to end after it was asked
	// to; then its tree is killed. Defaults to 5 s.
	Grace time.Duration
	// The limits of each child's tree; 0 means none. A limit that this machine
	// cannot keep is an error at the start.
	Memory    int64 // bytes
	Processes int
	CPUTime   time.Duration
	OpenFiles int
	FileSize  int64 // bytes
}

// tempDir is the folder of the children's private folders, in the data folder.
const tempDir = "temp"

// spawner returns the config of what starts the children.
func (p Programs) spawner(c *Config) process.Config {
	return process.Config{
		Grace: p.Grace, User: p.User, PrivateTemp: p.PrivateTemp, Isolation: p.Isolation,
		Limits: process.Limits{
			Memory: p.Memory, Processes: p.Processes, CPUTime: p.CPUTime,
			OpenFiles: p.OpenFiles, FileSize: p.FileSize,
		},
		TempRoot: c.dataPath(tempDir),
		Logger:   c.Logger.With("room", "process"),
	}
}

// Calls sets which HTTP calls jobs of the handler httpJobHandler may make.
type Calls struct {
	// Enabled offers the handler. Defaults to false.
	Enabled bool
	// Hosts are those that may be called: "api.example.com", "*.example.com",
	// "host:port", "10.1.0.0/16" or "*". Defaults to every host with a public
	// address.
	Hosts []string
	// Private allows private, loopback and link-local addresses that Hosts does not name.
	// Defaults to false: editors of jobs could reach services that trust their network.
	Private bool
	// Secrets are texts that a call's parameter may name as ${secret:NAME}.
	// They never appear in logs or outcomes.
	Secrets map[string]string
}

func (p Programs) validate() error {
	for _, kind := range slices.Sorted(maps.Keys(p.Interpreters)) {
		if !kind.Script() || !slices.Contains(job.HandlerKinds(), kind) {
			return job.FieldErrorf("interpreters", "%q is not a kind of script: use %s", kind, scriptKinds())
		}
		if kind == job.HandlerJS {
			return job.FieldErrorf("interpreters", "%q needs none: the executor runs it itself; use nodejs for scripts of Node.js", kind)
		}
	}
	if p.Grace < 0 || p.Grace > maxGrace {
		return job.FieldErrorf("kill-grace", "%s is not between 0 and %s", p.Grace, maxGrace)
	}
	for field, n := range map[string]int64{
		"max-memory": p.Memory, "max-processes": int64(p.Processes), "max-cpu": int64(p.CPUTime),
		"max-files": int64(p.OpenFiles), "max-file-size": p.FileSize,
	} {
		if n < 0 {
			return job.FieldErrorf(field, "must not be negative; 0 sets no limit")
		}
	}
	return nil
}

func (c Calls) validate() error {
	_, err := egress.New(c.egress())
	return named(err, "allow", "call-hosts")
}

// maxGrace keeps a child's grace below what the runner grants its handler.
const maxGrace = time.Minute

// scriptKinds names the kinds that have an interpreter.
func scriptKinds() string {
	var names []string
	for _, kind := range job.HandlerKinds() {
		if kind.Script() && kind != job.HandlerJS {
			names = append(names, string(kind))
		}
	}
	return strings.Join(names, ", ")
}
