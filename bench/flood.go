package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// The flood is the executor alone: connections that send tasks as fast as they
// are answered, to a handler that does nothing, and a server that takes the
// outcomes and does no more with them. The same load goes to an executor of the
// XXL-JOB family that keeps nothing on disk, in turns; the medians count.

// floodJobs is the number of jobs that the tasks of a flood are spread over.
const floodJobs = 4096

// flooded is what one flood gave.
type flooded struct {
	accepted, outcomes float64 // a second
	cpu                float64 // µs of the executor for each outcome
	refused            int
}

// floods runs ours and the other executor in turns.
func floods(ctx context.Context, o options) (figures []figure, err error) {
	peer, err := buildPeer(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, connections := range o.Connections {
		var ours, theirs []flooded
		for range max(o.Rounds, 1) {
			r, err := floodOnce(ctx, o, connections, "")
			if err != nil {
				return figures, fmt.Errorf("our executor: %w", err)
			}
			ours = append(ours, r)
			if peer == "" {
				continue
			}
			if r, err = floodOnce(ctx, o, connections, peer); err != nil {
				return figures, fmt.Errorf("the other executor: %w", err)
			}
			theirs = append(theirs, r)
		}
		a, with := median(ours), fmt.Sprintf(", %d connections", connections)
		figures = append(figures,
			plain("accepted"+with, a.accepted, rate), plain("accepted and ended"+with, a.outcomes, rate), plain("CPU of each"+with, a.cpu, micros))
		if len(theirs) > 0 {
			b := median(theirs)
			figures = append(figures, plain("xxl-job-executor-go, ended"+with, b.outcomes, rate),
				plain("its CPU of each"+with, b.cpu, micros), plain("our outcomes of its"+with, a.outcomes/b.outcomes, ratio))
		}
	}
	return figures, nil
}

func median(results []flooded) flooded {
	slices.SortFunc(results, func(a, b flooded) int { return int(a.outcomes - b.outcomes) })
	return results[len(results)/2]
}

// buildPeer builds the third-party executor of the interop module. Outside a
// checkout there is none.
func buildPeer(ctx context.Context, o options) (string, error) {
	if _, err := os.Stat("interop/goexecutor"); err != nil {
		fmt.Println("flood: no interop/goexecutor here, so nothing to compare with")
		return "", nil //nolint:nilerr // it is only for comparison
	}
	path, err := filepath.Abs(filepath.Join(o.Dir, "goexecutor"))
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./goexecutor")
	build.Dir = "interop"
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the other executor: %w: %s", err, out)
	}
	return path, nil
}

// floodOnce floods one executor in a fresh process and folder.
func floodOnce(ctx context.Context, o options, connections int, peer string) (r flooded, err error) {
	sink, err := openSink()
	if err != nil {
		return r, err
	}
	defer sink.close()
	if o.Dir, err = os.MkdirTemp(o.Dir, "flood-"); err != nil {
		return r, err
	}
	if o.Profile != "" {
		o.Profile = filepath.Join(o.Profile, "flood")
	}
	o.Server = sink.address
	if o.Executor, err = freeAddress(); err != nil {
		return r, err
	}
	w, err := startExecutor(ctx, o, peer)
	if err != nil {
		return r, err
	}
	defer w.end()
	if err := sink.registered(ctx); err != nil {
		return r, err
	}
	if err := listens(ctx, o.Executor); err != nil {
		return r, err
	}
	load := newLoad(o.Executor)
	if err := load.run(ctx, connections, 2*time.Second); err != nil { // warm
		return r, err
	}
	w.tell("measure")
	from, cpu, before := time.Now(), w.cpu(), sink.outcomes.Load()
	accepted, refused := load.accepted, load.refused
	if err := load.run(ctx, connections, o.Window); err != nil {
		return r, err
	}
	took := time.Since(from).Seconds()
	outcomes := sink.outcomes.Load() - before
	w.tell("measured")
	r.accepted = float64(load.accepted-accepted) / took
	r.refused = int(load.refused - refused)
	r.outcomes = float64(outcomes) / took
	r.cpu = float64((w.cpu() - cpu).Microseconds()) / float64(max(outcomes, 1))
	if outcomes == 0 {
		return r, errors.New("no outcome came")
	}
	return r, nil
}

