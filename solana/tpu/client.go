package tpu

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/orthd/orth/solana/rpc"
)

// Largest is how many bytes of a transaction a leader takes.
const Largest = 1232

// Config sets the chain, the connections and the leaders that receive transactions.
type Config struct {
	Chain Chain
	// Identity is what leaders know the client by; they prefer those with stake. Defaults to a new key without any.
	Identity ed25519.PrivateKey
	// Fanout is to how many leaders a transaction goes, from the one of the present slot on. Defaults to 4, up to 16.
	Fanout int
	// Ahead is to how many connections are held, from the same on. Defaults to two more than Fanout.
	Ahead  int
	Logger *slog.Logger // defaults to none
	Hooks  Hooks
}

// Hooks are called on events. Each may be nil, and must be safe for concurrent calls.
type Hooks struct {
	// Sent is called after each try to send a transaction to a leader.
	Sent func(address string, took time.Duration, err error)
}

const mostFanout = 16

// Client hands transactions to leaders. It works while Run does. It is safe for concurrent use.
type Client struct {
	config  Config
	tls     *tls.Config
	slots   slots
	leaders leaders

	mu          sync.Mutex
	socket      *quic.Transport // nil: Run does not run
	connections map[netip.AddrPort]*connection
}

// New returns a client without connections.
func New(c Config) (*Client, error) {
	if c.Fanout <= 0 {
		c.Fanout = 4
	}
	c.Fanout = min(c.Fanout, mostFanout)
	if c.Ahead < c.Fanout {
		c.Ahead = c.Fanout + 2
	}
	c.Ahead = min(c.Ahead, 2*mostFanout)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Identity == nil {
		var err error
		if _, c.Identity, err = ed25519.GenerateKey(nil); err != nil {
			return nil, fmt.Errorf("make a key: %w", err)
		}
	}
	certificate, err := certificateOf(c.Identity)
	if err != nil {
		return nil, err
	}
	return &Client{
		config: c, connections: make(map[netip.AddrPort]*connection),
		tls: &tls.Config{
			Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}, MinVersion: tls.VersionTLS13,
			CurvePreferences: []tls.CurveID{tls.X25519},
			// Leaders have certificates of their own making. What is sent is signed and for everybody's eyes: who else takes it in
			// a leader's place can drop it and do no more, which a leader can as well.
			InsecureSkipVerify: true, //nolint:gosec // see above
		},
	}, nil
}

// certificateOf makes a certificate whose only meaning is its key.
func certificateOf(key ed25519.PrivateKey) (tls.Certificate, error) {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Date(4096, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// Tell records that a slot has begun. The chain's observer calls it, so that no node has to
// be polled.
func (c *Client) Tell(slot uint64, at time.Time) { c.slots.noteSlot(slot, at) }

// Run knows the leaders and holds connections to those that come, until ctx ends. It returns nil then.
func (c *Client) Run(ctx context.Context) error {
	udp, err := net.ListenUDP("udp", nil)
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	socket := &quic.Transport{Conn: udp}
	c.mu.Lock()
	c.socket = socket
	c.mu.Unlock()
	var warming sync.WaitGroup
	defer func() {
		c.mu.Lock()
		c.socket = nil
		for addr, conn := range c.connections {
			conn.close()
			delete(c.connections, addr)
		}
		c.mu.Unlock()
		warming.Wait()
		_ = socket.Close()
		_ = udp.Close()
	}()
	tick := time.NewTicker(slotTime)
	defer tick.Stop()
	var askedAt, refreshedAt time.Time
	for {
		now := time.Now()
		slot, known := c.slots.slotAt(now)
		if now.Sub(askedAt) > slotsEvery && !c.slots.fresh(now) {
			askedAt = now
			c.askSlot(ctx)
			slot, known = c.slots.slotAt(time.Now())
		}
		if known && now.Sub(refreshedAt) >= refreshTries {
			refreshedAt = now
			if err := c.leaders.refresh(ctx, c.config.Chain, slot, now); err != nil && ctx.Err() == nil {
				c.config.Logger.Warn("the leaders of the chain are not known", "error", err)
			}
		}
		if known {
			c.connectAhead(ctx, slot, &warming)
		}
		c.prune(now)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// askSlot asks which slot it is.
func (c *Client) askSlot(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, slotsEvery)
	defer cancel()
	slot, err := c.config.Chain.Slot(within, rpc.Processed)
	if err != nil {
		if ctx.Err() == nil {
			c.config.Logger.Warn("the slot of the chain is not known", "error", err)
		}
		return
	}
	c.slots.noteSlot(slot, time.Now())
}

// fresh reports whether a slot was recorded a short while ago.
func (s *slots) fresh(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.told) > 0 && now.Sub(s.told[len(s.told)-1].at) < slotsEvery
}

// connectAhead connects to the leaders that come, each in a goroutine that ends with the handshake.
func (c *Client) connectAhead(ctx context.Context, slot uint64, warming *sync.WaitGroup) {
	for _, l := range c.leaders.nextLeaders(slot, c.config.Ahead) {
		conn, socket := c.connectionTo(l.addr)
		if socket == nil || conn.openConn(time.Now()) != nil || !conn.mayTry() {
			continue
		}
		warming.Go(func() {
			if _, err := conn.connect(ctx, socket); err != nil && !errors.Is(err, errPaused) && ctx.Err() == nil {
				c.config.Logger.Debug("a leader cannot be reached", "address", conn.addr.String(), "error", err)
			}
		})
	}
}

// mayTry reports whether no dial is in progress, and the pause is over.
func (c *connection) mayTry() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.making) == 0 && !time.Now().Before(c.until)
}

