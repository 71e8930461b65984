package svmtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/quic-go/quic-go"
)

// Mode is what a leader does with those who come to it.
type Mode uint8

// The modes of a leader.
const (
	Accept    Mode = iota // takes transactions, and hands them to the chain
	BlackHole             // takes transactions, and forgets them
	Hold                  // takes streams and does not read them, so that they count against the limit
	Disallow              // closes connections with the code 2
	TooMany               // closes connections with the code 4
	Stall                 // does not finish handshakes until its mode is another
)

// Codes with which leaders close connections.
const (
	codeDisallowed = 2
	codeTooMany    = 4
)

const (
	protocol       = "solana-tpu"
	largestPacket  = 1232 // bytes of a transaction
	defaultStreams = 128  // of a connection without stake
	mostDeliveries = 100_000
	longestWait    = 10 * time.Second
)

// Delivery is what a leader has got on one stream.
type Delivery struct {
	Wire       []byte // up to 1,233 bytes: the last is one too many
	Peer       Key    // of the certificate; zero: there was none
	ServerName string
	Connection int // its number, from 1 on
}

// Leader is a fake of a validator's socket for transactions: QUIC, one stream in one direction for each of them.
type Leader struct {
	Identity solana.PrivateKey
	Address  string // host and port
	chain    *Chain
	listener *quic.Listener
	running  sync.WaitGroup

	mu          sync.Mutex
	changed     chan struct{} // closed when anything below changes
	mode        Mode
	streams     int64
	connections int
	open        map[*quic.Conn]struct{}
	deliveries  []Delivery
}

// StartLeaders starts n leaders on loopback, who make blocks in turn, four slots each, and ends them with the test. They
// are known to getClusterNodes and to the leader schedule.
func (c *Chain) StartLeaders(n int) []*Leader {
	c.t.Helper()
	leaders := make([]*Leader, n)
	seats := make([]Seat, n)
	for i := range leaders {
		l, err := c.startLeader(Wallet(fmt.Sprintf("leader %d", i)))
		if err != nil {
			c.fatal("leader", err)
		}
		leaders[i], seats[i] = l, Seat{Identity: l.Identity.PublicKey(), TPU: l.Address}
	}
	c.Configure(Settings{Leaders: seats})
	return leaders
}

func (c *Chain) startLeader(identity solana.PrivateKey) (*Leader, error) {
	certificate, err := Certificate(identity)
	if err != nil {
		return nil, err
	}
	l := &Leader{Identity: identity, chain: c, changed: make(chan struct{}), streams: defaultStreams, open: map[*quic.Conn]struct{}{}}
	settings := &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}, MinVersion: tls.VersionTLS13, ClientAuth: tls.RequestClientCert,
		GetConfigForClient: l.greet,
	}
	config := quic.Config{MaxIncomingStreams: -1, MaxIdleTimeout: 30 * time.Second}
	config.GetConfigForClient = func(*quic.ClientInfo) (*quic.Config, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		own := config
		own.MaxIncomingUniStreams = l.streams
		return &own, nil
	}
	if l.listener, err = quic.ListenAddr("127.0.0.1:0", settings, &config); err != nil {
		return nil, err
	}
	l.Address = l.listener.Addr().String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	l.running.Go(func() { l.serve(ctx) })
	c.t.Cleanup(func() {
		cancel()
		l.Drop()
		_ = l.listener.Close()
		l.running.Wait()
	})
	return l, nil
}

// greet answers a handshake, unless the leader stalls.
func (l *Leader) greet(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	for {
		l.mu.Lock()
		mode, changed := l.mode, l.changed
		l.mu.Unlock()
		if mode != Stall {
			return nil, nil
		}
		select {
		case <-changed:
		case <-hello.Context().Done():
			return nil, hello.Context().Err()
		}
	}
}

func (l *Leader) serve(ctx context.Context) {
	for {
		conn, err := l.listener.Accept(ctx)
		if err != nil {
			return
		}
		l.running.Go(func() { l.connection(ctx, conn) })
	}
}

