package observe

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// rpcMessage is a node's message over a websocket: an answer to a request, or a subscription's
// notification.
type rpcMessage struct {
	// Of an answer.
	ID     *uint64         `json:"id"`
	Result json.RawMessage `json:"result"` // the number of a subscription, or whether one has ended
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	// Of a subscription.
	Method string `json:"method"`
	Params *struct {
		Subscription *uint64 `json:"subscription"`
		Result       struct {
			Context struct {
				Slot *uint64 `json:"slot"`
			} `json:"context"`
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	} `json:"params"`
}

var errNoMessage = errors.New("no message of a subscription")

// rpcAnswer is what became of a request.
type rpcAnswer struct {
	id           uint64
	subscription uint64 // 0 where the answer is none
	refused      error
}

// notice is what a subscription has seen.
type notice struct {
	subscription uint64
	slot         uint64
	value        json.RawMessage
}

// decode reads a message, which is anybody's: one of the two that it returns is not nil, or there is an error.
func decode(data []byte) (*rpcAnswer, *notice, error) {
	var m rpcMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoMessage, err)
	}
	switch {
	case m.Params != nil && m.Params.Subscription != nil && m.Params.Result.Context.Slot != nil && len(m.Params.Result.Value) > 0:
		return nil, &notice{*m.Params.Subscription, *m.Params.Result.Context.Slot, m.Params.Result.Value}, nil
	case m.ID == nil:
		return nil, nil, fmt.Errorf("%w: it has neither an id nor a subscription's notification", errNoMessage)
	case m.Error != nil:
		return &rpcAnswer{id: *m.ID, refused: fmt.Errorf("the node answered %d: %.200s", m.Error.Code, m.Error.Message)}, nil, nil
	}
	a := &rpcAnswer{id: *m.ID}
	if len(m.Result) == 0 || m.Result[0] < '0' || m.Result[0] > '9' {
		return a, nil, nil
	}
	if err := json.Unmarshal(m.Result, &a.subscription); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoMessage, err)
	}
	return a, nil, nil
}

// keyed reads the account that a program's subscription has seen.
func (n *notice) keyed() (thread.Key, *rpc.Account, error) {
	var k struct {
		Key     thread.Key   `json:"pubkey"`
		Account *rpc.Account `json:"account"`
	}
	err := json.Unmarshal(n.value, &k)
	if err == nil && (k.Account == nil || k.Key == (thread.Key{})) {
		err = fmt.Errorf("%w: it has no account, or an account without an address", errNoMessage)
	}
	return k.Key, k.Account, err
}

// account reads what an account's subscription has seen; nil is nothing.
func (n *notice) account() (*rpc.Account, error) {
	var a *rpc.Account
	if err := json.Unmarshal(n.value, &a); err != nil {
		return nil, err
	}
	if a != nil && a.Lamports == 0 {
		return nil, nil
	}
	return a, nil
}

// clock reads a tick out of the data of the chain's clock.
func clock(a *rpc.Account) (ClockUpdate, error) {
	if a == nil {
		return ClockUpdate{}, errors.New("the chain has no clock")
	}
	c, err := thread.DecodeClock(a.Data)
	return ClockUpdate{Slot: c.Slot, Epoch: c.Epoch, UnixTimestamp: c.Unix}, err
}

// wish is one thing that is subscribed to: threads, the clock, or a span.
type wish struct {
	kind wished
	span accountRange
}

type wished uint8

const (
	wishThreads wished = iota + 1
	wishClock
	wishSpan
)

// request is a request over a websocket.
type request struct {
	Version string `json:"jsonrpc"`
	ID      uint64 `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

// subscribe makes the request for a wish.
func (w wish) subscribe(id uint64, program thread.Key) request {
	r := request{Version: "2.0", ID: id, Method: "accountSubscribe"}
	options := map[string]any{"encoding": "base64", "commitment": rpc.Confirmed}
	switch w.kind {
	case wishThreads:
		prefix := thread.ThreadFilter()
		options["filters"] = []any{map[string]any{"memcmp": map[string]any{"offset": 0, "bytes": solana.Base58(prefix[:]).String()}}}
		r.Method, r.Params = "programSubscribe", []any{program.String(), options}
	case wishClock:
		options["commitment"] = rpc.Processed
		r.Params = []any{solana.SysVarClockPubkey.String(), options}
	case wishSpan:
		options["dataSlice"] = map[string]any{"offset": w.span.offset, "length": w.span.size}
		r.Params = []any{w.span.key.String(), options}
	}
	return r
}

// unsubscribe makes the request that ends a subscription to a span.
func unsubscribe(id, subscription uint64) request {
	return request{Version: "2.0", ID: id, Method: "accountUnsubscribe", Params: []any{subscription}}
}
