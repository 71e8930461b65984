// Trial holds Orth to its promises. It runs real servers and executors under faults, and
// compares what was due, what handlers wrote and what the servers recorded. It shares no code
// with Orth: its module requires none.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "note":
		return note(args[1])
	case len(args) == 2 && args[0] == "judge":
		return judgeFolder(args[1])
	}
	return try(args)
}

// overhead is how long a configuration takes besides the window in which its jobs fire:
// about as much to start it as to wait for its last runs.
const overhead = 45 * time.Second

func try(args []string) error {
	flags := flag.NewFlagSet("trial", flag.ContinueOnError)
	orth := flags.String("orth", "", "the program under trial")
	last := flags.Duration("for", 5*time.Minute, "how long all configurations take together, about")
	seed := flags.Uint64("seed", rand.Uint64(), "seed of the faults and the load")
	configs := flags.String("configs", "sqlite,postgres,mariadb", "the configurations")
	keep := flags.Bool("keep", false, "keep the folders of trials without contradictions too")
	within := flags.String("within", "", "folder of the trials, set by the process outside")
	own := flags.Bool("namespaces", false, "whether this process is in namespaces of its own, set by the process outside")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *orth == "" || flags.NArg() > 0 {
		return errors.New("usage: trial -orth PROGRAM [-for 5m] [-seed N] [-configs sqlite,postgres,mariadb] | trial judge FOLDER")
	}
	if *within == "" {
		return outside(args, *seed)
	}
	stop := make(chan struct{})
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-told
		close(stop)
	}()
	network, err := newNetwork(*own)
	if err != nil {
		return err
	}
	names := strings.Split(*configs, ",")
	window := max(*last/time.Duration(len(names))-overhead, 20*time.Second).Truncate(time.Second)
	var bad []string
	for _, name := range names {
		c := config{name: name, window: window, servers: map[string]int{"sqlite": 1, "postgres": 3, "mariadb": 2}[name]}
		if c.servers == 0 {
			return fmt.Errorf("there is no configuration %q: there are sqlite, postgres and mariadb", name)
		}
		t := &trial{config: c, seed: *seed, orth: *orth, net: network, dir: filepath.Join(*within, name)}
		if err := t.whole(stop, *keep); err != nil {
			if errors.Is(err, errInterrupted) {
				return err
			}
			fmt.Println(err)
			bad = append(bad, name)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("trial: %s failed; again with -seed %d; judged again with 'trial judge FOLDER'", strings.Join(bad, ", "), *seed)
	}
	return nil
}

var errInterrupted = errors.New("it was interrupted")

// whole runs and judges one configuration.
func (t *trial) whole(stop <-chan struct{}, keep bool) error {
	if err := os.Mkdir(t.dir, 0o755); err != nil {
		return err
	}
	fmt.Printf("\n%s: %d servers, 3 executors, jobs fire for %s\n", t.config.name, t.config.servers, t.config.window)
	if err := t.run(stop); errors.Is(err, errInterrupted) {
		return err
	} else if err != nil {
		return fmt.Errorf("%s: %w (see %s)", t.config.name, err, t.dir)
	}
	err := judgeFolder(t.dir)
	if err == nil && !keep {
		return os.RemoveAll(t.dir)
	}
	return err
}

// judgeFolder judges a folder of evidence and prints what it finds.
func judgeFolder(dir string) error {
	b, err := readBook(dir)
	if err != nil {
		return err
	}
	found, summary := judge(b)
	for _, line := range summary {
		fmt.Println(line)
	}
	const most = 60
	for i, f := range found {
		if i == most {
			fmt.Printf("and %d more\n", len(found)-most)
			break
		}
		fmt.Println("CONTRADICTION", f)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d contradictions; the evidence is in %s", len(found), dir)
	}
	fmt.Println("no contradiction")
	return nil
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// outside runs this program again within namespaces of its own for processes, mounts and
// networks: whatever it starts or makes ends with it, however it ends. Where that is not
// allowed it runs on loopback, without faults that need it.
func outside(args []string, seed uint64) error {
	dir, err := os.MkdirTemp("", "orth-trial-")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // databases run as users of their own
		return err
	}
	fmt.Printf("trial: seed %d, folder %s\n", seed, dir)
	args = append(args, "-seed", fmt.Sprint(seed), "-within", dir)
	_, lacks := exec.LookPath("ip")
	own := os.Getuid() == 0 && lacks == nil
	var cmd *exec.Cmd
	if own {
		args = append(args, "-namespaces")
		cmd = exec.Command("unshare", append([]string{"--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", reaper, self(), self()}, args...)...)
	} else {
		fmt.Println("trial: no namespaces here (they need root and iproute2): no partitions of packets, no full disks; relays on loopback do the rest")
		cmd = exec.Command(self(), args...)
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = attributes()
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	if err := startHere(cmd); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case s := <-told:
		if own {
			_ = cmd.Process.Kill() // everything within ends with it
		} else {
			_ = cmd.Process.Signal(s)
		}
		<-ended
		err = errors.Join(errInterrupted, os.RemoveAll(dir))
	}
	_ = os.Remove(dir) // when nothing is kept in it
	return err
}

// reaper is the first process of the namespace: a shell that waits for children that others
// leave behind.
const reaper = `mount -t tmpfs tmpfs /run && mkdir /run/netns; "$@" & wait $!`

// forks takes what has to be done on a thread that stays.
var forks = sync.OnceValue(func() chan<- func() {
	all := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range all {
			f()
		}
	}()
	return all
})

// startHere starts a program on a thread that stays: it is killed when the thread that
// started it ends.
func startHere(cmd *exec.Cmd) error {
	done := make(chan error)
	forks() <- func() { done <- cmd.Start() }
	return <-done
}

// attributes make a program die with this one, and keep signals of the terminal from it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