// connection takes the streams of one connection until it ends.
func (l *Leader) connection(ctx context.Context, conn *quic.Conn) {
	l.mu.Lock()
	mode := l.mode
	l.connections++
	number := l.connections
	l.open[conn] = struct{}{}
	l.tell()
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, conn)
		l.tell()
	}()
	switch mode {
	case Disallow:
		_ = conn.CloseWithError(codeDisallowed, "disallowed")
		return
	case TooMany:
		_ = conn.CloseWithError(codeTooMany, "too_many")
		return
	default:
	}
	var streams sync.WaitGroup
	defer streams.Wait()
	for {
		stream, err := conn.AcceptUniStream(ctx)
		if err != nil {
			return
		}
		streams.Go(func() { l.stream(ctx, conn, stream, number) })
	}
}

// stream takes one transaction.
func (l *Leader) stream(ctx context.Context, conn *quic.Conn, stream *quic.ReceiveStream, number int) {
	if !l.released(conn.Context()) {
		return
	}
	wire, err := io.ReadAll(io.LimitReader(stream, largestPacket+1))
	if err != nil {
		return
	}
	tlsState := conn.ConnectionState().TLS
	d := Delivery{Wire: wire, ServerName: tlsState.ServerName, Connection: number}
	if certificates := tlsState.PeerCertificates; len(certificates) > 0 {
		if key, isKey := certificates[0].PublicKey.(ed25519.PublicKey); isKey {
			copy(d.Peer[:], key)
		}
	}
	l.mu.Lock()
	mode := l.mode
	l.mu.Unlock()
	if mode == Accept && len(wire) <= largestPacket {
		if err := l.chain.Deliver(ctx, wire); err != nil && ctx.Err() == nil {
			l.chain.t.Errorf("deliver to the chain: %v", err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.deliveries) < mostDeliveries {
		l.deliveries = append(l.deliveries, d)
	}
	l.tell()
}

// released waits until the leader does not hold streams; false when the connection has ended before.
func (l *Leader) released(ctx context.Context) bool {
	for {
		l.mu.Lock()
		mode, changed := l.mode, l.changed
		l.mu.Unlock()
		if mode != Hold {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// tell wakes the goroutines that wait; mu is held.
func (l *Leader) tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Be changes what the leader does from now on. Connections that are open stay open.
func (l *Leader) Be(m Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode = m
	l.tell()
}

// LimitStreams bounds how many streams a connection may have open, of those that come from now on.
func (l *Leader) LimitStreams(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams = n
}

// Drop closes all connections with the code 1, as validators do with those they have no room for.
func (l *Leader) Drop() {
	l.mu.Lock()
	var open []*quic.Conn
	for conn := range l.open {
		open = append(open, conn)
	}
	l.mu.Unlock()
	for _, conn := range open {
		_ = conn.CloseWithError(1, "dropped")
	}
}

// Connections returns how many connections have come, and how many of them are open.
func (l *Leader) Connections() (all, open int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.connections, len(l.open)
}

// Deliveries returns what has come.
func (l *Leader) Deliveries() []Delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.deliveries)
}

// errWaited is why a test that waited ends.
var errWaited = errors.New("it did not come in time")

// Wait waits until n transactions have come, and returns all that have. What was accepted is on its way to the chain then.
func (l *Leader) Wait(n int) []Delivery {
	l.chain.t.Helper()
	l.until(func() bool { return len(l.deliveries) >= n }, fmt.Sprintf("%d transactions", n))
	return l.Deliveries()
}

// WaitConnections waits until n connections have come.
func (l *Leader) WaitConnections(n int) {
	l.chain.t.Helper()
	l.until(func() bool { return l.connections >= n }, fmt.Sprintf("%d connections", n))
}

func (l *Leader) until(done func() bool, what string) {
	l.chain.t.Helper()
	timer := time.NewTimer(longestWait)
	defer timer.Stop()
	for {
		l.mu.Lock()
		over, changed := done(), l.changed
		l.mu.Unlock()
		if over {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			l.chain.fatal("wait for "+what, errWaited)
		case <-l.chain.t.Context().Done():
			l.chain.fatal("wait for "+what, l.chain.t.Context().Err())
		}
	}
}

// Certificate is what an identity shows over QUIC: a certificate that it has signed itself, of which the other side looks
// at the key alone.
func Certificate(identity solana.PrivateKey) (tls.Certificate, error) {
	key := ed25519.PrivateKey(identity)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Unix(1<<32, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
