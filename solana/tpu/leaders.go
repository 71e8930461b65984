package tpu

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

// Chain is asked who leads, and where they listen.
type Chain interface {
	Nodes(ctx context.Context) ([]rpc.Node, error)
	Leaders(ctx context.Context, from uint64, slots int) ([]solana.PublicKey, error)
	Slot(ctx context.Context, c rpc.Commitment) (uint64, error)
}

const (
	slotsEach    = 4   // slots that a leader leads in a row
	knownAhead   = 100 // slots that are always known ahead
	askAhead     = 1000
	nodesEvery   = 5 * time.Minute
	quicFromTPU  = 6 // offset to the port of a node that publishes only the old one
	mostNodes    = 20_000
	highestPort  = 65_535
	slotsEvery   = 2 * time.Second // how often the slot is polled when no source reports it
	refreshTries = time.Second
)

// leaders knows who leads, and where they listen.
type leaders struct {
	mu    sync.Mutex
	first uint64 // slot of schedule[0]
	who   []solana.PublicKey
	where map[solana.PublicKey]netip.AddrPort
	asked time.Time // when where was read
}

// leader is a node with where it listens.
type leader struct {
	key  solana.PublicKey
	addr netip.AddrPort
}

// nextLeaders returns the leaders of a slot and of the slots behind it, each once, at most count.
// It leaves out leaders without a known address.
func (l *leaders) nextLeaders(slot uint64, count int) (found []leader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slot < l.first {
		return nil
	}
	seen := make(map[solana.PublicKey]bool)
	for at := slot - l.first; at < uint64(len(l.who)) && len(found) < count; at++ {
		key := l.who[at]
		if seen[key] {
			continue
		}
		seen[key] = true
		if addr, known := l.where[key]; known {
			found = append(found, leader{key, addr})
		}
	}
	return found
}

// refresh asks for what is missing or old.
func (l *leaders) refresh(ctx context.Context, chain Chain, slot uint64, now time.Time) error {
	l.mu.Lock()
	ends := l.first + uint64(len(l.who))
	short := len(l.who) == 0 || slot < l.first || slot+knownAhead > ends
	old := now.Sub(l.asked) > nodesEvery
	l.mu.Unlock()
	if short {
		from := slot - min(slot, slotsEach)
		who, err := chain.Leaders(ctx, from, askAhead)
		if err != nil {
			return fmt.Errorf("ask who leads from slot %d on: %w", from, err)
		}
		l.mu.Lock()
		l.first, l.who = from, who
		l.mu.Unlock()
	}
	if old {
		nodes, err := chain.Nodes(ctx)
		if err != nil {
			return fmt.Errorf("ask where leaders listen: %w", err)
		}
		where := make(map[solana.PublicKey]netip.AddrPort)
		for _, n := range nodes[:min(len(nodes), mostNodes)] {
			if addr, ok := address(n); ok {
				where[n.Key] = addr
			}
		}
		l.mu.Lock()
		l.where, l.asked = where, now
		l.mu.Unlock()
	}
	return nil
}

// address returns where a node takes transactions by QUIC.
func address(n rpc.Node) (netip.AddrPort, bool) {
	if addr, err := netip.ParseAddrPort(n.TPUQUIC); err == nil && addr.Port() > 0 {
		return addr, true
	}
	host, port, err := net.SplitHostPort(n.TPU)
	if err != nil {
		return netip.AddrPort{}, false
	}
	ip, err := netip.ParseAddr(host)
	number, wrong := strconv.Atoi(port)
	if err != nil || wrong != nil || number < 1 || number > highestPort-quicFromTPU {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(ip, uint16(number+quicFromTPU)), true
}
