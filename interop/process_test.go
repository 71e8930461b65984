package interop

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// process is a program that runs until it is ended, or the test is over.
type process struct {
	cmd  *exec.Cmd
	out  output
	over chan struct{}
}

// output keeps what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(tail(o.text.Bytes()))
}

// run starts a program. When the test fails it shows what the program printed.
func run(t *testing.T, name string, cmd *exec.Cmd) (*process, error) {
	t.Helper()
	p := &process{cmd: cmd, over: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.out, &p.out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		defer close(p.over)
		_ = cmd.Wait() // how it ended is no matter
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("--- the %s printed last:\n%s", name, p.out.tail())
		}
	})
	return p, nil
}

// kill ends the process at once, as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be over
	<-p.over
}

// stop asks the process to end, as a service manager does.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop %s: %w", p.cmd.Path, err)
	}
	return nil
}

// await waits until the condition holds, and tells what was missing.
func await(what string, within time.Duration, condition func() error) error {
	deadline := time.After(within)
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := condition()
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-deadline:
			return fmt.Errorf("%s: not within %s: %w", what, within, err)
		}
	}
}

// starts are the places for programs that start: all at once they would take
// the processor from each other until none is ready in time.
var starts = make(chan struct{}, 3)

// gently starts something when there is a place for it.
func gently(start func() error) error {
	starts <- struct{}{}
	defer func() { <-starts }()
	return start()
}

// given counts the ports that freePort has tried.
var given atomic.Uint32

// freePort returns a port that nothing listens on, another one each time, below those
// that systems give to whoever asks for any: nobody else takes it before it is used.
func freePort(t *testing.T) string {
	t.Helper()
	const first, many = 20_000, 12_000
	for range many {
		port := strconv.Itoa(first + int((uint32(os.Getpid())*131+given.Add(1))%many))
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return ""
}
