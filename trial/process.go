package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// process is a program of the trial, which can be killed, paused and started again.
type process struct {
	name    string
	command func() []string // of the next start
	env     []string
	log     string
	busy    sync.Mutex // held by the fault that it has
	cmd     *exec.Cmd
	ended   chan struct{}
}

// start starts the program. It dies with this one.
func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := p.command()
	_, _ = fmt.Fprintf(log, "=== %s: %v\n", time.Now().UTC().Format(time.RFC3339Nano), args)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes()
	cmd.Dir = filepath.Dir(p.log)
	if err := startHere(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	ended := make(chan struct{})
	p.cmd, p.ended = cmd, ended
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return nil
}

func (p *process) signal(s syscall.Signal) {
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(s)
	}
}

func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// stop asks the program to end, and kills it after a while.
func (p *process) stop(patience time.Duration) {
	p.signal(syscall.SIGTERM)
	if p.endsWithin(patience) {
		return
	}
	p.kill()
}

func (p *process) endsWithin(d time.Duration) bool {
	if p.cmd == nil {
		return true
	}
	return !pause(p.ended, d)
}
