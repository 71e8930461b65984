package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/orthd/orth/internal/timerslack"
	"github.com/orthd/orth/job"
)

// Command is one child to run.
type Command struct {
	Path string   // of the program; it is not looked up
	Args []string // without the program's name
	// Env is the whole environment; nil is an empty one.
	Env []string
	// Dir is the working folder. Defaults to the own.
	Dir string
	// Input is the standard input. Run returns only after its Read has.
	// Defaults to an empty one.
	Input io.Reader
	// Output gets both outputs, in order.
	Output io.Writer
	// Result, when it is set, gets what the child wrote to the file that
	// ORTH_JOB_RESULT_FILE names: at most [MaxResult], after the end.
	Result io.Writer
}

// Exit is how a child ended.
type Exit struct {
	// Value is the exit value; 128 and the signal's number when one killed the
	// child.
	Value int
	// Reason names the limit that the child broke; empty normally.
	Reason string
}

// Message describes how the child failed: its exit value, the limit that it broke, and the
// line of its output that explains it, when there is one.
func (e Exit) Message(why string) string {
	var text strings.Builder
	text.WriteString("exit status " + strconv.Itoa(e.Value))
	separator := ": "
	for _, part := range []string{e.Reason, why} {
		if part != "" {
			text.WriteString(separator + part)
			separator = "; "
		}
	}
	return text.String()
}

// Run starts the command and returns after its end, when nothing of its tree
// is left. When ctx ends, the tree is asked to end and killed after the grace.
// When the command has ended, what is left of its tree is killed at once. The
// error is about the start only: of kind job.Invalid when the arguments are
// too long for the system, ctx's cause when ctx had ended before.
func (s *Spawner) Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	mark := s.newMark()
	folder, err := s.newFolder(mark, c.Result != nil)
	if err != nil {
		return Exit{}, fmt.Errorf("make a private folder: %w", err)
	}
	defer s.removeFolder(folder)
	tree, err := s.keeper.newTree(mark)
	if err != nil {
		return Exit{}, fmt.Errorf("hold the process tree: %w", err)
	}
	r := &run{spawner: s, tree: tree, ended: make(chan struct{})}
	defer func() {
		if err := tree.release(); err != nil {
			s.config.Logger.Warn("a process tree's group stays", "mark", mark, "error", err)
		}
	}()
	r.cmd = &exec.Cmd{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir}
	r.cmd.Env = append([]string{markName + "=" + mark}, without(c.Env, markName)...)
	r.cmd.Env = append(s.user.environ(r.cmd.Env), folder.environ(s.config.PrivateTemp)...)
	if err := r.execute(ctx, c); err != nil {
		return Exit{}, err
	}
	if c.Result != nil {
		folder.copyResult(c.Result)
	}
	return Exit{Value: exitValue(r.cmd.ProcessState), Reason: tree.reason(r.cmd.ProcessState)}, nil
}

// run is one child.
type run struct {
	spawner *Spawner
	cmd     *exec.Cmd
	mu      sync.Mutex // held while tree is used
	tree    tree
	ended   chan struct{} // closed after the child was reaped
}

func (r *run) execute(ctx context.Context, c Command) error {
	// One pipe for both outputs keeps their order. Package exec would wait for every
	// process that holds the pipe, before the rest of the tree could be killed.
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer read.Close()
	r.cmd.Stdout, r.cmd.Stderr = write, write
	input, feeding, err := r.feedInput(c.Input)
	if err != nil {
		write.Close()
		return err
	}
	s := r.spawner
	s.user.become(r.cmd)
	r.tree.prepare(r.cmd)
	started := make(chan error)
	go r.parent(started)
	err = <-started
	write.Close()
	if input != nil {
		input.Close()
	}
	if err != nil {
		feeding.Wait()
		return startError(r.cmd, err)
	}
	output := c.Output
	if output == nil {
		output = io.Discard
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		drainTo(output, read)
	}()
	r.watch(ctx)
	r.linger(copied, read, output)
	feeding.Wait()
	return nil
}

// drainTo copies to the end of read even when output fails: a child must not
// end over its log.
func drainTo(output io.Writer, read io.Reader) {
	_, _ = io.Copy(output, read)
	_, _ = io.Copy(io.Discard, read)
}

