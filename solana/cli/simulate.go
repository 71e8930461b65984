package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/control"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// longestSimulation bounds what nodes may take for it.
const longestSimulation = time.Minute

// simulation is what would be executed of a thread, or why nothing would.
type simulation struct {
	Thread control.Thread `json:"thread"`
	// Class and Reason describe what blocks the execution.
	Class  string `json:"class,omitempty"`
	Reason string `json:"reason,omitempty"`

	Fibers       int           `json:"fibers,omitempty"`
	Instructions []instruction `json:"instructions,omitempty"`
	Bytes        int           `json:"bytes,omitempty"`
	Units        uint32        `json:"units,omitempty"`
	Price        uint64        `json:"price,omitempty"` // micro lamports per unit
	Late         int64         `json:"late_seconds,omitempty"`
	Fee          uint64        `json:"fee,omitempty"` // lamports, as the others
	Before       uint64        `json:"before,omitempty"`
	After        uint64        `json:"after,omitempty"`
	Net          int64         `json:"net,omitempty"`
	Slot         uint64        `json:"slot,omitempty"`
}

// instruction is one of a transaction.
type instruction struct {
	Program  string   `json:"program"`
	Accounts []string `json:"accounts,omitempty"` // with w for those that are written, s for signers
	Bytes    int      `json:"bytes"`              // of its data
}

func (t *tool) simulateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "simulate THREAD", Short: "Show what would be executed of a thread now, and what it would bring", Args: cobra.ExactArgs(1),
		Long: "Show what would be executed of a thread now: its instructions, accounts, compute units, fee, and what the executor would have\n" +
			"before and after; or why nothing would be executed, with the exit code 1. The chain is asked, and nothing is sent.",
		Example: "  orth-solana simulate 8JCimNTViHvAwkvEBsUtChZdEpm1XRdnraJCdbLKFR4z --config node.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := solana.PublicKeyFromBase58(args[0])
			if err != nil {
				return usagef("THREAD: %q is no address", args[0])
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), longestSimulation)
			defer cancel()
			found, err := t.simulate(ctx, key)
			if err != nil {
				return err
			}
			err = t.printResult(found, func(p *output.Printer) error { return p.Sheet(t.simulationSheet(found)) })
			if err == nil && found.Reason != "" {
				return errShown
			}
			return err
		},
	}
}

// simulate builds an execution, as a node does.
func (t *tool) simulate(ctx context.Context, key thread.Key) (*simulation, error) {
	s, err := t.settings()
	if err != nil {
		return nil, err
	}
	signer, err := loadKeypair(s.sourceOf("keypair"), s.Keypair)
	if err != nil {
		return nil, settingsError{err}
	}
	profile, err := thread.ProfileOf(s.Profile)
	if err != nil {
		return nil, err
	}
	nodes, err := openNodes(s, rpc.Hooks{})
	if err != nil {
		return nil, settingsError{err}
	}
	accounts, slot, err := nodes.Accounts(ctx, rpc.Confirmed, key)
	if err != nil {
		return nil, chainError("ask for the thread", err)
	}
	if accounts[0] == nil {
		return nil, job.Errorf(job.NotFound, "there is no thread at %s", key)
	}
	if accounts[0].Owner != profile.Program {
		return nil, &job.Error{
			Kind: job.NotFound, Message: fmt.Sprintf("%s is no thread: it belongs to %s, and threads of the profile %s to %s", key, accounts[0].Owner, profile.Name, profile.Program),
			Hint: "choose the profile that the thread was made with",
		}
	}
	state, err := profile.DecodeThread(accounts[0].Data)
	if err != nil {
		return nil, job.Errorf(job.NotFound, "%s is no thread: %v", key, err)
	}
	found := &simulation{Thread: control.ThreadOf(profile, key, state, slot)}
	builder := build.New(build.Config{Profile: profile, Signer: signer, Chain: nodes, Forgo: s.Forgo, Floor: s.Floor, MostLoss: s.MostLoss, Batch: s.Batch})
	built, err := builder.Build(ctx, key, build.Hint{})
	if refused, ok := errors.AsType[*build.Error](err); ok {
		found.Class, found.Reason = string(refused.Class), refused.Reason
		return found, nil
	}
	if err != nil {
		return nil, chainError("build the execution", err)
	}
	e := built.Expect
	found.Fibers, found.Units, found.Price, found.Late, found.Slot = built.Fibers, built.Units, built.Price, e.Late, built.Slot
	found.Fee, found.Before, found.After, found.Net, found.Bytes = e.Fee, e.Before, e.After, e.Net(), len(built.Transaction.Wire)
	found.Instructions, err = instructionsOf(built.Transaction.Wire)
	return found, err
}

// instructionsOf reads the instructions of a transaction. With lookup tables it returns
// only the accounts that the transaction itself holds.
func instructionsOf(wire []byte) (all []instruction, err error) {
	tx, err := solana.TransactionFromBytes(wire)
	if err != nil {
		return nil, fmt.Errorf("read the transaction: %w", err)
	}
	keys := tx.Message.AccountKeys
	name := func(index uint16) string {
		if int(index) >= len(keys) {
			return fmt.Sprintf("table %d", int(index)-len(keys))
		}
		text := keys[index].String()
		if signed := int(index) < int(tx.Message.Header.NumRequiredSignatures); signed {
			text += " s"
		}
		if written, err := tx.Message.IsWritable(keys[index]); err == nil && written {
			text += " w"
		}
		return text
	}
	for _, i := range tx.Message.Instructions {
		one := instruction{Program: strings.Fields(name(i.ProgramIDIndex))[0], Bytes: len(i.Data)}
		for _, account := range i.Accounts {
			one.Accounts = append(one.Accounts, name(account))
		}
		all = append(all, one)
	}
	return all, nil
}

// simulationSheet is a simulation as people read it.
func (t *tool) simulationSheet(s *simulation) [][2]string {
	pairs := [][2]string{
		{"Thread", s.Thread.Key},
		{"Name", s.Thread.ID},
		{"Trigger", s.Thread.Trigger},
		{"Next", s.Thread.Next},
		{"Executed", strconv.FormatUint(s.Thread.Exec, 10) + " times"},
		{"Last executor", s.Thread.LastExecutor},
	}
	if s.Reason != "" {
		return append(pairs, [2]string{"Result", "it would not be executed now"}, [2]string{"Class", s.Class}, [2]string{"Reason", s.Reason})
	}
	pairs = append(
		pairs, [2]string{"Result", "it would be executed now"}, [2]string{"Fibers", strconv.Itoa(s.Fibers)},
		[2]string{"Transaction", fmt.Sprintf("%d of %d bytes", s.Bytes, build.LargestTransaction)},
		[2]string{"Compute", fmt.Sprintf("%d units at %d micro lamports", s.Units, s.Price)},
		[2]string{"Late", fmt.Sprintf("%d s", s.Late)}, [2]string{"Fee", lamports(s.Fee)}, [2]string{"Before", lamports(s.Before)}, [2]string{"After", lamports(s.After)},
		[2]string{"Net", signed(s.Net)},
	)
	for i, one := range s.Instructions {
		pairs = append(pairs, [2]string{fmt.Sprintf("Instruction %d", i+1), fmt.Sprintf("%s, %d bytes\n%s", one.Program, one.Bytes, strings.Join(one.Accounts, "\n"))})
	}
	return pairs
}