// connectionTo returns the connection of an address, which may have to be made yet.
func (c *Client) connectionTo(addr netip.AddrPort) (*connection, *quic.Transport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.connections[addr]
	if conn == nil {
		conn = newConnection(addr, c.tls)
		c.connections[addr] = conn
	}
	return conn, c.socket
}

// prune closes connections to those that do not lead soon. One that is paused is remembered, so that its pause holds.
func (c *Client) prune(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for addr, conn := range c.connections {
		conn.mu.Lock()
		unused := now.Sub(conn.used) > idle && now.After(conn.until)
		conn.mu.Unlock()
		if unused && len(conn.making) == 0 {
			conn.close()
			delete(c.connections, addr)
		}
	}
}

// errors of Send.
var (
	// ErrNoLeaders reports that no leader with a known address could receive a transaction.
	ErrNoLeaders = errors.New("no leader of the chain is known")
	errTooLarge  = fmt.Errorf("a transaction has more than %d bytes", Largest)
	errStopped   = errors.New("the client of leaders does not run")
)

// Send hands a transaction to the leaders of the present slot and of those behind it, and returns how many took its bytes.
// The error is that of one when there is none. It takes no longer than a handshake and a write do, 3 s at most.
func (c *Client) Send(ctx context.Context, wire []byte) (took int, err error) {
	if len(wire) > Largest {
		return 0, errTooLarge
	}
	slot, known := c.slots.slotAt(time.Now())
	if !known {
		return 0, ErrNoLeaders
	}
	fanout := c.config.Fanout
	if slot%slotsEach == slotsEach-1 { // its leader may be over before the bytes are there
		fanout++
	}
	next := c.leaders.nextLeaders(slot, fanout)
	if len(next) == 0 {
		return 0, ErrNoLeaders
	}
	ends := make(chan error, len(next))
	for _, l := range next {
		go func() { ends <- c.sendToLeader(ctx, l, wire) }()
	}
	for range next {
		if one := <-ends; one == nil {
			took++
		} else if err == nil {
			err = one
		}
	}
	if took > 0 {
		return took, nil
	}
	return 0, err
}

// sendToLeader gives the bytes to one leader.
func (c *Client) sendToLeader(ctx context.Context, l leader, wire []byte) error {
	start := time.Now()
	conn, socket := c.connectionTo(l.addr)
	if socket == nil {
		return errStopped
	}
	q, err := conn.connect(ctx, socket)
	if err == nil {
		err = sendBytes(ctx, q, wire)
	}
	if c.config.Hooks.Sent != nil {
		c.config.Hooks.Sent(l.addr.String(), time.Since(start), err)
	}
	if err != nil {
		return fmt.Errorf("leader %s: %w", l.addr, err)
	}
	return nil
}