// feedInput gives the command its input. input is the child's end of a pipe, to be
// closed after the start.
func (r *run) feedInput(from io.Reader) (input *os.File, feeding *sync.WaitGroup, err error) {
	feeding = new(sync.WaitGroup)
	if from == nil {
		return nil, feeding, nil
	}
	if file, ok := from.(*os.File); ok {
		r.cmd.Stdin = file
		return nil, feeding, nil
	}
	input, write, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	r.cmd.Stdin = input
	feeding.Go(func() {
		_, _ = io.Copy(write, from) // a child may end before it has read all
		write.Close()
	})
	return input, feeding, nil
}

// parent starts the child and waits for its end on one thread, which is its
// parent as the kernel sees it: its end would be the parent's death, and only
// it may trace the child. A thread that was confined ends with this goroutine.
func (r *run) parent(started chan<- error) {
	runtime.LockOSThread()
	if r.spawner.user == nil {
		defer runtime.UnlockOSThread()
	}
	err := r.spawner.user.confine()
	if err == nil {
		undo := timerslack.Refine()
		err = r.start()
		undo()
	}
	if err != nil {
		started <- err
		return
	}
	started <- nil
	defer close(r.ended)
	// The number of an unreaped child stays its own: what is left of the tree
	// is killed before it can be another's.
	unreaped := awaitExit(r.cmd.Process)
	if unreaped {
		r.killTree()
	}
	_ = r.cmd.Wait() // its state is all that matters
	if !unreaped {
		r.killTree()
	}
}

func (r *run) start() error {
	if err := r.cmd.Start(); err != nil {
		return err
	}
	err := awaitStop(r.cmd)
	if err == nil {
		err = r.tree.adopt(r.cmd.Process)
	}
	if err == nil {
		err = resume(r.cmd)
	}
	if err != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		return fmt.Errorf("set the child's limits: %w", err)
	}
	return nil
}

// watch returns when the child has ended, and sees to that when ctx ends.
func (r *run) watch(ctx context.Context) {
	select {
	case <-r.ended:
		return
	case <-ctx.Done():
	}
	r.mu.Lock()
	r.tree.terminate()
	r.mu.Unlock()
	grace := time.NewTimer(r.spawner.config.Grace)
	defer grace.Stop()
	select {
	case <-r.ended:
		return
	case <-grace.C:
	}
	r.killTree()
	_ = r.cmd.Process.Kill() // it has ended, if the tree had it
	<-r.ended
}

func (r *run) killTree() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := r.tree.killAll(); left > 0 {
		r.spawner.config.Logger.Warn("processes of a child cannot be killed",
			"program", r.cmd.Path, "processes", left)
	}
}

// linger waits until the output is copied. A process that got away may hold
// the pipe; it is not waited for. What is in the pipe by then is copied in any case: the
// machine may have stood still since the child wrote it.
func (r *run) linger(copied <-chan struct{}, read *os.File, output io.Writer) {
	linger := time.NewTimer(r.spawner.config.Linger)
	defer linger.Stop()
	select {
	case <-copied:
		return
	case <-linger.C:
	}
	if err := read.SetReadDeadline(time.Now()); err != nil { // not for pipes of this system
		read.Close()
		<-copied
		return
	}
	<-copied
	if err := read.SetReadDeadline(time.Time{}); err == nil {
		copyWaiting(output, read)
	}
}

// maxWaiting bounds what is copied from a pipe after the time for it is over: more than a
// pipe holds, less than a process that goes on writing produces.
const maxWaiting = 1 << 20

// copyWaiting copies what is in a pipe now, and waits for nothing more.
func copyWaiting(output io.Writer, pipe *os.File) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	buffer := make([]byte, 64<<10)
	for total := 0; total < maxWaiting; {
		n := 0
		err := conn.Read(func(fd uintptr) bool {
			n = readNow(fd, buffer)
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		if _, err := output.Write(buffer[:n]); err != nil {
			return
		}
		total += n
	}
}

// startError translates the system's error into the user's words.
func startError(cmd *exec.Cmd, err error) error {
	if errors.Is(err, syscall.E2BIG) {
		longest := 0
		for _, arg := range append(cmd.Args, cmd.Env...) {
			longest = max(longest, len(arg))
		}
		return job.Errorf(job.Invalid, "start %s: the parameter is too long for this system: the longest argument or variable "+
			"has %d bytes, Linux allows 131071 for one; hand over a file or an address instead: %w", cmd.Path, longest, err)
	}
	if cmd.Dir != "" {
		if info, statErr := os.Stat(cmd.Dir); statErr != nil || !info.IsDir() {
			return fmt.Errorf("start %s: the working folder %s is no folder: %w", cmd.Path, cmd.Dir, err)
		}
	}
	return fmt.Errorf("start %s: %w", cmd.Path, err)
}
