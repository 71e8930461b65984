package rpc

import (
	"encoding/json"
	"testing"

	"github.com/gagliardetto/solana-go"
)

func TestTxError(t *testing.T) {
	for _, c := range []struct {
		form string
		want TxError
		text string
	}{
		{`"BlockhashNotFound"`, TxError{Kind: BlockhashNotFound}, "BlockhashNotFound"},
		{`{"InstructionError":[3,{"Custom":6004}]}`, TxError{Kind: InstructionError, Instruction: 3, InstructionKind: Custom, Code: 6004}, "instruction 3 failed with code 6004"},
		{`{"InstructionError":[0,"ComputationalBudgetExceeded"]}`, TxError{Kind: InstructionError, InstructionKind: "ComputationalBudgetExceeded"}, "instruction 0 failed: ComputationalBudgetExceeded"},
		{`{"InsufficientFundsForRent":{"account_index":2}}`, TxError{Kind: InsufficientFundsForRent, Account: 2}, "InsufficientFundsForRent of account 2"},
	} {
		var got TxError
		if err := json.Unmarshal([]byte(c.form), &got); err != nil || got != c.want || got.Error() != c.text {
			t.Errorf("%s: %+v, %v, %s", c.form, got, err, got.Error())
		}
		if form, err := json.Marshal(&got); err != nil || string(form) != c.form {
			t.Errorf("%s is written as %s, %v", c.form, form, err)
		}
	}
	for form, want := range map[string]TxError{
		`{"DuplicateInstruction":1}`:                          {Kind: "DuplicateInstruction"},
		`{"InstructionError":[1,{"BorshIoError":"Unknown"}]}`: {Kind: InstructionError, Instruction: 1, InstructionKind: "BorshIoError"},
	} {
		var got TxError
		if err := json.Unmarshal([]byte(form), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", form, got, err)
		}
	}
	for _, form := range []string{
		`7`, `{}`, `{"a":1,"b":2}`, `{"InstructionError":[1]}`, `{"InstructionError":["x","y"]}`, `{"InstructionError":[1,{"Custom":-1}]}`, `{"InstructionError":[1,2]}`,
		`"InsufficientFundsForRent"`, `{"InsufficientFundsForRent":{}}`, `{"InsufficientFundsForRent":{"account_index":256}}`,
	} {
		var got TxError
		if err := json.Unmarshal([]byte(form), &got); err == nil {
			t.Errorf("%s: %+v", form, got)
		}
	}
}

func TestFailedProgram(t *testing.T) {
	inner, outer := key(1).String(), key(2).String()
	for _, c := range []struct {
		name string
		logs []string
		want solana.PublicKey
		ok   bool
	}{
		{"inner", []string{"Program " + outer + " invoke [1]", "Program " + inner + " invoke [2]", "Program " + inner + " failed: custom program error: 0x1774", "Program " + outer + " failed: custom program error: 0x1774"}, key(1), true},
		{"a program's own line", []string{"Program log: Program " + inner + " failed: no", "Program data: Program " + inner + " failed: no", "Program " + outer + " failed: no"}, key(2), true},
		{"to complete", []string{"Program " + inner + " failed to complete: exceeded CUs meter at BPF instruction"}, key(1), true},
		{"none", []string{"Program " + outer + " invoke [1]", "Log truncated"}, solana.PublicKey{}, false},
		{"no key", []string{"Program x failed: no"}, solana.PublicKey{}, false},
	} {
		if got, ok := FailedProgram(c.logs); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v, want %v", c.name, got, ok, c.want)
		}
	}
}

func TestExceededBudget(t *testing.T) {
	line := "Program " + key(1).String() + " failed: exceeded CUs meter at BPF instruction"
	for _, c := range []struct {
		name string
		err  TxError
		logs []string
		want bool
	}{
		{"in a call", TxError{Kind: InstructionError, InstructionKind: "ComputationalBudgetExceeded"}, nil, true},
		{"between calls", TxError{Kind: InstructionError, InstructionKind: "ProgramFailedToComplete"}, []string{line}, true},
		{"a crash", TxError{Kind: InstructionError, InstructionKind: "ProgramFailedToComplete"}, []string{"Program x failed: Access violation"}, false},
		{"a crash that says so", TxError{Kind: InstructionError, InstructionKind: "ProgramFailedToComplete"}, []string{"Program log: exceeded CUs meter"}, false},
		{"another", TxError{Kind: InstructionError, InstructionKind: Custom, Code: 6004}, []string{line}, false},
		{"accounts too large", TxError{Kind: "MaxLoadedAccountsDataSizeExceeded"}, nil, true},
		{"a hash", TxError{Kind: BlockhashNotFound}, nil, false},
	} {
		if got := c.err.ExceededBudget(c.logs); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func FuzzTxError(f *testing.F) {
	f.Add([]byte(`{"InstructionError":[3,{"Custom":6004}]}`))
	f.Add([]byte(`"AccountInUse"`))
	f.Fuzz(func(t *testing.T, form []byte) {
		var e TxError
		if json.Unmarshal(form, &e) != nil {
			return
		}
		written, err := json.Marshal(&e)
		if err != nil {
			t.Fatal(err)
		}
		var again TxError
		if err := json.Unmarshal(written, &again); err != nil || again != e {
			t.Fatalf("%s is written as %s, and read as %+v, %v", form, written, again, err)
		}
	})
}
