package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, source, reason string
		limits               Limits
		exit                 int
	}{
		{"memory", "x=a; while :; do x=$x$x; done", "killed: it used more than 32 MiB of memory", Limits{Memory: 32 << 20}, 137},
		{"processes", "for i in 1 2 3 4 5 6 7 8; do sleep 5 & done; exit 1", "it wanted more than 4 processes and threads", Limits{Processes: 4}, -1},
		{"CPU time", "while :; do :; done", "killed: it used more than 1s of CPU time", Limits{CPUTime: time.Second}, 152},
		{"file size", "head -c 100000 /dev/zero >\"$TMPDIR/big\"; exit $?", "killed: it wrote a file of more than 64 KiB", Limits{FileSize: 64 << 10}, 153},
		{"open files", "ulimit -n; ulimit -Hn", "", Limits{OpenFiles: 33}, 0},
	} {
		kept := false
		for _, kind := range kinds() {
			if !keeps(t, kind, test.limits) {
				continue
			}
			kept = true
			t.Run(test.name+" "+kind, func(t *testing.T) {
				t.Parallel()
				s := newSpawner(t, Config{Limits: test.limits, Isolation: kind, PrivateTemp: true})
				output := new(buffer)
				exit, err := s.Run(t.Context(), shell(test.source, output))
				if err != nil || exit.Reason != test.reason || exit.Value != test.exit && test.exit >= 0 {
					t.Errorf("%+v, %v: %s", exit, err, output)
				}
				if test.limits.OpenFiles > 0 && output.String() != "33\n33\n" {
					t.Errorf("limits %q", output)
				}
			})
		}
		if !kept && os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			t.Errorf("%s: nothing on this machine can keep the limit", test.name)
		}
	}
}

// keeps reports whether children that are held together in this way can be limited: the
// kernel decides which controllers each kind of cgroup has.
func keeps(t *testing.T, kind string, l Limits) bool {
	t.Helper()
	s, err := New(Config{Limits: l, Isolation: kind, TempRoot: t.TempDir()})
	switch {
	case job.Is(err, job.Unavailable):
		t.Log(err)
		return false
	case err != nil:
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return true
}

// TestLimitsNotKept: a limit that cannot be kept is an error that names it.
func TestLimitsNotKept(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Isolation: group, TempRoot: t.TempDir(), Limits: Limits{Memory: 1 << 20, Processes: 9, OpenFiles: 9}})
	if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "cannot limit memory and processes") {
		t.Errorf("error %v", err)
	}
}

// orphan starts a process with the mark of an executor that is dead.
func orphan(t *testing.T, mark string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "exec sleep 300")
	cmd.Env = append(os.Environ(), markName+"="+mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// deadID is of this process's number at another time.
func deadID() string { return strconv.Itoa(os.Getpid()) + ".1." + namespace() + ".00ff" }

// TestSweep: what a dead executor left is gone after New; what a live one has,
// or one of another namespace, stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	left, foreign := orphan(t, deadID()+".1"), orphan(t, strconv.Itoa(os.Getpid())+".1.12.00ff.1")
	for _, name := range []string{"orth-" + deadID() + ".1", "orth-" + newID() + ".1", "orth-other"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	newSpawner(t, Config{TempRoot: root, Isolation: group})
	expectGone(t, left.Process.Pid)
	if !alive(foreign.Process.Pid) {
		t.Error("a process of another namespace's executor was killed")
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestSweepGroups: the groups of a dead executor go with all in them. It has
// the machine to itself: any other New would sweep for it.
func TestSweepGroups(t *testing.T) {
	for _, kind := range []string{cgroup2, cgroup1} {
		t.Run(kind, func(t *testing.T) {
			s := newSpawner(t, Config{Isolation: kind})
			var own string
			switch k := s.keeper.(type) {
			case groups2:
				own = k.dir
			case groups1:
				own = k.dirs.cgroupPaths()[0]
			}
			stale := filepath.Join(filepath.Dir(own), groupPrefix+deadID()+kind)
			if err := os.MkdirAll(filepath.Join(stale, "1"), 0o755); err != nil {
				t.Fatal(err)
			}
			left := orphan(t, "unmarked")
			if err := writeKernelFile(filepath.Join(stale, "1"), "cgroup.procs", strconv.Itoa(left.Process.Pid)); err != nil {
				t.Fatal(err)
			}
			newSpawner(t, Config{Isolation: kind})
			expectGone(t, left.Process.Pid)
			if _, err := os.Stat(stale); err == nil {
				t.Error("the stale group stays")
			}
			if _, err := os.Stat(own); err != nil {
				t.Errorf("the live group: %v", err)
			}
		})
	}
}

func TestParseMounts(t *testing.T) {
	t.Parallel()
	//nolint:dupword // the kernel writes it so
	info := `31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:29 /docker/1 /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
33 31 0:30 / /sys/fs/cgroup/cpu\040x rw shared:1 - cgroup cgroup rw,cpu,cpuacct
34 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
bad line
`
	got := parseMounts(info, "9:pids:/docker/1/sub\n8:cpu,cpuacct:/a\n0::/system.slice/orth.service\nbad\n")
	want := []mount{
		{1, []string{"rw", "pids"}, "/sys/fs/cgroup/pids/sub"},
		{1, []string{"rw", "cpu", "cpuacct"}, "/sys/fs/cgroup/cpu x/a"},
		{2, nil, "/sys/fs/cgroup/unified/system.slice/orth.service"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mount{})); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a) b) S 1 12 12 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, ok := parseStat(12, text); ok && s.pid != 12 {
			t.Errorf("%+v", s)
		}
	})
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	got, ok := parseStat(12, []byte("12 (a) Z) S 1 13 14 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1"))
	if want := (stat{pid: 12, parent: 1, group: 13, session: 14, started: 777}); !ok || got != want {
		t.Errorf("%+v, %v", got, ok)
	}
}
