package cli

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/control"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/ownership"
	"github.com/orthd/orth/solana/report"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/thread"
	"github.com/orthd/orth/solana/tpu"
)

// node is the parts of a running node, connected by hand.
type node struct {
	settings *settings
	key      keypair
	profile  thread.Profile
	logger   *slog.Logger

	ledger   *ledger.Ledger
	nodes    *rpc.Pool
	leaders  *tpu.Client // nil: transactions go to nodes alone
	observer *observe.Observer
	keeper   *ownership.Keeper // nil: every thread is this executor's
	service  *service.Service
	report   *report.Report // nil: it is no executor of a server
	figures  *figures
	trouble  atomic.Pointer[service.Trouble]
}

// staleClock is how long the chain's clock may be silent until the node is not ready.
const staleClock = 30 * time.Second

// openNodes returns the pool of the nodes that are named.
func openNodes(s *settings, hooks rpc.Hooks) (*rpc.Pool, error) {
	c := rpc.Config{Timeout: s.Timeout, Hooks: hooks}
	for i := range s.Endpoints.list {
		e := &s.Endpoints.list[i]
		c.Endpoints = append(c.Endpoints, rpc.Endpoint{URL: e.URL, Role: e.poolRole(), Rate: e.Rate, Burst: e.Burst})
	}
	pool, err := rpc.New(c)
	if err != nil {
		return nil, s.wrong("endpoints", "", "%v", err)
	}
	return pool, nil
}

// openLeaders returns the client of leaders, nil where the settings do not need one.
func openLeaders(s *settings, nodes *rpc.Pool, hooks tpu.Hooks, logger *slog.Logger) (*tpu.Client, error) {
	if mode, err := submit.ParseMode(s.Submit); err != nil || mode == submit.RPC {
		return nil, err
	}
	c := tpu.Config{Chain: nodes, Fanout: s.Fanout, Hooks: hooks, Logger: logger}
	if s.TPUIdentity != "" {
		identity, err := loadKeypair(s.sourceOf("tpu-identity"), s.TPUIdentity)
		if err != nil {
			return nil, err
		}
		c.Identity = identity.private
	}
	if c.Identity != nil && len(c.Identity) != ed25519.PrivateKeySize {
		return nil, s.wrong("tpu-identity", "", "it is no key")
	}
	return tpu.New(c)
}

