package svmtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// RPCError is how the chain answers instead of a result.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Error is the code and the message.
func (e *RPCError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// longestCall bounds how long the chain may take, of which thousands of blocks are the slowest.
const longestCall = 2 * time.Minute

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 64 << 20

// Ask calls a method and decodes its result; the error is an [*RPCError] when the chain has answered with one.
func (c *Chain) Ask(ctx context.Context, result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.RPC, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d: %s", response.StatusCode, text)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *RPCError       `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// do calls a method that must not fail.
func (c *Chain) do(result any, method string, params ...any) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), longestCall)
	defer cancel()
	if err := c.Ask(ctx, result, method, params...); err != nil {
		c.fatal(method, err)
	}
}

// Tick makes n blocks, one a slot, and returns the slot of the last. What was sent lands in the first.
func (c *Chain) Tick(n int) (slot uint64) {
	c.t.Helper()
	c.do(&slot, "test_tick", n)
	return slot
}

// Skip lets n slots go by without a block, and makes one in the slot behind them.
func (c *Chain) Skip(n uint64) (slot uint64) {
	c.t.Helper()
	c.do(&slot, "test_skip", n)
	return slot
}

// Rollback gives up the newest n blocks, as on a fork that has lost: up to 31. What was in them has never been.
func (c *Chain) Rollback(n int) {
	c.t.Helper()
	c.do(nil, "test_rollback", n)
}

// SetTime moves the chain's clock, in unix seconds. Slots stay.
func (c *Chain) SetTime(unix int64) {
	c.t.Helper()
	c.do(nil, "test_setTime", unix)
}

// Account is what an account is.
type Account struct {
	Lamports   uint64
	Owner      Key // zero: the system program
	Data       []byte
	Executable bool
}

// SetAccount sets an account's state, as if it had always been so. Its subscribers are
// notified at once.
func (c *Chain) SetAccount(key Key, a Account) {
	c.t.Helper()
	c.do(nil, "test_setAccount", key.String(), map[string]any{
		"lamports": a.Lamports, "owner": a.Owner.String(), "data": base64.StdEncoding.EncodeToString(a.Data), "executable": a.Executable,
	})
}

// Fund makes a wallet have so many lamports.
func (c *Chain) Fund(key Key, lamports uint64) {
	c.t.Helper()
	c.SetAccount(key, Account{Lamports: lamports})
}

// Account returns an account as it is in the newest block, false when there is none.
func (c *Chain) Account(key Key) (Account, bool) {
	c.t.Helper()
	var found struct {
		Value *struct {
			Lamports   uint64    `json:"lamports"`
			Owner      Key       `json:"owner"`
			Data       [2]string `json:"data"`
			Executable bool      `json:"executable"`
		} `json:"value"`
	}
	c.do(&found, "getAccountInfo", key.String(), map[string]string{"encoding": "base64", "commitment": "processed"})
	if found.Value == nil {
		return Account{}, false
	}
	data, err := base64.StdEncoding.DecodeString(found.Value.Data[0])
	if err != nil {
		c.fatal("getAccountInfo", err)
	}
	return Account{Lamports: found.Value.Lamports, Owner: found.Value.Owner, Data: data, Executable: found.Value.Executable}, true
}

// Balance returns what an account has in the newest block, in lamports.
func (c *Chain) Balance(key Key) uint64 {
	c.t.Helper()
	a, _ := c.Account(key)
	return a.Lamports
}

// AddProgram puts a program on the chain.
func (c *Chain) AddProgram(key Key, elf []byte) {
	c.t.Helper()
	c.do(nil, "test_addProgram", key.String(), base64.StdEncoding.EncodeToString(elf))
}

