package tpu

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/quic-go/quic-go"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/solana/rpc"
)

// node is a leader that listens on this machine.
type node struct {
	key   solana.PublicKey
	addr  netip.AddrPort
	got   chan []byte // the transactions that it took
	peers chan tls.ConnectionState
	conns atomic.Int64
}

// mode is what a leader does with who connects.
type mode int

const (
	accepts   mode = iota
	refuses        // closes each connection with the code for those who are not wanted
	neverRead      // allows one stream and does not read it
)

// lead starts a leader.
func lead(t *testing.T, name byte, m mode) *node {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := certificateOf(private)
	if err != nil {
		t.Fatal(err)
	}
	config := &quic.Config{MaxIncomingUniStreams: 128, MaxIncomingStreams: -1, MaxIdleTimeout: 30 * time.Second}
	if m == neverRead {
		config.MaxIncomingUniStreams, config.InitialStreamReceiveWindow, config.MaxStreamReceiveWindow = 1, 100, 100
	}
	listener, err := quic.ListenAddr("127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}, MinVersion: tls.VersionTLS13, ClientAuth: tls.RequestClientCert,
	}, config)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{key: solana.PublicKey{name}, addr: netip.MustParseAddrPort(listener.Addr().String()), got: make(chan []byte, 100), peers: make(chan tls.ConnectionState, 100)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept(ctx)
			if err != nil {
				return
			}
			n.conns.Add(1)
			select {
			case n.peers <- conn.ConnectionState().TLS:
			default:
			}
			switch m {
			case refuses:
				_ = conn.CloseWithError(2, "disallowed")
			case accepts:
				go n.take(ctx, conn)
			case neverRead:
			}
		}
	}()
	return n
}

// take reads transactions, each from a stream of its own.
func (n *node) take(ctx context.Context, conn *quic.Conn) {
	for {
		stream, err := conn.AcceptUniStream(ctx)
		if err != nil {
			return
		}
		wire, err := io.ReadAll(io.LimitReader(stream, Largest+1))
		if err != nil {
			wire = []byte(err.Error())
		}
		n.got <- wire
	}
}

// chain is led by nodes, four slots each, over and over from slot 0.
type chain struct {
	nodes []*node
	slots atomic.Int64 // how often the slot was asked for
	asked atomic.Int64 // how often leaders and addresses were
	fails atomic.Bool
}

func (c *chain) Nodes(context.Context) ([]rpc.Node, error) {
	c.asked.Add(1)
	var all []rpc.Node
	for _, n := range c.nodes {
		all = append(all, rpc.Node{Key: n.key, TPUQUIC: n.addr.String()})
	}
	return all, nil
}

func (c *chain) Leaders(_ context.Context, from uint64, slots int) ([]solana.PublicKey, error) {
	c.asked.Add(1)
	if c.fails.Load() {
		return nil, errors.New("the node is away")
	}
	leaders := make([]solana.PublicKey, slots)
	for i := range leaders {
		leaders[i] = c.nodes[(from+uint64(i))/slotsEach%uint64(len(c.nodes))].key
	}
	return leaders, nil
}

func (c *chain) Slot(context.Context, rpc.Commitment) (uint64, error) {
	c.slots.Add(1)
	return 1000, nil
}

// start runs a client until the test ends, and waits until it knows leaders.
func start(t *testing.T, c *chain, change func(*Config)) *Client {
	t.Helper()
	config := Config{Chain: c}
	if change != nil {
		change(&config)
	}
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := client.Send(context.WithoutCancel(t.Context()), []byte("late")); err == nil {
			t.Error("a client that has ended sends")
		}
	})
	lifecycletest.Start(t, client.Run)
	await(t, "leaders", func() bool {
		slot, known := client.slots.slotAt(time.Now())
		return known && len(client.leaders.nextLeaders(slot, 1)) > 0
	})
	return client
}

// await looks until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(20 * time.Second); !is(); <-ticker.C {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// receive returns what a channel brings.
func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: not within 20 s", what)
		panic("unreachable")
	}
}

// A transaction gets to as many leaders as asked for, whole, each over the one connection that was there before.
func TestSend(t *testing.T) {
	_, identity, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{nodes: []*node{lead(t, 1, accepts), lead(t, 2, accepts), lead(t, 3, accepts)}}
	client := start(t, c, func(c *Config) { c.Fanout, c.Identity = 3, identity })
	for i := range 20 {
		wire := fmt.Appendf(nil, "transaction %d", i)
		if i == 0 {
			wire = make([]byte, Largest)
		}
		took, err := client.Send(t.Context(), wire)
		if err != nil || took != 3 {
			t.Fatalf("%d leaders took it, %v", took, err)
		}
		for _, n := range c.nodes {
			if got := receive(t, "a transaction", n.got); !bytes.Equal(got, wire) {
				t.Fatalf("leader %d took %q, sent was %q", n.key[0], got, wire)
			}
		}
	}
	for _, n := range c.nodes {
		if got := n.conns.Load(); got != 1 {
			t.Errorf("for 20 transactions %d connections were made to leader %d", got, n.key[0])
		}
		peer := receive(t, "a peer", n.peers)
		if want := fmt.Sprintf("127.0.0.1.%d.sol", n.addr.Port()); peer.ServerName != want || peer.NegotiatedProtocol != "solana-tpu" {
			t.Errorf("it was called %s for %s, want %s", peer.ServerName, peer.NegotiatedProtocol, want)
		}
		if key, ok := peer.PeerCertificates[0].PublicKey.(ed25519.PublicKey); !ok || !key.Equal(identity.Public()) {
			t.Errorf("it knows the client by %v", peer.PeerCertificates[0].PublicKey)
		}
	}
	if got := c.asked.Load(); got != 2 {
		t.Errorf("leaders and addresses were asked for %d times, once each is enough", got)
	}
}

