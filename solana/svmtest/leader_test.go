package svmtest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/quic-go/quic-go"
)

// dial connects to a leader as a sender of transactions does.
func dial(ctx context.Context, t *testing.T, l *Leader, wallet solana.PrivateKey) (*quic.Conn, error) {
	t.Helper()
	certificate, err := Certificate(wallet)
	if err != nil {
		t.Fatal(err)
	}
	settings := &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}, MinVersion: tls.VersionTLS13,
		InsecureSkipVerify: true, ServerName: "127.0.0.1.1.sol",
	}
	conn, err := quic.DialAddr(ctx, l.Address, settings, &quic.Config{KeepAlivePeriod: time.Second, HandshakeIdleTimeout: longestWait})
	if err == nil {
		t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	}
	return conn, err
}

func sendOver(ctx context.Context, conn *quic.Conn, wire []byte) error {
	stream, err := conn.OpenUniStreamSync(ctx)
	if err != nil {
		return err
	}
	if _, err := stream.Write(wire); err != nil {
		return err
	}
	return stream.Close()
}

// transfer is a transaction that pays another account.
func transfer(c *Chain, from solana.PrivateKey, to Key, lamports uint64) *solana.Transaction {
	return c.Sign([]solana.PrivateKey{from}, system.NewTransferInstruction(lamports, from.PublicKey(), to).Build())
}

func TestLeaderAccepts(t *testing.T) {
	c := Start(t)
	from, to := Wallet("from"), Wallet("to").PublicKey()
	c.Fund(from.PublicKey(), solana.LAMPORTS_PER_SOL)
	l := c.StartLeaders(1)[0]
	conn, err := dial(t.Context(), t, l, from)
	if err != nil {
		t.Fatal(err)
	}
	var wires [][]byte
	for i := range 3 {
		wire := c.Wire(transfer(c, from, to, solana.LAMPORTS_PER_SOL/10+uint64(i)))
		wires = append(wires, wire)
		if err := sendOver(t.Context(), conn, wire); err != nil {
			t.Fatal(err)
		}
		l.Wait(i + 1)
	}
	for i, d := range l.Deliveries() {
		if !bytes.Equal(d.Wire, wires[i]) || d.Peer != from.PublicKey() || d.ServerName != "127.0.0.1.1.sol" || d.Connection != 1 {
			t.Errorf("delivery %d is of %s over connection %d to %s", i, d.Peer, d.Connection, d.ServerName)
		}
	}
	c.Tick(1)
	if got, want := c.Balance(to), solana.LAMPORTS_PER_SOL/10*3+3; got != want {
		t.Errorf("%d lamports have come, want %d", got, want)
	}
	if all, open := l.Connections(); all != 1 || open != 1 {
		t.Errorf("%d connections, %d open", all, open)
	}
}

func TestLeaderModes(t *testing.T) {
	c := Start(t)
	from, to := Wallet("from"), Wallet("to").PublicKey()
	c.Fund(from.PublicKey(), solana.LAMPORTS_PER_SOL)
	wire := c.Wire(transfer(c, from, to, solana.LAMPORTS_PER_SOL/10))
	l := c.StartLeaders(1)[0]

	for mode, code := range map[Mode]quic.ApplicationErrorCode{Disallow: codeDisallowed, TooMany: codeTooMany} {
		l.Be(mode)
		conn, err := dial(t.Context(), t, l, from)
		if err == nil {
			<-conn.Context().Done()
			err = context.Cause(conn.Context())
		}
		var closed *quic.ApplicationError
		if !errors.As(err, &closed) || closed.ErrorCode != code || !closed.Remote {
			t.Errorf("closed with %v, want the code %d", err, code)
		}
	}

	l.Be(BlackHole)
	conn, err := dial(t.Context(), t, l, from)
	if err != nil {
		t.Fatal(err)
	}
	if err := sendOver(t.Context(), conn, wire); err != nil {
		t.Fatal(err)
	}
	l.Wait(1)
	if err := sendOver(t.Context(), conn, bytes.Repeat([]byte{1}, largestPacket+9)); err != nil {
		t.Fatal(err)
	}
	if got := len(l.Wait(2)[1].Wire); got != largestPacket+1 {
		t.Errorf("%d bytes of a packet that is too large are kept", got)
	}
	c.Tick(1)
	if got := c.Balance(to); got != 0 {
		t.Errorf("the black hole has let %d lamports go", got)
	}
	l.Drop()
	<-conn.Context().Done()
}

// A leader that stalls accepts no connection until it stops.
func TestLeaderStalls(t *testing.T) {
	c := Start(t)
	l := c.StartLeaders(1)[0]
	l.Be(Stall)
	given, cancel := context.WithCancel(t.Context())
	dialled := make(chan error, 1)
	go func() {
		_, err := dial(given, t, l, Wallet("from"))
		dialled <- err
	}()
	cancel()
	if err := <-dialled; !errors.Is(err, context.Canceled) {
		t.Errorf("dialled: %v", err)
	}
	go func() {
		_, err := dial(t.Context(), t, l, Wallet("from"))
		dialled <- err
	}()
	if all, _ := l.Connections(); all != 0 {
		t.Errorf("%d connections", all)
	}
	l.Be(Accept)
	if err := <-dialled; err != nil {
		t.Error(err)
	}
	l.WaitConnections(1)
}

// A connection has no more streams open than the leader allows, and more once they are read.
func TestLeaderLimits(t *testing.T) {
	c := Start(t)
	l := c.StartLeaders(1)[0]
	l.Be(Hold)
	l.LimitStreams(2)
	conn, err := dial(t.Context(), t, l, Wallet("from"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		stream, err := conn.OpenUniStream()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Write([]byte("no transaction")); err != nil || stream.Close() != nil {
			t.Fatal(err)
		}
	}
	var limit *quic.StreamLimitReachedError
	if _, err := conn.OpenUniStream(); !errors.As(err, &limit) {
		t.Errorf("a third stream: %v", err)
	}
	l.Be(Accept) // what cannot be read is lost on the way to the chain
	l.Wait(2)
	if err := sendOver(t.Context(), conn, []byte("a third")); err != nil {
		t.Error(err)
	}
	l.Wait(3)
	if log := c.Landings(0); len(log) != 0 {
		t.Errorf("the chain has got %+v", log)
	}
}

// Leaders take turns of four slots, and each has an address of its own.
func TestLeadersRotate(t *testing.T) {
	c := Start(t)
	leaders := c.StartLeaders(3)
	slot := c.Tick(1)
	var order []Key
	if err := c.Ask(t.Context(), &order, "getSlotLeaders", slot-slot%12, 24); err != nil {
		t.Fatal(err)
	}
	for i, got := range order {
		if want := leaders[i/4%3].Identity.PublicKey(); got != want {
			t.Errorf("slot %d is led by %s, want %s", i, got, want)
		}
	}
	var nodes []struct {
		Pubkey  Key
		TPUQUIC string `json:"tpuQuic"`
	}
	if err := c.Ask(t.Context(), &nodes, "getClusterNodes"); err != nil || len(nodes) != 3 {
		t.Fatalf("%+v, %v", nodes, err)
	}
	for i, n := range nodes {
		if n.Pubkey != leaders[i].Identity.PublicKey() || n.TPUQUIC != leaders[i].Address {
			t.Errorf("node %d is %+v", i, n)
		}
	}
}
