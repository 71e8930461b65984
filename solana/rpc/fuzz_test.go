package rpc

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
)

// What a node answers is anybody's: it is an error, or it is what was asked for.
func FuzzAnswers(f *testing.F) {
	account, err := json.Marshal(held(5, "five"))
	if err != nil {
		f.Fatal(err)
	}
	for _, result := range []string{
		`7`, `null`, `"` + signature(3).String() + `"`, `{"context":{"slot":77},"value":5}`, `{"context":{"slot":77},"value":[` + string(account) + `]}`,
		`{"context":{"slot":77},"value":[{"pubkey":"` + key(1).String() + `","account":` + string(account) + `}]}`,
		`{"context":{"slot":77},"value":{"blockhash":"` + solana.Hash(key(1)).String() + `","lastValidBlockHeight":150}}`,
		`{"context":{"slot":77},"value":{"err":{"InstructionError":[2,{"Custom":6004}]},"logs":["x"],"unitsConsumed":5,"accounts":[null]}}`,
		`{"context":{"slot":77},"value":[{"slot":5,"confirmations":null,"err":null,"confirmationStatus":"finalized"}]}`,
		`{"absoluteSlot":9,"blockHeight":8,"epoch":1}`, `[{"pubkey":"` + key(1).String() + `","tpuQuic":"1.2.3.4:8009"}]`, `["` + key(1).String() + `"]`,
		`{"solana-core":"3.1.4"}`,
	} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`), 200)
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no","data":{"err":"AccountInUse","logs":null}}}`), 503)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		if status < 200 || status > 599 || len(body) == 0 {
			return
		}
		for method, ask := range map[string]func(*Pool) (bool, error){
			"getMultipleAccounts": func(p *Pool) (bool, error) {
				got, _, err := p.Accounts(t.Context(), Confirmed, key(1))
				return len(got) == 1, err
			},
			"getProgramAccounts": func(p *Pool) (bool, error) {
				got, _, err := p.ProgramAccounts(t.Context(), Confirmed, key(1), nil)
				for _, k := range got {
					if k.Key.IsZero() {
						return false, err
					}
				}
				return true, err
			},
			"getLatestBlockhash": func(p *Pool) (bool, error) {
				got, err := p.LatestBlockhash(t.Context())
				return got.LastValid > 0 && got.Hash != solana.Hash{}, err
			},
			"getEpochInfo": func(p *Pool) (bool, error) {
				got, err := p.EpochInfo(t.Context(), Confirmed)
				return got.BlockHeight <= got.AbsoluteSlot, err
			},
			"simulateTransaction": func(p *Pool) (bool, error) {
				got, err := p.Simulate(t.Context(), []byte("wire"), key(1))
				return got != nil && (got.Err != nil || len(got.Accounts) == 1), err
			},
			"getSignatureStatuses": func(p *Pool) (bool, error) {
				got, _, err := p.Statuses(t.Context(), true, signature(1))
				return len(got) == 1, err
			},
			"getBalance":      func(p *Pool) (bool, error) { _, err := p.Balance(t.Context(), Confirmed, key(1)); return true, err },
			"sendTransaction": func(p *Pool) (bool, error) { _, err := p.Send(t.Context(), []byte("wire"), false); return true, err },
			"getSlotLeaders":  func(p *Pool) (bool, error) { _, err := p.Leaders(t.Context(), 5, 3); return true, err },
			"getClusterNodes": func(p *Pool) (bool, error) { _, err := p.Nodes(t.Context()); return true, err },
			"getVersion":      func(p *Pool) (bool, error) { _, err := p.Version(t.Context()); return true, err },
		} {
			n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{status: status, body: string(body)})}}
			p, err := New(Config{Endpoints: two()[:1], Client: n.client(), Tries: 1, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := ask(p)
			if err == nil && (!whole || status != 200) {
				t.Errorf("%s takes HTTP %d %q", method, status, body)
			}
			if err != nil {
				_, answered := errors.AsType[*Error](err)
				_, away := errors.AsType[*UnreachableError](err)
				if !answered && !away || err.Error() == "" {
					t.Errorf("%s: %q is the error %v", method, body, err)
				}
				_, _, _ = Rejected(err)
			}
		}
	})
}
