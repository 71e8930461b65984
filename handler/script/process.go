package script

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is one run of a command with a process group of its own.
type process struct {
	cmd    *exec.Cmd
	output io.Writer
	grace  time.Duration
	linger time.Duration
}

// run starts the command and waits for its end. When ctx ends, it asks the
// group to end and kills it after the grace. When the command has ended, what
// is left of its group is killed too. The error is about the start; exit is
// valid without one. Of a command that a signal ended it is 128 and the
// signal's number, as shells have it.
func (p process) run(ctx context.Context) (exit int, err error) {
	// One pipe for both outputs keeps their order. It is not left to package
	// exec, whose Wait would wait for whoever holds the pipe before the rest
	// of the group could be killed.
	read, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer read.Close()
	p.cmd.Stdout, p.cmd.Stderr = write, write
	ownGroup(p.cmd)
	err = p.cmd.Start()
	write.Close()
	if err != nil {
		return 0, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(p.output, read)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.reap()
	}()
	p.watch(ctx, ended)
	p.drain(copied, read)
	return exitValue(p.cmd.ProcessState), nil
}

// reap waits for the command and kills what is left of its group, before the
// command's number can be given to another process where that is possible.
func (p process) reap() {
	unreaped := awaitExit(p.cmd.Process)
	if unreaped {
		killGroup(p.cmd.Process)
	}
	_ = p.cmd.Wait() // its state is all that matters
	if !unreaped {
		killGroup(p.cmd.Process)
	}
}

// watch returns when the command has ended, and sees to that when ctx ends.
func (p process) watch(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	terminateGroup(p.cmd.Process)
	grace := time.NewTimer(p.grace)
	defer grace.Stop()
	select {
	case <-ended:
		return
	case <-grace.C:
	}
	killGroup(p.cmd.Process)
	<-ended
}

// drain waits until the output is copied. A process that has left the group
// may hold the pipe; it is not waited for.
func (p process) drain(copied <-chan struct{}, read *os.File) {
	linger := time.NewTimer(p.linger)
	defer linger.Stop()
	select {
	case <-copied:
	case <-linger.C:
		read.Close()
		<-copied
	}
}
