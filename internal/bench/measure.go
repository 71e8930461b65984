package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/orthd/orth/internal/store/sqlite" // the database driver
)

// result is what one scenario gave.
type result struct {
	rate                   float64 // recorded outcomes a second
	serverCPU, executorCPU float64 // µs per run
	lateness               []time.Duration
	lost                   int // slots of the window without a run
}

// late returns a percentile of the time from a run's planned instant to its
// handler.
func (r result) late(p float64) time.Duration {
	if len(r.lateness) == 0 {
		return 0
	}
	return r.lateness[min(int(p*float64(len(r.lateness))), len(r.lateness)-1)]
}

// warmup is the time before the window: the jobs' first firings.
const warmup = 4 * time.Second

// measure runs one scenario in fresh processes and folders.
func measure(ctx context.Context, o options, s scenario) (r result, err error) {
	dir, err := os.MkdirTemp(o.Dir, "scenario-")
	if err != nil {
		return r, err
	}
	// The folder stays until the end: ext4 searches long for a free inode
	// within seconds of the deletion of thousands.
	o.Dir, o.Jobs, o.Every = dir, s.jobs, s.every
	if o.Server, err = freeAddress(); err != nil {
		return r, err
	}
	if o.Executor, err = freeAddress(); err != nil {
		return r, err
	}
	server, err := child(ctx, o, "server")
	if err != nil {
		return r, err
	}
	defer server.end()
	executor, err := child(ctx, o, "executor")
	if err != nil {
		return r, err
	}
	defer executor.end()
	for range 2 { // started, ready
		if err := server.says(); err != nil {
			return r, err
		}
	}

	if err := wait(ctx, warmup); err != nil {
		return r, err
	}
	if _, err := lateness(o); err != nil { // forget the warm-up
		return r, err
	}
	from, serverFrom, executorFrom := time.Now(), server.cpu(), executor.cpu()
	if err := wait(ctx, o.Window); err != nil {
		return r, err
	}
	to, serverTo, executorTo := time.Now(), server.cpu(), executor.cpu()
	if r.lateness, err = lateness(o); err != nil {
		return r, err
	}
	if err := wait(ctx, time.Second); err != nil {
		return r, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "server", "orth.db")+"?mode=ro")
	if err != nil {
		return r, err
	}
	defer func() { _ = db.Close() }()
	runs, err := count(ctx, db, "state = 'succeeded' AND ended_at >= ? AND ended_at < ?", from, to)
	if err != nil {
		return r, err
	}
	if runs == 0 {
		return r, errors.New("no run was recorded")
	}
	r.rate = float64(runs) / to.Sub(from).Seconds()
	r.serverCPU = float64((serverTo - serverFrom).Microseconds()) / float64(runs)
	r.executorCPU = float64((executorTo - executorFrom).Microseconds()) / float64(runs)
	if r.rate > 0.9*float64(s.offered()) {
		if r.lost, err = lost(ctx, db, s, from, to); err != nil {
			return r, err
		}
	}
	return r, nil
}

// lost counts the slots of whole seconds within the window that have no run.
func lost(ctx context.Context, db *sql.DB, s scenario, from, to time.Time) (int, error) {
	from, to = from.Truncate(time.Second).Add(time.Second), to.Truncate(time.Second)
	planned, err := count(ctx, db, "planned_at >= ? AND planned_at < ?", from, to)
	if err != nil {
		return 0, err
	}
	return int(to.Sub(from)/s.every)*s.jobs - planned, nil
}

func count(ctx context.Context, db *sql.DB, where string, from, to time.Time) (n int, err error) {
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE "+where, from.UnixMilli(), to.UnixMilli()).Scan(&n)
	return n, err
}

// worker is a process of this program.
type worker struct {
	role  string
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func child(ctx context.Context, o options, role string) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{
		"-role", role, "-dir", o.Dir, "-server", o.Server, "-executor", o.Executor,
		"-jobs", strconv.Itoa(o.Jobs), "-every", o.Every.String(),
	}
	if o.Alone {
		args = append(args, "-alone")
	}
	if o.Profile != "" {
		args = append(args, "-profile", o.Profile)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), "GOGC=400") // as cmd/orth sets it
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &worker{role, cmd, bufio.NewScanner(out)}, cmd.Start()
}

// says waits for the next line that the process prints.
func (w *worker) says() error {
	if !w.lines.Scan() {
		return fmt.Errorf("the %s ended before it was ready", w.role)
	}
	return nil
}

// end stops the process in order and waits for it.
func (w *worker) end() {
	_ = w.cmd.Process.Signal(os.Interrupt)
	_ = w.cmd.Wait()
}

// lateness fetches, and forgets, what the executor's handler noted, sorted.
func lateness(o options) ([]time.Duration, error) {
	resp, err := http.Get("http://" + sidePort(o.Executor))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var late []time.Duration
	err = json.NewDecoder(resp.Body).Decode(&late)
	return late, err
}

// sidePort is the address, beside the executor's, of its own questions.
func sidePort(executor string) string {
	host, port, _ := net.SplitHostPort(executor)
	n, _ := strconv.Atoi(port)
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
