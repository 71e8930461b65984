package submit

import (
	"context"
	"errors"
	"testing"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

// taker is a node, and leaders, that take transactions or fail.
type taker struct {
	err   error
	count int
	sends int
}

func (f *taker) Send(context.Context, []byte, bool) (solana.Signature, error) {
	f.sends++
	return solana.Signature{}, f.err
}

type leadership struct{ *taker }

func (l leadership) Send(context.Context, []byte) (int, error) {
	l.sends++
	if l.err != nil {
		return 0, l.err
	}
	return l.count, nil
}

func TestSubmit(t *testing.T) {
	away := &rpc.UnreachableError{Endpoint: "a", Err: errors.New("no")}
	never := &rpc.Error{Method: "sendTransaction", Code: -32003, Message: "signature"}
	none := errors.New("no leader took it")
	for _, c := range []struct {
		name    string
		mode    Mode
		node    error
		leaders error
		want    string
		fails   bool
		sends   [2]int // node, leaders
	}{
		{"rpc", RPC, nil, none, "rpc", false, [2]int{1, 0}},
		{"rpc away", RPC, away, nil, "none", true, [2]int{1, 0}},
		{"tpu", TPU, away, nil, "tpu", false, [2]int{0, 1}},
		{"tpu without leaders", TPU, nil, none, "none", true, [2]int{0, 1}},
		{"both", Both, nil, nil, "both", false, [2]int{1, 1}},
		{"both, leaders alone", Both, away, nil, "tpu", false, [2]int{1, 1}},
		{"both, node alone", Both, nil, none, "rpc", false, [2]int{1, 1}},
		{"both fail", Both, away, none, "none", true, [2]int{1, 1}},
		{"both, and nobody ever will", Both, never, nil, "tpu", true, [2]int{1, 1}},
		{"fallback not needed", TPUWithFallback, away, nil, "tpu", false, [2]int{0, 1}},
		{"fallback", TPUWithFallback, nil, none, "rpc", false, [2]int{1, 1}},
		{"fallback fails", TPUWithFallback, away, none, "none", true, [2]int{1, 1}},
	} {
		node, leaders := &taker{err: c.node}, &taker{err: c.leaders, count: 3}
		s, err := NewSubmitter(c.mode, node, leadership{leaders})
		if err != nil {
			t.Fatal(err)
		}
		sent, err := s.Submit(t.Context(), []byte("wire"))
		if sent.String() != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %v, %v", c.name, sent, err)
		}
		if got := [2]int{node.sends, leaders.sends}; got != c.sends {
			t.Errorf("%s: sent %v times, want %v", c.name, got, c.sends)
		}
		if err != nil && c.node != nil && c.mode != TPU && !errors.Is(err, c.node) {
			t.Errorf("%s: %v does not tell what the node said", c.name, err)
		}
	}
}

func TestNewSubmitter(t *testing.T) {
	node, leaders := &taker{}, leadership{&taker{}}
	for _, c := range []struct {
		mode    Mode
		nodes   Nodes
		leaders Leaders
		ok      bool
	}{
		{"", node, leaders, true},
		{RPC, node, nil, true},
		{TPU, nil, leaders, true},
		{Both, node, nil, false},
		{Both, nil, leaders, false},
		{TPUWithFallback, nil, leaders, false},
		{RPC, nil, leaders, false},
		{TPU, node, nil, false},
		{"udp", node, leaders, false},
	} {
		s, err := NewSubmitter(c.mode, c.nodes, c.leaders)
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.mode, err)
		}
		if c.mode == "" && s.mode != Both {
			t.Errorf("by default it goes by %q", s.mode)
		}
	}
}
