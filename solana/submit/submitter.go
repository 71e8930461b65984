package submit

import (
	"context"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

// Mode is which ways a transaction goes.
type Mode string

// The modes.
const (
	// RPC: to a node, which hands it on.
	RPC Mode = "rpc"
	// TPU: to the leaders of the next slots.
	TPU Mode = "tpu"
	// Both: to a node and to the leaders at the same time. It lands once.
	Both Mode = "both"
	// TPUWithFallback: to the leaders, and to a node when no leader took it.
	TPUWithFallback Mode = "tpu_with_fallback"
)

// ParseMode reads a mode; empty is Both.
func ParseMode(text string) (Mode, error) {
	switch m := Mode(text); m {
	case "":
		return Both, nil
	case RPC, TPU, Both, TPUWithFallback:
		return m, nil
	default:
		return "", fmt.Errorf("%q is no way to submit transactions: it is %s, %s, %s or %s", text, RPC, TPU, Both, TPUWithFallback)
	}
}

// Nodes are asked to hand a transaction on.
type Nodes interface {
	Send(ctx context.Context, wire []byte, preflight bool) (solana.Signature, error)
}

// Leaders accept a transaction themselves, and return how many did.
type Leaders interface {
	Send(ctx context.Context, wire []byte) (took int, err error)
}

// Submitter sends transactions. It is safe for concurrent use.
type Submitter struct {
	mode    Mode
	nodes   Nodes
	leaders Leaders
}

// NewSubmitter returns one that goes the ways of a mode. Nodes may be nil where the mode needs none, and so may leaders.
func NewSubmitter(mode Mode, nodes Nodes, leaders Leaders) (*Submitter, error) {
	mode, err := ParseMode(string(mode))
	switch {
	case err != nil:
		return nil, err
	case nodes == nil && mode != TPU:
		return nil, fmt.Errorf("to submit by %q nodes are needed", mode)
	case leaders == nil && mode != RPC:
		return nil, fmt.Errorf("to submit by %q leaders are needed", mode)
	}
	return &Submitter{mode: mode, nodes: nodes, leaders: leaders}, nil
}

// Sent is which routes accepted a transaction. That does not mean that it lands.
type Sent struct {
	ByRPC   bool
	Leaders int
}

// String is the route in a word, as latency lines name it.
func (s Sent) String() string {
	switch {
	case s.ByRPC && s.Leaders > 0:
		return string(Both)
	case s.ByRPC:
		return string(RPC)
	case s.Leaders > 0:
		return string(TPU)
	default:
		return "none"
	}
}

// Submit sends the bytes once. It fails when no route accepted them, and when a node
// reports that none ever will.
func (s *Submitter) Submit(ctx context.Context, wire []byte) (Sent, error) {
	switch s.mode {
	case RPC:
		return s.byRPC(ctx, wire)
	case TPU:
		return s.byTPU(ctx, wire)
	case TPUWithFallback:
		sent, err := s.byTPU(ctx, wire)
		if err == nil || ctx.Err() != nil {
			return sent, err
		}
		fallback, other := s.byRPC(ctx, wire)
		if other != nil {
			return fallback, errors.Join(other, err)
		}
		return fallback, nil
	case Both:
	}
	type end struct {
		sent Sent
		err  error
	}
	leaders := make(chan end, 1)
	go func() {
		sent, err := s.byTPU(ctx, wire)
		leaders <- end{sent, err}
	}()
	sent, err := s.byRPC(ctx, wire)
	other := <-leaders
	sent.Leaders = other.sent.Leaders
	switch {
	case err == nil, other.err == nil && !rpc.IsInvalid(err):
		return sent, nil
	default:
		return sent, errors.Join(err, other.err)
	}
}

func (s *Submitter) byRPC(ctx context.Context, wire []byte) (Sent, error) {
	if _, err := s.nodes.Send(ctx, wire, false); err != nil {
		return Sent{}, err
	}
	return Sent{ByRPC: true}, nil
}

func (s *Submitter) byTPU(ctx context.Context, wire []byte) (Sent, error) {
	took, err := s.leaders.Send(ctx, wire)
	if err != nil {
		return Sent{}, err
	}
	return Sent{Leaders: took}, nil
}
