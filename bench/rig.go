package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/orthd/orth/internal/store/sqlite" // the database driver
)

// rig is a server, or several on one database, and an executor, a process each, in a folder of their own. The
// folder stays until the benchmark's end: ext4 searches long for a free inode
// within seconds of the deletion of thousands.
type rig struct {
	o                options
	server, executor *worker   // nil when not started
	others           []*worker // servers beside the first one
	side             string    // where the executor tells its notes
	peer             string    // program of another make that is the executor
}

func newRig(o options, name string) (*rig, error) {
	dir, err := os.MkdirTemp(o.Dir, name+"-")
	if err != nil {
		return nil, err
	}
	if o.Profile != "" {
		o.Profile = filepath.Join(o.Profile, name)
	}
	o.Dir = dir
	if o.Server, err = freeAddress(); err != nil {
		return nil, err
	}
	if o.Executor, err = freeAddress(); err != nil {
		return nil, err
	}
	return &rig{o: o}, nil
}

// start starts the server, which makes its jobs, and the executor, and waits
// until the server has both.
func (r *rig) start(ctx context.Context) error {
	if err := r.startServer(ctx); err != nil {
		return err
	}
	if err := r.startExecutor(ctx); err != nil {
		return err
	}
	return r.server.says() // ready
}

// startServer starts the server and waits until it answers.
func (r *rig) startServer(ctx context.Context) (err error) {
	if r.server, err = child(ctx, r.o, "server"); err != nil {
		return err
	}
	return r.server.says() // started
}

// startExecutor starts the executor and waits until it can be called.
func (r *rig) startExecutor(ctx context.Context) (err error) {
	if r.executor, err = startExecutor(ctx, r.o, r.peer); err != nil {
		return err
	}
	if r.peer != "" {
		return listens(ctx, r.o.Executor)
	}
	if r.side, err = r.executor.answers(); err != nil {
		return err
	}
	return listens(ctx, r.o.Executor)
}

// end stops both at the same time, in order.
func (r *rig) end() {
	workers := append([]*worker{r.server, r.executor}, r.others...)
	for _, w := range workers {
		if w != nil {
			_ = w.cmd.Process.Signal(os.Interrupt)
		}
	}
	for _, w := range workers {
		if w != nil {
			_ = w.cmd.Wait()
		}
	}
}

// profile begins the window that is measured.
func (r *rig) profile() { r.server.tell("measure"); r.executor.tell("measure") }

// profiled ends it, and waits until profiles that are asked for are written.
func (r *rig) profiled() error {
	for _, w := range []*worker{r.server, r.executor} {
		w.tell("measured")
		if r.o.Profile == "" || w == nil || w.orders == nil {
			continue
		}
		if err := w.says(); err != nil {
			return err
		}
	}
	return nil
}

// healthy waits until the server says that it is.
func (r *rig) healthy(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for {
		resp, err := client.Get("http://" + r.o.Server + "/healthz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New("the server answers " + resp.Status)
		}
		if wait(patience, 2*time.Millisecond) != nil {
			return fmt.Errorf("the server is not well after 30 s: %w", err)
		}
	}
}

// database opens the server's database for reading.
func (r *rig) database() (*database, error) {
	if r.o.Shared {
		db, err := connect(r.o.Database)
		return &database{db, !isMySQL(r.o.Database)}, err
	}
	db, err := sql.Open("sqlite", "file:"+r.path()+"?mode=ro")
	return &database{db, true}, err
}

func (r *rig) path() string { return filepath.Join(r.o.Dir, "server", "orth.db") }

// database is a server's database beside the server.
type database struct {
	*sql.DB

	numbered bool // it takes $1, and not ?
}

// number returns the only number that a query answers.
func (d *database) number(ctx context.Context, query string, args ...any) (n int64, err error) {
	for i := range args {
		if !d.numbered {
			break
		}
		query = strings.Replace(query, "?", "$"+strconv.Itoa(i+1), 1)
	}
	err = d.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

// reach waits until a query answers at least n.
func (d *database) reach(ctx context.Context, n int64, patience time.Duration, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		got, err := d.number(ctx, query, args...)
		if err != nil {
			return err
		}
		if got >= n {
			return nil
		}
		if wait(ctx, 20*time.Millisecond) != nil {
			return fmt.Errorf("after %s there are %d of %d: %s", patience, got, n, query)
		}
	}
}

// worker is a process of this program.
type worker struct {
	role   string
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	orders io.Writer // nil for a program that takes none
}

func child(ctx context.Context, o options, role string) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{
		"-role", role, "-dir", o.Dir, "-server", o.Server, "-executor", o.Executor,
		"-jobs", strconv.Itoa(o.Jobs), "-every", o.Every.String(), "-dialect", o.Dialect,
	}
	if o.Alone {
		args = append(args, "-alone")
	}
	if o.Shared {
		args = append(args, "-shared")
	}
	if o.Profile != "" {
		args = append(args, "-profile", o.Profile)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), "GOGC=200", sharedDatabase+"="+o.Database) // as cmd/orth sets it
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &worker{role, cmd, bufio.NewScanner(out), orders}, cmd.Start()
}

// says waits for the next line that the process prints.
func (w *worker) says() error {
	_, err := w.answers()
	return err
}

// answers returns the next line that the process prints.
func (w *worker) answers() (string, error) {
	if !w.lines.Scan() {
		return "", fmt.Errorf("the %s ended before it was ready", w.role)
	}
	return strings.TrimSpace(w.lines.Text()), nil
}

// tell gives the process an order.
func (w *worker) tell(what string) {
	if w != nil && w.orders != nil {
		_, _ = fmt.Fprintln(w.orders, what)
	}
}

// end stops the process in order and waits for it.
func (w *worker) end() {
	_ = w.cmd.Process.Signal(os.Interrupt)
	_ = w.cmd.Wait()
}

// kill ends the process without a word to it.
func (w *worker) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
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
