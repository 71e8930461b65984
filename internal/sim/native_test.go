package sim

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// tongue is how an executor and the servers speak with each other.
type tongue int

// The tongues. A machine has one for all of its lives.
const (
	family tongue = iota // the wire of the XXL-JOB family
	push                 // the native protocol
	pull                 // the same, without a port
	tongues
)

// String names the tongue for the trace.
func (t tongue) String() string { return [...]string{"family", "push", "pull"}[t] }

// token signs what is said in the native protocol.
const token = "the token of the simulation"

// pullFor is how long a pull waits: less than a call may last, with the way of an
// answer.
const pullFor = callLimit / 4

// instance is the machine's own, whatever lives there.
func (m *machine) instance() string { return fmt.Sprintf("%024x", m.number) }

// movedMark stands before how often a host has moved, in its name: a name that ends in a
// number is none.
const movedMark = ".moved-"

// addressAfter is where servers reach the executor when it has moved so often.
func (m *machine) addressAfter(moves int) string {
	switch {
	case m.tongue == pull:
		return message.PullAddress(m.group, m.instance())
	case moves == 0:
		return "http://" + m.name
	}
	return fmt.Sprintf("http://%s%s%d", m.name, movedMark, moves)
}

// hostOf returns the name of the host that has an address's name now or had it before,
// and how often it had moved then.
func hostOf(name string) (host string, moves int) {
	host, nth, moved := strings.Cut(name, movedMark)
	if moved {
		moves, _ = strconv.Atoi(nth)
	}
	return host, moves
}

// caller is an executor's way to servers.
type caller interface {
	Register(ctx context.Context, group, address string) error
	Deregister(ctx context.Context, group, address string) error
	SendOutcomes(ctx context.Context, batch []job.Outcome) error
}

// calls returns the process's way to servers.
func (p *process) calls() (caller, error) {
	way := &wire{p.w, p.life, p.name}
	if p.tongue == family {
		return xxl.NewAdminClient(xxl.AdminClientConfig{
			Addresses: p.w.serverAddresses(), Timeout: callLimit, Life: p.says, Transport: way,
		})
	}
	return native.NewServerClient(native.ServerClientConfig{
		Addresses: p.w.serverAddresses(), Token: token, Timeout: callLimit, Transport: way,
		Instance: p.instance(), Pull: p.tongue == pull, Life: p.says,
	})
}

// door opens the process to servers: it listens, or goes and asks. The loops
// returned do the latter.
func (p *process) door() ([]loop, error) {
	tasks := arrivals{p.runner, p}
	ours := xxl.NewExecutorHandler(xxl.ExecutorConfig{Tasks: tasks, Logs: p.logs, Logger: p.w.logger})
	if p.tongue == family {
		p.handler = ours
		return nil, nil
	}
	handler := native.NewExecutorHandler(native.ExecutorConfig{
		Keys: signing.NewTokens(token), Incarnation: p.says().Incarnation, Tasks: tasks, Attempts: standings{p},
		Drainer: tap{p.runner}, Logs: p.logs, Logger: p.w.logger,
	})
	if p.tongue == push {
		p.handler = both{handler, ours}
		return nil, nil
	}
	p.handler = http.NotFoundHandler() // nothing comes in
	var loops []loop
	for _, server := range p.w.serverAddresses() {
		puller, err := native.NewPuller(native.PullerConfig{
			Server: server, Token: token, Transport: &wire{p.w, p.life, p.name}, Group: p.group, Instance: p.instance(),
			Incarnation: p.says().Incarnation, Handler: handler, Room: func() int { return 64 }, Wait: pullFor, Logger: p.w.logger,
		})
		if err != nil {
			return nil, err
		}
		loops = append(loops, puller.Run)
	}
	return loops, nil
}

// both is a door where both protocols are spoken.
type both struct{ native, family http.Handler }

// ServeHTTP implements http.Handler.
func (b both) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if native.Serves(r.RequestURI) {
		b.native.ServeHTTP(w, r)
		return
	}
	b.family.ServeHTTP(w, r)
}

// standings tells how attempts stand.
type standings struct{ of *process }

// Standings implements native.Attempts.
func (s standings) Standings(ctx context.Context, attempts []int64) ([]native.Standing, error) {
	places, err := s.of.runner.Standings(ctx, attempts)
	if err != nil {
		return nil, err
	}
	out := make([]native.Standing, len(places))
	err = s.of.store.View(ctx, func(tx *queue.Tx) error {
		for i, place := range places {
			switch place {
			case 0:
			case queue.Scheduled:
				out[i] = native.Waiting
			case queue.Processing:
				out[i] = native.Running
			default:
				_, outcome, _, err := s.of.queues[1].Find(tx, attempts[i])
				if err != nil {
					return err
				}
				if out[i] = native.Rid; outcome == queue.Scheduled || outcome == queue.Processing {
					out[i] = native.Ended
				}
			}
		}
		return nil
	})
	return out, err
}

// tap is the tap of an executor.
type tap struct{ *runner.Runner }

// Load implements native.Drainer.
func (t tap) Load() job.Load {
	load := t.Runner.Load()
	return job.Load{Running: load.Running, Waiting: load.Waiting}
}

// open opens a life of a server to executors that speak the native protocol.
func (s *server) open(l *serverLife) {
	l.boxes = mailbox.New(mailbox.Config{Timeout: callLimit})
	l.speaks = native.NewExecutorClient(native.ClientConfig{
		Peer: func(address string) (string, string) {
			e, _ := l.leases.At(address)
			return token, e.Incarnation
		},
		Mailboxes: l.boxes, Timeout: callLimit, Transport: &wire{s.w, l.life, s.name},
	})
}

// front is the server's door for executors.
func (s *server) front(l *serverLife, ours http.Handler) http.Handler {
	return both{native.NewServerHandler(native.ServerConfig{
		Keys: signing.NewTokens(token), Leases: l.leases, Outcomes: l.complete, Mailboxes: l.boxes, Batch: l.speaks.Batch,
		Lease: func(time.Duration) time.Duration { return leaseTTL }, Logger: s.w.logger,
	}), ours}
}

// natively reports whether the executor at an address is spoken to in the native
// protocol.
func (p *peers) natively(address string) bool {
	if message.Pulls(address) {
		return true
	}
	e, known := p.of.leases.At(address)
	return known && e.Dialect == job.DialectNative
}
