package rpc

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gagliardetto/solana-go"
)

// TxError is how a transaction failed, in the structure that nodes return.
type TxError struct {
	// Kind is the transaction's error, as the chain calls it: BlockhashNotFound, AccountInUse, InstructionError …
	Kind string
	// Of an InstructionError: which instruction, from 0, and what was wrong with it: ComputationalBudgetExceeded, Custom …
	Instruction     int
	InstructionKind string
	// Code is the program's own number, where InstructionKind is Custom.
	Code uint32
	// Account is which of the transaction's accounts is meant, from 0, the payer, where Kind is InsufficientFundsForRent.
	Account uint8
}

// The kinds that decide what is done next.
const (
	InstructionError        = "InstructionError"
	Custom                  = "Custom"
	BlockhashNotFound       = "BlockhashNotFound"
	AlreadyProcessed        = "AlreadyProcessed"
	AccountNotFound         = "AccountNotFound"         // the payer does not exist
	InsufficientFundsForFee = "InsufficientFundsForFee" // the payer cannot pay
	// InsufficientFundsForRent: it would leave an account fewer lamports than one must have to exist.
	InsufficientFundsForRent = "InsufficientFundsForRent"
)

// Error is the failure in words of the chain.
func (e *TxError) Error() string {
	switch {
	case e.Kind == InsufficientFundsForRent:
		return fmt.Sprintf("%s of account %d", e.Kind, e.Account)
	case e.Kind != InstructionError:
		return e.Kind
	case e.InstructionKind == Custom:
		return fmt.Sprintf("instruction %d failed with code %d", e.Instruction, e.Code)
	default:
		return fmt.Sprintf("instruction %d failed: %s", e.Instruction, e.InstructionKind)
	}
}

// UnmarshalJSON reads the chain's forms: a word, or an object whose only key is the word. What comes with a word that has
// no meaning here is left out.
func (e *TxError) UnmarshalJSON(data []byte) error {
	*e = TxError{}
	kind, rest, err := errorWord(data)
	if err != nil {
		return err
	}
	e.Kind = kind
	switch kind {
	case InstructionError:
		return e.instruction(rest)
	case InsufficientFundsForRent:
		var about struct {
			Account *uint8 `json:"account_index"`
		}
		if err := json.Unmarshal(rest, &about); err != nil || about.Account == nil {
			return fmt.Errorf("what has too few lamports is an account with an index, not %s", clipText(rest))
		}
		e.Account = *about.Account
	}
	return nil
}

// instruction reads what was wrong with an instruction.
func (e *TxError) instruction(rest json.RawMessage) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(rest, &parts); err != nil || len(parts) != 2 {
		return fmt.Errorf("an instruction's error has an index and a kind, not %s", clipText(rest))
	}
	if err := json.Unmarshal(parts[0], &e.Instruction); err != nil {
		return fmt.Errorf("the index of an instruction is a number, not %s", clipText(parts[0]))
	}
	kind, rest, err := errorWord(parts[1])
	if err != nil {
		return err
	}
	e.InstructionKind = kind
	if e.InstructionKind == Custom {
		if err := json.Unmarshal(rest, &e.Code); err != nil {
			return fmt.Errorf("a program's code is a number, not %s", clipText(rest))
		}
	}
	return nil
}

// MarshalJSON writes the chain's form.
func (e *TxError) MarshalJSON() ([]byte, error) {
	switch {
	case e.Kind == InsufficientFundsForRent:
		return json.Marshal(map[string]any{InsufficientFundsForRent: map[string]any{"account_index": e.Account}})
	case e.Kind != InstructionError:
		return json.Marshal(e.Kind)
	case e.InstructionKind == Custom:
		return json.Marshal(map[string]any{InstructionError: []any{e.Instruction, map[string]any{Custom: e.Code}}})
	default:
		return json.Marshal(map[string]any{InstructionError: []any{e.Instruction, e.InstructionKind}})
	}
}

// errorWord takes the word of an error, and what comes with it.
func errorWord(data []byte) (kind string, rest json.RawMessage, err error) {
	if json.Unmarshal(data, &kind) == nil {
		return kind, nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil || len(object) != 1 {
		return "", nil, fmt.Errorf("the error of a transaction is a word or an object of one, not %s", clipText(data))
	}
	for kind, rest = range object {
	}
	return kind, rest, nil
}

func clipText(data []byte) string {
	const longest = 200
	if len(data) > longest {
		return string(data[:longest]) + "…"
	}
	return string(data)
}

// FailedProgram returns the program that failed innermost, by the runtime's own lines in a
// transaction's log. Programs that call each other pass errors on unchanged: the number
// alone does not identify its program. Lines that programs write cannot be mistaken for the
// runtime's.
func FailedProgram(logs []string) (solana.PublicKey, bool) {
	for _, line := range logs {
		rest, found := strings.CutPrefix(line, "Program ")
		if !found {
			continue
		}
		id, end, found := strings.Cut(rest, " ")
		if !found || !strings.HasPrefix(end, "failed") {
			continue
		}
		if key, err := solana.PublicKeyFromBase58(id); err == nil {
			return key, true
		}
	}
	return solana.PublicKey{}, false
}

// ExceededBudget reports whether a transaction ended because it used up its compute units:
// the runtime reports this in two ways.
func (e *TxError) ExceededBudget(logs []string) bool {
	switch {
	case e.Kind != InstructionError:
		return e.Kind == "MaxLoadedAccountsDataSizeExceeded"
	case e.InstructionKind == "ComputationalBudgetExceeded":
		return true
	case e.InstructionKind != "ProgramFailedToComplete":
		return false
	}
	for _, line := range logs {
		if strings.HasPrefix(line, "Program ") && !strings.HasPrefix(line, "Program log:") && !strings.HasPrefix(line, "Program data:") &&
			strings.Contains(line, "exceeded CUs meter") {
			return true
		}
	}
	return false
}