// Connections are there before anything is sent.
func TestWarm(t *testing.T) {
	c := &chain{nodes: []*node{lead(t, 1, accepts), lead(t, 2, accepts), lead(t, 3, accepts)}}
	start(t, c, func(c *Config) { c.Fanout, c.Ahead = 1, 3 })
	for _, n := range c.nodes {
		receive(t, "a connection", n.peers)
	}
}

// Leaders that take nothing do not keep others from it, and cost no more than their time limits.
func TestOthersTakeIt(t *testing.T) {
	hole, err := net.ListenPacket("udp", "127.0.0.1:0") // reads nothing, and answers nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hole.Close() }()
	bad := map[string]*node{
		"a hole":             {key: solana.PublicKey{9}, addr: netip.MustParseAddrPort(hole.LocalAddr().String())},
		"one that refuses":   lead(t, 8, refuses),
		"one that is behind": lead(t, 7, neverRead),
	}
	for name, n := range bad {
		c := &chain{nodes: []*node{n, lead(t, 1, accepts)}}
		client := start(t, c, func(c *Config) { c.Fanout = 2 })
		for range 3 {
			wire := make([]byte, 1000)
			begun := time.Now()
			took, err := client.Send(t.Context(), wire)
			if err != nil || took == 0 {
				t.Errorf("%s: %d leaders took it, %v", name, took, err)
			}
			if d := time.Since(begun); d > 15*time.Second {
				t.Errorf("%s: it took %v", name, d)
			}
			receive(t, "a transaction", c.nodes[1].got)
		}
	}
}

// A leader that refuses clients behind the handshake is left alone longer and longer.
func TestPause(t *testing.T) {
	n := lead(t, 1, refuses)
	c := &chain{nodes: []*node{n}}
	client := start(t, c, nil)
	receive(t, "a connection", n.peers)
	await(t, "a pause", func() bool { _, err := client.Send(t.Context(), []byte("wire")); return errors.Is(err, errPaused) })
	made := n.conns.Load()
	begun := time.Now()
	for range 100 {
		_, _ = client.Send(t.Context(), []byte("wire"))
	}
	if got := n.conns.Load() - made; got > 1+int64(time.Since(begun)/firstPause) {
		t.Errorf("for 100 transactions in %v %d connections were made", time.Since(begun), got)
	}
	conn, _ := client.connectionTo(n.addr)
	await(t, "a second failure", func() bool {
		_, _ = client.Send(t.Context(), []byte("wire"))
		conn.mu.Lock()
		defer conn.mu.Unlock()
		return conn.failed >= 2 && time.Until(conn.until) > firstPause
	})
}

func TestSendRefuses(t *testing.T) {
	c := &chain{nodes: []*node{lead(t, 1, accepts)}}
	client := start(t, c, nil)
	if _, err := client.Send(t.Context(), make([]byte, Largest+1)); !errors.Is(err, errTooLarge) {
		t.Errorf("too large: %v", err)
	}
	idle, err := New(Config{Chain: c})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := idle.Send(t.Context(), []byte("wire")); !errors.Is(err, ErrNoLeaders) {
		t.Errorf("nothing is known: %v", err)
	}
	idle.Tell(1000, time.Now())
	if _, err := idle.Send(t.Context(), []byte("wire")); !errors.Is(err, ErrNoLeaders) {
		t.Errorf("no leaders are known: %v", err)
	}
}

// No node is polled for slots that are reported.
func TestTell(t *testing.T) {
	c := &chain{nodes: []*node{lead(t, 1, accepts)}}
	client, err := New(Config{Chain: c})
	if err != nil {
		t.Fatal(err)
	}
	client.Tell(5000, time.Now())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- client.Run(ctx) }()
	await(t, "a transaction", func() bool {
		client.Tell(5000, time.Now())
		took, _ := client.Send(t.Context(), []byte("wire"))
		return took == 1
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := c.slots.Load(); got != 0 {
		t.Errorf("the slot was asked for %d times", got)
	}
}

// What cannot be asked now is asked again.
func TestLeadersComeLater(t *testing.T) {
	c := &chain{nodes: []*node{lead(t, 1, accepts)}}
	c.fails.Store(true)
	client, err := New(Config{Chain: c})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- client.Run(ctx) }()
	await(t, "a question", func() bool { return c.asked.Load() > 0 })
	c.fails.Store(false)
	await(t, "a transaction", func() bool { took, _ := client.Send(t.Context(), []byte("wire")); return took == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
