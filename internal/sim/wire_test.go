package sim

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// wire carries what the protocol's clients write, byte by byte, to the protocol's
// handlers, and their answers back: there is no other way between hosts.
type wire struct {
	w    *world
	life *life
	name string // of the host that sends
}

// RoundTrip implements http.RoundTripper.
func (c *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, to := r.Context(), r.URL.Host
	base, _ := hostOf(to)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := c.life.pass(ctx); err != nil {
		return nil, err
	}
	if c.w.breakWire != nil {
		for _, more := range c.w.breakWire(c.w, to, r) {
			_, _ = c.w.host(more).serve(ctx, r, body)
		}
	}
	got, err := c.w.network.call(ctx, c.name, base, func(ctx context.Context) (*answer, error) {
		return c.w.host(to).serve(ctx, r, body)
	})
	if gone := c.life.pass(ctx); gone != nil {
		return nil, gone
	}
	if err == errUnreached { //nolint:errorlint // It is never wrapped.
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: got.status, Header: got.header, ContentLength: int64(len(got.body)),
		Body: io.NopCloser(bytes.NewReader(got.body)), Request: r,
	}, nil
}

// host is a place that answers requests.
type host interface {
	// listener returns the life that listens there now, and its handler; nil when
	// none does.
	listener() (*life, http.Handler)
}

// nobody is an address that no host has any more.
type nobody struct{}

func (nobody) listener() (*life, http.Handler) { return nil, nil }

// place makes a host of a listener.
type place struct{ host }

// serve answers a request in the life that listens at the place.
func (p place) serve(ctx context.Context, r *http.Request, body []byte) (*answer, error) {
	life, handler := p.listener()
	if life == nil {
		return nil, errDown
	}
	if life.pass(ctx) != nil {
		return nil, errGone
	}
	arrived := r.Clone(ctx)
	arrived.RequestURI, arrived.Body = r.URL.RequestURI(), io.NopCloser(bytes.NewReader(body))
	page := &page{header: make(http.Header), status: http.StatusOK}
	if !answers(handler, page, arrived) || life.pass(ctx) != nil {
		return nil, errGone
	}
	return &answer{status: page.status, header: page.header, body: page.body}, nil
}

// answers calls a handler, and reports whether it has let the answer go: one that aborts
// closes the connection.
func answers(handler http.Handler, page *page, r *http.Request) (ok bool) {
	defer func() {
		switch problem := recover(); problem {
		case nil:
		case http.ErrAbortHandler:
			ok = false
		default:
			panic(problem)
		}
	}()
	handler.ServeHTTP(page, r)
	return true
}

// page is an answer that is being written.
type page struct {
	header http.Header
	status int
	body   []byte
}

// Header implements http.ResponseWriter.
func (p *page) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *page) WriteHeader(status int) { p.status = status }

// Write implements http.ResponseWriter.
func (p *page) Write(b []byte) (int, error) {
	p.body = append(p.body, b...)
	return len(b), nil
}

// peers are the executors as one life of a server reaches them.
type peers struct {
	w      *world
	name   string
	of     *serverLife
	family *xxl.ExecutorClient
}

// Together returns how many tasks a call may have.
func (p *peers) Together(address string) int {
	if p.natively(address) {
		return p.of.speaks.Together(address)
	}
	return 1
}

// SendAll brings tasks to an executor.
func (p *peers) SendAll(ctx context.Context, address string, tasks []job.Task) []error {
	var answers []error
	if p.natively(address) {
		answers = p.of.speaks.SendAll(ctx, address, tasks)
	} else {
		for i := range tasks {
			answers = append(answers, p.family.Run(ctx, address, tasks[i]))
		}
	}
	for i := range tasks {
		p.w.trace.note("%s: attempt %d of run %d to %s: %s", p.name, tasks[i].AttemptID, tasks[i].RunID, address, word(answers[i]))
	}
	return answers
}

// Send brings a task to an executor.
func (p *peers) Send(ctx context.Context, address string, t job.Task) error {
	return p.SendAll(ctx, address, []job.Task{t})[0]
}

// word is what became of a request, in short.
func word(err error) string {
	if err == nil {
		return "accepted"
	}
	return string(job.KindOf(err))
}

