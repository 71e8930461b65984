package failure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// failed is the runtime's line of a program that failed.
func failed(program thread.Key) []string {
	return []string{"Program " + program.String() + " failed: custom program error"}
}

func custom(code uint32) *rpc.TxError {
	return &rpc.TxError{Kind: rpc.InstructionError, Instruction: 2, InstructionKind: rpc.Custom, Code: code}
}

func instruction(kind string) *rpc.TxError {
	return &rpc.TxError{Kind: rpc.InstructionError, InstructionKind: kind}
}

func TestOfTransaction(t *testing.T) {
	newest, seed := thread.Newest(), thread.Seed()
	other := thread.Payer()
	ours := failed(newest.Program)
	for _, c := range []struct {
		name    string
		profile thread.Profile
		err     *rpc.TxError
		logs    []string
		want    Class
	}{
		{"not ready", newest, custom(6004), ours, NotReady},
		{"not ready of the seed era", seed, custom(6026), failed(seed.Program), NotReady},
		{"not ready of another program", newest, custom(6004), failed(other), Program},
		{"not ready of the other version", newest, custom(6004), failed(seed.Program), Program},
		{"not ready, which an inner program said", newest, custom(6004), append(failed(other), ours...), Program},
		{"not ready, and no log", newest, custom(6004), nil, Unclear},
		{"paused", newest, custom(6006), ours, Paused},
		{"all paused", newest, custom(6030), ours, Paused},
		{"paused of another program", newest, custom(6006), failed(other), Program},
		{"another fiber", newest, custom(6024), ours, Superseded},
		{"no such fiber", newest, custom(6037), ours, Superseded},
		{"another thread's fiber", newest, custom(6040), ours, Superseded},
		{"closed", newest, custom(3012), ours, Superseded},
		{"cannot pay", newest, custom(6012), ours, Program},
		{"wrote the executor", newest, custom(6009), ours, Permanent},
		{"budget in a call", newest, instruction("ComputationalBudgetExceeded"), failed(other), Resource},
		{"budget", newest, instruction("ProgramFailedToComplete"), []string{"Program " + other.String() + " failed: exceeded CUs meter at BPF instruction"}, Resource},
		{"crashed", newest, instruction("ProgramFailedToComplete"), failed(other), Program},
		{"out of funds", newest, instruction("InsufficientFunds"), ours, Program},
		{"out of funds, and no log", newest, instruction("InsufficientFunds"), nil, Unclear},
		{"expired", newest, &rpc.TxError{Kind: "BlockhashNotFound"}, nil, Expired},
		{"seen", newest, &rpc.TxError{Kind: "AlreadyProcessed"}, nil, Known},
		{"in use", newest, &rpc.TxError{Kind: "AccountInUse"}, nil, Transient},
		{"block is full", newest, &rpc.TxError{Kind: "WouldExceedMaxBlockCostLimit"}, nil, Transient},
		{"no payer", newest, &rpc.TxError{Kind: "AccountNotFound"}, nil, Dry},
		{"poor payer", newest, &rpc.TxError{Kind: "InsufficientFundsForFee"}, nil, Dry},
		{"payer below what an account must have", newest, &rpc.TxError{Kind: "InsufficientFundsForRent"}, nil, Dry},
		{"another below what an account must have", newest, &rpc.TxError{Kind: "InsufficientFundsForRent", Account: 3}, nil, Permanent},
		{"signature", newest, &rpc.TxError{Kind: "SignatureFailure"}, nil, Permanent},
		{"too many locks", newest, &rpc.TxError{Kind: "TooManyAccountLocks"}, nil, Permanent},
		{"table is gone", newest, &rpc.TxError{Kind: "AddressLookupTableNotFound"}, nil, Superseded},
		{"something new", newest, &rpc.TxError{Kind: "SomethingNew"}, nil, Permanent},
	} {
		got := OfTransaction(c.profile, c.err, c.logs)
		if got.Class != c.want || got.Reason == "" || !slices.Contains(Classes(), got.Class) {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
	if got := OfTransaction(newest, custom(6006), ours); got.String() != "paused: the thread is paused (6006)" || got.Code != 6006 {
		t.Errorf("%v, code %d", got, got.Code)
	}
}

func TestOf(t *testing.T) {
	refused := &rpc.Error{Endpoint: "a.example", Method: "sendTransaction", Code: -32002, Message: "it would fail", Data: json.RawMessage(
		`{"err":{"InstructionError":[0,{"Custom":6004}]},"logs":["Program ` + thread.Newest().Program.String() + ` failed: custom program error: 0x1774"]}`)}
	for _, c := range []struct {
		name string
		err  error
		want Class
	}{
		{"refused by a node", fmt.Errorf("send: %w", refused), NotReady},
		{"away", &rpc.UnreachableError{Endpoint: "a.example", Err: errors.New("no connection")}, Transient},
		{"overloaded", &rpc.UnreachableError{Endpoint: "a.example", Status: 503}, Transient},
		{"behind", &rpc.Error{Code: -32005}, Transient},
		{"no time", context.DeadlineExceeded, Transient},
		{"wrong form", &rpc.Error{Method: "sendTransaction", Code: -32602}, Permanent},
		{"wrong form, it is tried", &rpc.Error{Method: "simulateTransaction", Code: -32602}, Permanent},
		{"wrong signature", &rpc.Error{Method: "sendTransaction", Code: -32003}, Permanent},
		{"a node that reads no such request", &rpc.Error{Method: "getMultipleAccounts", Code: -32602}, Transient},
		{"no thread", fmt.Errorf("decode: %w", thread.ErrFormat), Permanent},
		{"anything", errors.New("disk"), Transient},
	} {
		if got := Of(thread.Newest(), c.err); got.Class != c.want || got.Reason == "" {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// What costs no try must end in another way: it waits for the chain, or is bounded by it.
func TestCostsTry(t *testing.T) {
	var costs []string
	for _, c := range Classes() {
		if c.CostsTry() {
			costs = append(costs, string(c))
		}
	}
	if got := strings.Join(costs, " "); got != "transient unclear program" {
		t.Errorf("tries are used up by %s", got)
	}
}
