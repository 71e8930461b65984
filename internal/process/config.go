package process

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// Limits bound what one child may use. Zero means no limit.
type Limits struct {
	Memory    int64         // bytes, of the whole tree; more is killed
	Processes int           // processes and threads of the whole tree; more fail to start
	CPUTime   time.Duration // of each process, rounded up to seconds
	OpenFiles int           // of each process
	FileSize  int64         // bytes of each file written
}

// Config is how children run.
type Config struct {
	// Grace is how long a cancelled tree may take to end after it was asked to
	// (SIGTERM); then it is killed. Defaults to 5 s.
	Grace time.Duration
	// Linger is how long output is still read after the end, when a process
	// that got away holds the pipe. Defaults to 1 s.
	Linger time.Duration
	// Limits of each child. A limit that this machine cannot keep is an error
	// of New. Defaults to none.
	Limits Limits
	// User runs children as another user: "name", "uid" or "uid:gid". It needs
	// root, on Unix. HOME, USER and LOGNAME are then that user's, and TMPDIR is
	// not handed on. On Linux such children also gain no privileges by setuid files,
	// have the umask 077, and get no descriptors beyond their input and outputs; for
	// that, descriptors of this process are closed on exec. Defaults to the own user.
	User string
	// PrivateTemp gives each child a TMPDIR of its own, mode 0700, which is
	// removed with all in it after the child's end.
	PrivateTemp bool
	// TempRoot is where private folders are made. The User must be able to
	// enter it. Defaults to the system's folder for temporary files.
	TempRoot string
	// Isolation is how trees are held together: "cgroup2", "cgroup1", "group",
	// or "auto" for the best that works here with the Limits. Defaults to
	// "auto".
	Isolation string
	// Logger hears of processes that cannot be killed. Defaults to nowhere.
	Logger *slog.Logger
}

// The values of Config.Isolation.
const (
	auto    = "auto"
	cgroup2 = "cgroup2"
	cgroup1 = "cgroup1"
	group   = "group"
)

func (c Config) withDefaults() Config {
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.Linger == 0 {
		c.Linger = time.Second
	}
	if c.TempRoot == "" {
		c.TempRoot = os.TempDir()
	}
	if c.Isolation == "" {
		c.Isolation = auto
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) validate() error {
	if c.Grace < 0 || c.Linger < 0 {
		return job.FieldErrorf("grace", "%s and linger %s must not be negative", c.Grace, c.Linger)
	}
	if known := []string{auto, cgroup2, cgroup1, group}; !slices.Contains(known, c.Isolation) {
		return job.FieldErrorf("isolation", "%q is not known: use %s", c.Isolation, strings.Join(known, ", "))
	}
	for _, limit := range c.Limits.settings() {
		if limit.value < 0 {
			return job.FieldErrorf("limits", "%s is %d: it must be positive, or 0 for none", limit.name, limit.value)
		}
	}
	return nil
}

type limit struct {
	name  string
	value int64
}

func (l Limits) settings() []limit {
	return []limit{
		{limitMemory, l.Memory},
		{limitProcesses, int64(l.Processes)},
		{limitCPU, int64(l.CPUTime)},
		{limitFiles, int64(l.OpenFiles)},
		{limitSize, l.FileSize},
	}
}

// The limits' names in texts.
const (
	limitMemory    = "memory"
	limitProcesses = "processes"
	limitCPU       = "CPU time"
	limitFiles     = "open files"
	limitSize      = "file size"
)

// unkept names the limits that are set and not in the list of those that can
// be kept; empty when there is none.
func (l Limits) unkept(can ...string) string {
	var names []string
	for _, limit := range l.settings() {
		if limit.value > 0 && !slices.Contains(can, limit.name) {
			names = append(names, limit.name)
		}
	}
	return strings.Join(names, " and ")
}

// seconds is the CPU time in whole seconds, rounded up.
func (l Limits) seconds() uint64 {
	return uint64((l.CPUTime + time.Second - 1) / time.Second)
}

// formatSize writes bytes for people.
func formatSize(bytes int64) string {
	for _, unit := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n := bytes >> unit.shift; n > 0 && n<<unit.shift == bytes {
			return fmt.Sprintf("%d %s", n, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