// Settings are how the chain treats transactions, and what it reports of itself. They are
// sent as they are: an omitted one keeps its value.
type Settings struct {
	LandDelay     *int     `json:"landDelay,omitempty"`     // slots until what was sent lands; 1
	DropNext      *int     `json:"dropNext,omitempty"`      // how many of the next transactions are lost; 0
	Loss          *float64 `json:"loss,omitempty"`          // the part of all transactions that is lost, by Seed; 0
	Seed          *int     `json:"seed,omitempty"`          // of Loss; 1
	SlotsPerEpoch *int     `json:"slotsPerEpoch,omitempty"` // 432000
	PriorityFee   *int     `json:"priorityFee,omitempty"`   // the answer to getRecentPrioritizationFees, micro lamports; 0
	MuteSlots     *bool    `json:"muteSlots,omitempty"`     // subscriptions to slots are silent
	Leaders       []Seat   `json:"leaders,omitempty"`       // who makes blocks, four slots each in turn
}

// Seat is a leader as the chain knows it.
type Seat struct {
	Identity Key    `json:"identity"`
	TPU      string `json:"tpuQuic,omitempty"` // host and port over QUIC; empty: none
}

// Configure changes settings.
func (c *Chain) Configure(s Settings) {
	c.t.Helper()
	c.do(nil, "test_config", s)
}

// Fault is how the node answers the next calls of a method instead of as it should.
type Fault struct {
	Method     string `json:"method"`               // * is every one
	Times      int    `json:"times,omitempty"`      // 0 is once
	Status     int    `json:"status,omitempty"`     // of HTTP
	RetryAfter int    `json:"retryAfter,omitempty"` // seconds, with Status
	Code       int    `json:"code,omitempty"`       // of JSON-RPC
	Message    string `json:"message,omitempty"`
	Data       any    `json:"data,omitempty"`
	Close      bool   `json:"close,omitempty"`    // the connection ends without an answer
	Hang       bool   `json:"hang,omitempty"`     // there is no answer, ever
	Executed   bool   `json:"executed,omitempty"` // the call is executed, and only the answer is lost
}

// Fail orders faults in the place of those that were ordered before; none makes the node well again.
func (c *Chain) Fail(faults ...Fault) {
	c.t.Helper()
	if faults == nil {
		faults = []Fault{}
	}
	c.do(nil, "test_fail", faults)
}

// Calls returns how often each method was executed.
func (c *Chain) Calls() map[string]int {
	c.t.Helper()
	var calls map[string]int
	c.do(&calls, "test_calls")
	return calls
}

// Landing is what became of a transaction that a leader has got.
type Landing struct {
	Signature string          `json:"signature"`
	Slot      uint64          `json:"slot"`
	Dropped   string          `json:"dropped"` // why it is in no block; empty: it is in one
	Err       json.RawMessage `json:"err"`     // of one in a block; null: it did what it should
	Logs      []string        `json:"logs"`
	Units     uint64          `json:"units"` // of computation
	Fee       uint64          `json:"fee"`   // lamports
}

// Landings returns what became of transactions, in order, from the n-th on.
func (c *Chain) Landings(n int) []Landing {
	c.t.Helper()
	var log []Landing
	c.do(&log, "test_log", n)
	return log
}

// DropSockets ends all websockets, and returns how many there were.
func (c *Chain) DropSockets() int { return c.sockets("drop", 0) }

// MuteSockets leaves all websockets half open: they stay, and nothing is sent or read any more.
func (c *Chain) MuteSockets() int { return c.sockets("mute", 0) }

// RefuseSockets answers the next n websockets with 503.
func (c *Chain) RefuseSockets(n int) int { return c.sockets("refuse", n) }

// Sockets returns how many websockets are open.
func (c *Chain) Sockets() int { return c.sockets("count", 0) }

func (c *Chain) sockets(action string, n int) (open int) {
	c.t.Helper()
	c.do(&open, "test_sockets", action, n)
	return open
}

// Deliver hands a transaction to the chain as a leader has got it over QUIC.
func (c *Chain) Deliver(ctx context.Context, wire []byte) error {
	return c.Ask(ctx, nil, "test_tpu", base64.StdEncoding.EncodeToString(wire))
}