// openNode connects the parts of a node. After an error nothing is left open.
func openNode(s *settings, logger *slog.Logger) (n *node, err error) {
	n = &node{settings: s, logger: logger, figures: newFigures()}
	if n.key, err = loadKeypair(s.sourceOf("keypair"), s.Keypair); err != nil {
		return nil, err
	}
	if n.profile, err = thread.ProfileOf(s.Profile); err != nil {
		return nil, err
	}
	if n.nodes, err = openNodes(s, n.figures.nodeHooks()); err != nil {
		return nil, err
	}
	if n.leaders, err = openLeaders(s, n.nodes, n.figures.leaderHooks(), logger); err != nil {
		return nil, err
	}
	if err := makeFolder(s.sourceOf("data"), s.Data); err != nil {
		return nil, err
	}
	n.ledger, err = service.OpenLedger(s.Data, ledger.Config{
		Capacity: s.Capacity, KeepDead: s.KeepDead, DeadFor: s.DeadFor, Reports: s.reports(), Logger: logger,
	})
	if job.Is(err, job.Conflict) {
		return nil, &job.Error{
			Kind: job.Conflict, Message: fmt.Sprintf("the data folder %s is in use, or was written by a newer version: %v", s.Data, err),
			Hint: "one process works in a folder: end the other one, or name another folder by data", Err: err,
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the ledger in %s: %w", s.Data, err)
	}
	if err := n.connect(); err != nil {
		return nil, errors.Join(err, n.ledger.Close())
	}
	return n, nil
}

// connect makes the parts that work with the ledger.
func (n *node) connect() (err error) {
	s := n.settings
	mode, err := submit.ParseMode(s.Submit)
	if err != nil {
		return err
	}
	var leaders submit.Leaders
	if n.leaders != nil {
		leaders = n.leaders
	}
	submitter, err := submit.NewSubmitter(mode, n.nodes, leaders)
	if err != nil {
		return err
	}
	var sockets []string
	for i := range s.Endpoints.list {
		if e := &s.Endpoints.list[i]; e.reads() {
			sockets = append(sockets, e.websocket())
		}
	}
	c := observe.Config{
		Profile: n.profile, Chain: n.nodes, Endpoints: sockets, MostThreads: s.MaxThreads, Logger: n.logger.With("room", "observe"),
	}
	if n.leaders != nil {
		c.Ticked = n.leaders.Tell // the current leaders, without a call
	}
	n.observer, err = observe.New(c)
	if err != nil {
		return s.wrong("endpoints", "", "%v", err)
	}
	work := service.Config{
		Profile: n.profile, Signer: n.key, Chain: n.nodes, Submitter: submitter, Ledger: n.ledger, Forgo: s.Forgo, Floor: s.Floor,
		MostLoss: s.MostLoss, Batch: s.Batch, Workers: s.Workers, InFlight: s.InFlight, Drain: s.DrainFor, Logger: n.logger.With("room", "service"),
		Hooks: service.Hooks{Settled: n.settled, Trouble: n.troubled},
	}
	if s.Share {
		n.keeper = ownership.NewKeeper(n.key.Public(), ownership.Rules{TakeoverDelay: s.TakeoverDelay, LossesToRelease: s.LossesToRelease})
		work.Owner = n.keeper
	}
	if n.service, err = service.NewWithObserver(work, n.observer); err != nil {
		return err
	}
	return n.connectServer()
}

// troubled takes that the executor cannot pay, or can again.
func (n *node) troubled(t service.Trouble) {
	n.trouble.Store(&t)
	if n.report != nil {
		n.report.Trouble(t)
	}
}

// settled takes an execution that has ended.
func (n *node) settled(s service.Settlement) {
	n.figures.settled(s)
	if n.report != nil {
		n.report.Settled(s)
	}
}

// ready returns why the node cannot execute at this time, nil when it can.
func (n *node) ready() error {
	if t := n.trouble.Load(); t != nil && t.IsTrouble() {
		return fmt.Errorf("nothing is sent since %s: %s", t.Since.UTC().Format(time.RFC3339), t.Reason)
	}
	stats := n.observer.Stats()
	switch {
	case stats.Slot == 0:
		return errors.New("the chain's clock is not known yet")
	case stats.ClockAge > staleClock:
		return fmt.Errorf("no node has reported the chain's clock for %v", stats.ClockAge.Round(time.Second))
	case stats.LastBackfill.IsZero():
		return errors.New("the threads are not known yet")
	}
	return nil
}

// listen binds the port of metrics and control, nil when there is none.
func (n *node) listen(ctx context.Context) (net.Listener, error) {
	if n.settings.Listen == listenOff {
		return nil, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", n.settings.Listen)
	if err != nil {
		return nil, n.settings.wrong("listen", "name another port, or off", "cannot listen on %s: %v", n.settings.Listen, err)
	}
	return listener, nil
}

// serve returns the part that serves metrics and control, and leaves the note by which commands find it.
func (n *node) serve(listener net.Listener, about control.About) (part lifecycle.Part, err error) {
	s := n.settings
	path, err := filepath.Abs(filepath.Join(s.Data, control.TokenFile))
	if err != nil {
		return part, err
	}
	token := credential.Generate() // A new one each time: a note that a killed node has left may show the old one to a stranger.
	if s.TokenFile == "" {
		if err := credential.Replace(path, token); err != nil {
			return part, fmt.Errorf("keep the token of control: %w", err)
		}
	} else {
		if path, err = filepath.Abs(s.TokenFile); err != nil {
			return part, err
		}
		if token, err = credential.Load(path); err != nil {
			return part, s.wrong("control-token-file", "write a long random text into it, for its owner only", "%v", err)
		}
	}
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return part, err
	}
	if err := credential.CheckBinding(s.sourceOf("control-token-file"), token, host); err != nil {
		return part, err
	}
	server := control.NewServer(control.Config{
		About: about, Ledger: n.ledger, Changes: n.service, Files: func() map[string]int64 { return ledgerFiles(s.Data) },
		Work: n.service.Stats, Nodes: func() []control.Node { return control.NodesOf(n.nodes.Status(time.Now())) },
		Threads: n.threads, Ready: n.ready, Metrics: n.metricsPage(), Token: token, Open: credential.Loopback(host), Logger: n.logger.With("room", "control"),
	})
	return lifecycle.Part{Name: "control", Run: func(ctx context.Context) error {
		if err := (control.Note{Address: reachable(listener.Addr()), Token: path}).Write(s.Data); err != nil {
			return fmt.Errorf("write where the node listens: %w", err)
		}
		err := lifecycle.Serve(server, listener, time.Second)(ctx)
		return errors.Join(err, control.RemoveNote(s.Data))
	}}, nil
}

// reachable is where commands of this machine find a listener: one on every interface is found on loopback.
func reachable(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	return a.String()
}

// runNode runs the node until ctx ends, and closes it.
func (n *node) runNode(ctx context.Context, listener net.Listener, version string) (err error) {
	defer func() { err = errors.Join(err, n.ledger.Close()) }()
	about := control.About{
		Executor: n.key.String(), Profile: n.profile.Name, Submit: n.settings.Submit, Version: version, Started: api.At(time.Now()), Running: true,
	}
	var parts []lifecycle.Part
	if listener != nil {
		part, err := n.serve(listener, about)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		parts = append(parts, part)
	}
	if n.leaders != nil {
		parts = append(parts, lifecycle.Part{Name: "leaders", Run: n.leaders.Run})
	}
	parts = append(parts, lifecycle.Part{Name: "observer", Run: n.observer.Run})
	if n.report != nil { // it goes on until the service has ended
		parts = append(parts, lifecycle.Part{Name: "report", Run: n.report.Run})
	}
	parts = append(parts, lifecycle.Part{Name: "service", Run: n.service.Run})
	return lifecycle.New(lifecycle.Config{StopFor: n.settings.DrainFor + 15*time.Second, Logger: n.logger}, parts...).Run(ctx)
}