// listens waits until the address can be called: the other executor registers
// before it listens.
func listens(ctx context.Context, address string) error {
	patience, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(patience, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		if waitErr := wait(patience, 10*time.Millisecond); waitErr != nil {
			return err
		}
	}
}

func startExecutor(ctx context.Context, o options, peer string) (*worker, error) {
	if peer == "" {
		return child(ctx, o, "executor")
	}
	_, port, err := net.SplitHostPort(o.Executor)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, peer, "http://"+o.Server, token, group, port, o.Dir)
	return &worker{"other executor", cmd, bufio.NewScanner(bytes.NewReader(nil)), nil}, cmd.Start()
}

// sink is a server that takes everything at once.
type sink struct {
	address  string
	server   *http.Server
	known    chan struct{}
	once     sync.Once
	away     atomic.Bool // it takes no outcomes
	outcomes atomic.Int64
}

func openSink() (*sink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{address: l.Addr().String(), known: make(chan struct{})}
	s.server = &http.Server{
		Handler:           xxl.NewAdminHandler(xxl.AdminConfig{Token: token, Leases: s, Outcomes: s}),
		ReadHeaderTimeout: 5 * time.Second,
	}
	go func() { _ = s.server.Serve(l) }()
	return s, nil
}

// Register implements xxl.Leases.
func (s *sink) Register(context.Context, job.Beat) error {
	s.once.Do(func() { close(s.known) })
	return nil
}

// Deregister implements xxl.Leases.
func (s *sink) Deregister(context.Context, string, string) error { return nil }

// Complete implements xxl.Outcomes.
func (s *sink) CompleteAs(_ context.Context, _ job.Caller, outcomes []job.Outcome) error {
	if s.away.Load() {
		return errAway
	}
	s.outcomes.Add(int64(len(outcomes)))
	return nil
}

func (s *sink) registered(ctx context.Context) error {
	select {
	case <-s.known:
		return nil
	case <-time.After(20 * time.Second):
		return errors.New("the executor has not registered")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sink) close() { _ = s.server.Close() }

// load sends tasks over connections of its own, with as little work as may be:
// the machine's time belongs to the executor.
type load struct {
	address           string
	jobs              int64 // the tasks are spread over so many
	next              int64
	accepted, refused int64
}

func newLoad(address string) *load { return &load{address: address, jobs: floodJobs} }

// run sends with so many connections for so long.
func (l *load) run(ctx context.Context, connections int, d time.Duration) error {
	end := time.Now().Add(d)
	return l.serve(ctx, connections, func() bool { return time.Now().Before(end) })
}

// count sends so many tasks.
func (l *load) count(ctx context.Context, connections int, tasks int64) error {
	end := l.next + tasks
	return l.serve(ctx, connections, func() bool { return l.next < end })
}

// form is the request for a task as our own client sends it, with places for
// its numbers.
type form struct {
	request      []byte
	attempt, job int // where the numbers are
}

// The numbers that stand in a form until they are filled in; those that are
// filled in have as many digits.
const (
	formAttempt = 1_111_111_111_111_111
	formJob     = 2_222_222
)

func newForm() (*form, error) {
	f := new(form)
	client := xxl.NewExecutorClient(xxl.ClientConfig{Token: token, Transport: f})
	// The answer does not matter: the form has seen the request.
	_ = client.Run(context.Background(), "http://executor/", job.Task{
		AttemptID: formAttempt, JobID: formJob, TriggeredAt: time.Now(), PlannedAt: time.Now(), Param: "p", ShardTotal: 1,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "nothing"}, Overlap: job.OverlapSerial,
	})
	f.attempt = bytes.Index(f.request, strconv.AppendInt(nil, formAttempt, 10))
	f.job = bytes.Index(f.request, strconv.AppendInt(nil, formJob, 10))
	if f.attempt < 0 || f.job < 0 {
		return nil, errors.New("the request of our own client has no place for its numbers")
	}
	return f, nil
}

// RoundTrip keeps the request instead of sending it.
func (f *form) RoundTrip(r *http.Request) (*http.Response, error) {
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return nil, err
	}
	f.request = b.Bytes()
	return nil, errors.New("it was only to be seen")
}

// fill returns the request for a task. It is valid until the next call.
func (f *form) fill(n, jobs int64) []byte {
	copy(f.request[f.attempt:], strconv.AppendInt(nil, formAttempt+n, 10))
	copy(f.request[f.job:], strconv.AppendInt(nil, formJob+n%jobs, 10))
	return f.request
}
