package tpu

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/orthd/orth/solana/rpc"
)

// Probe connects to the leaders that would receive a transaction now. It returns how many
// it called and how many accepted a connection. The error is that of one of the others, or
// why it called none. It sends nothing, needs no Run, and takes no longer than a handshake,
// 2 s, besides the calls to the chain.
func (c *Client) Probe(ctx context.Context) (asked, reached int, err error) {
	slot, err := c.config.Chain.Slot(ctx, rpc.Processed)
	if err != nil {
		return 0, 0, fmt.Errorf("ask for the slot: %w", err)
	}
	if err := c.leaders.refresh(ctx, c.config.Chain, slot, time.Now()); err != nil {
		return 0, 0, err
	}
	found := c.leaders.nextLeaders(slot, c.config.Fanout)
	if len(found) == 0 {
		return 0, 0, ErrNoLeaders
	}
	udp, err := net.ListenUDP("udp", nil)
	if err != nil {
		return 0, 0, fmt.Errorf("open a socket: %w", err)
	}
	socket := &quic.Transport{Conn: udp}
	defer func() {
		_ = socket.Close()
		_ = udp.Close()
	}()
	problems := make([]error, len(found))
	var all sync.WaitGroup
	for i, l := range found {
		all.Go(func() {
			conn := newConnection(l.addr, c.tls)
			_, problems[i] = conn.connect(ctx, socket)
			conn.close()
		})
	}
	all.Wait()
	for _, problem := range problems {
		if problem == nil {
			reached++
		} else {
			err = problem
		}
	}
	return len(found), reached, err
}