// Holds asks in the two steps that the family's wire has: a log is proof that the
// executor has the attempt, an idle job without one that it never had.
func (p *peers) Holds(ctx context.Context, address string, a job.Attempt) (bool, error) {
	if p.w.deaf {
		return false, nil
	}
	if p.natively(address) {
		return p.of.speaks.Holds(ctx, address, a.ID, a.TriggeredAt)
	}
	page, err := p.family.ReadLog(ctx, address, a.ID, a.TriggeredAt, 1)
	if err != nil || page.To >= 1 {
		return err == nil, err
	}
	knows, told, busy, err := p.family.Knows(ctx, address, a.JobID, a.ID)
	if err == nil && !told && busy {
		err = job.Errorf(job.Unavailable, "executor %s is busy with job %d", address, a.JobID)
	}
	return knows && told, err
}

// Beat asks whether an executor is there.
func (p *peers) Beat(ctx context.Context, address string) error {
	if p.natively(address) {
		return p.of.speaks.Beat(ctx, address)
	}
	return p.family.Beat(ctx, address)
}

// Busy asks whether an executor has the job.
func (p *peers) Busy(ctx context.Context, address string, jobID int64) (bool, error) {
	if p.natively(address) {
		return p.of.speaks.Busy(ctx, address, jobID)
	}
	return p.family.IdleBeat(ctx, address, jobID)
}

// Rid asks an executor of Orth what it has nothing of any more, or goes by its beats.
func (p *peers) Rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	if !p.natively(address) {
		return p.of.leases.Settled(address, attempts), nil
	}
	return p.of.speaks.Rid(ctx, address, attempts)
}

// Has asks an executor of Orth what it has.
func (p *peers) Has(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	if !p.natively(address) {
		return nil, job.Errorf(job.Unavailable, "%s cannot be asked", address)
	}
	has, err := p.of.speaks.Rid(ctx, address, attempts)
	for i := range has {
		has[i] = !has[i]
	}
	return has, err
}

// IdleBeat is Busy, as routes call it.
func (p *peers) IdleBeat(ctx context.Context, address string, jobID int64) (bool, error) {
	return p.Busy(ctx, address, jobID)
}

// KillAttempt ends one attempt of a job.
func (p *peers) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	if p.natively(address) {
		return p.of.speaks.Cancel(ctx, address, attempt, "it was cancelled")
	}
	return p.family.KillAttempt(ctx, address, jobID, attempt)
}

// ReadLog reads an attempt's log.
func (p *peers) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, from int) (job.LogPage, error) {
	if p.natively(address) {
		return p.of.speaks.ReadLog(ctx, address, attempt, at, from)
	}
	return p.family.ReadLog(ctx, address, attempt, at, from)
}

// LastLine asks for the number of the last line of an attempt's log.
func (p *peers) LastLine(ctx context.Context, address string, a job.Attempt, from int) (int, error) {
	page, err := p.ReadLog(ctx, address, a.ID, a.TriggeredAt, from)
	return page.To, err
}

// arrivals is what an executor does with tasks, and what the trace says of it.
type arrivals struct {
	*runner.Runner
	of *process
}

// Accept implements xxl.Tasks.
func (a arrivals) Accept(ctx context.Context, task job.Task) error {
	return a.AcceptAll(ctx, []*job.Task{&task})[0]
}

// AcceptAll implements native.Tasks.
func (a arrivals) AcceptAll(ctx context.Context, tasks []*job.Task) []error {
	errs := a.Runner.AcceptAll(ctx, tasks)
	for i, task := range tasks {
		a.of.w.trace.note("%s: attempt %d of run %d arrives: %s", a.of.name, task.AttemptID, task.RunID, word(errs[i]))
	}
	return errs
}

// logs are the run logs of a machine: which attempts have one. Each has one line.
type logs struct {
	mu      sync.Mutex
	written map[int64]bool // guarded by mu
}

func newLogs() *logs { return &logs{written: make(map[int64]bool)} }

// Create opens the log of an attempt.
func (l *logs) Create(attempt int64, _ time.Time) (runlog.Log, error) {
	return log{l, attempt}, nil
}

// Read returns the log of an attempt from a line on.
func (l *logs) Read(attempt int64, _ time.Time, from int) (job.LogPage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.written[attempt] {
		return job.LogPage{From: from, End: true}, nil
	}
	if from > 1 {
		return job.LogPage{From: from, To: from - 1}, nil
	}
	return job.LogPage{From: from, To: 1, Text: "begun\n"}, nil
}

// log is one of them.
type log struct {
	of      *logs
	attempt int64
}

// Write notes that there is a line.
func (l log) Write(p []byte) (int, error) {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.of.written[l.attempt] = true
	return len(p), nil
}

// Close does nothing.
func (l log) Close() error { return nil }

// Whole returns nothing for every second attempt, as if it were too long: then servers ask
// for it.
func (l log) Whole() string {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.attempt%2 == 0 || !l.of.written[l.attempt] {
		return ""
	}
	return "begun\n"
}
