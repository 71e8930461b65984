package tpu

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/gagliardetto/solana-go"
)

// A probe returns how many leaders accept a connection, and sends nothing.
func TestProbe(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}) // It listens, and never answers.
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	there := lead(t, 1, accepts)
	away := &node{key: solana.PublicKey{2}, addr: netip.MustParseAddrPort(silent.LocalAddr().String())}
	for name, c := range map[string]struct {
		leaders []*node
		reached int
	}{
		"all": {[]*node{there}, 1}, "some": {[]*node{there, away}, 1}, "none": {[]*node{away}, 0},
	} {
		client, err := New(Config{Chain: &chain{nodes: c.leaders}})
		if err != nil {
			t.Fatal(err)
		}
		asked, reached, err := client.Probe(t.Context())
		if asked != len(c.leaders) || reached != c.reached || (err == nil) != (asked == reached) {
			t.Errorf("%s: %d of %d, %v", name, reached, asked, err)
		}
	}
	client, err := New(Config{Chain: &chain{nodes: []*node{{key: solana.PublicKey{3}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if asked, _, err := client.Probe(t.Context()); asked != 0 || !errors.Is(err, ErrNoLeaders) {
		t.Errorf("nobody known: %d, %v", asked, err)
	}
	select {
	case wire := <-there.got:
		t.Errorf("%d bytes were handed over", len(wire))
	default:
	}
}
