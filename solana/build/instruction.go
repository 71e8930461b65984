package build

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/thread"
)

// Execution is one call of the thread program.
type Execution struct {
	Executor thread.Key
	Thread   thread.Key
	State    *thread.Thread
	Config   *thread.Config
	// Index is the fiber that is executed, and Fiber what it holds. Of a thread that closes there is none.
	Index uint8
	Fiber *thread.Fiber
	// Forgo leaves the executor's commission to the thread.
	Forgo bool
}

// Instruction returns the call. It fails when there is nothing to execute.
func (x *Execution) Instruction(p thread.Profile) (solana.Instruction, error) {
	switch {
	case p.IsSeed():
		return x.seedInstruction(p)
	case x.State.Signal.Kind == thread.Close:
		return x.closing(p)
	default:
		return x.newest(p)
	}
}

func (x *Execution) newest(p thread.Profile) (solana.Instruction, error) {
	fiber, err := p.FiberAddress(x.Thread, x.Index)
	if err != nil {
		return nil, err
	}
	metas, err := x.headAccounts(p, fiber)
	if err != nil {
		return nil, err
	}
	if x.State.Trigger.Kind == thread.OnAccount { // the program looks for it in the first place behind its own
		metas = append(metas, solana.Meta(x.State.Trigger.Address))
	}
	if metas, err = x.fiberAccounts(metas); err != nil {
		return nil, err
	}
	return solana.NewInstruction(p.Program, metas, x.instructionData(x.Index)), nil
}

// headAccounts are the accounts of the program itself.
func (x *Execution) headAccounts(p thread.Profile, fiber thread.Key) (solana.AccountMetaSlice, error) {
	config, err := p.ConfigAddress()
	if err != nil {
		return nil, err
	}
	nonce, hashes := x.nonce(p)
	return solana.AccountMetaSlice{
		solana.Meta(x.Executor).WRITE().SIGNER(), solana.Meta(x.Thread).WRITE(), solana.Meta(fiber), solana.Meta(config),
		solana.Meta(x.Config.Admin).WRITE(), nonce, hashes, solana.Meta(solana.SystemProgramID),
	}, nil
}

// nonce are the accounts by which the program moves the thread's nonce on; its own id stands for none.
func (x *Execution) nonce(p thread.Profile) (nonce, hashes *solana.AccountMeta) {
	if x.State.Nonce == (thread.Key{}) {
		return solana.Meta(p.Program), solana.Meta(p.Program)
	}
	return solana.Meta(x.State.Nonce).WRITE(), solana.Meta(solana.SysVarRecentBlockHashesPubkey)
}

// fiberAccounts are the accounts of what the fiber executes: the whole table. Only the executor
// signs; the thread does inside.
func (x *Execution) fiberAccounts(metas solana.AccountMetaSlice) (solana.AccountMetaSlice, error) {
	if x.Fiber == nil || x.Fiber.Compiled == nil {
		return nil, errors.New("the fiber holds nothing to execute")
	}
	if x.Fiber.Thread != x.Thread {
		return nil, fmt.Errorf("the fiber belongs to the thread %s", x.Fiber.Thread)
	}
	for place, key := range x.Fiber.Compiled.Accounts {
		if key == thread.Payer() {
			key = x.Executor
		}
		metas = append(metas, solana.NewAccountMeta(key, x.Fiber.Compiled.IsWritten(place), false))
	}
	return metas, nil
}

// closing ends the thread: its fibers and itself are closed, and what they hold goes to the authority.
func (x *Execution) closing(p thread.Profile) (solana.Instruction, error) {
	fibers := make([]thread.Key, len(x.State.Fibers))
	for i, index := range x.State.Fibers {
		var err error
		if fibers[i], err = p.FiberAddress(x.Thread, index); err != nil {
			return nil, err
		}
	}
	first, err := p.FiberAddress(x.Thread, 0)
	if err != nil {
		return nil, err
	}
	if len(fibers) > 0 {
		first = fibers[0]
	}
	metas, err := x.headAccounts(p, first)
	if err != nil {
		return nil, err
	}
	for _, fiber := range fibers {
		metas = append(metas, solana.Meta(fiber).WRITE())
	}
	metas = append(metas, solana.Meta(x.Thread).WRITE(), solana.Meta(x.State.Authority).WRITE(), solana.Meta(p.Program), solana.Meta(p.Fibers))
	return solana.NewInstruction(p.Program, metas, x.instructionData(0)), nil
}

func (x *Execution) seedInstruction(p thread.Profile) (solana.Instruction, error) {
	fiber, err := p.FiberAddress(x.Thread, x.Index)
	if err != nil {
		return nil, err
	}
	config, err := p.ConfigAddress()
	if err != nil {
		return nil, err
	}
	nonce, hashes := x.nonce(p)
	metas, err := x.fiberAccounts(solana.AccountMetaSlice{
		solana.Meta(x.Executor).WRITE().SIGNER(), solana.Meta(x.Executor).WRITE().SIGNER(), solana.Meta(x.Thread).WRITE(), solana.Meta(fiber).WRITE(),
		solana.Meta(config), solana.Meta(x.State.Authority).WRITE(), solana.Meta(x.Config.Admin).WRITE(), nonce, hashes, solana.Meta(solana.SystemProgramID),
	})
	if err != nil {
		return nil, err
	}
	d := thread.InstructionDiscriminator(executeName)
	return solana.NewInstruction(p.Program, metas, append(d[:], boolByte(x.Forgo))), nil
}

// executeName is the instruction, as the program calls it.
const executeName = "exec_thread"

func (x *Execution) instructionData(cursor uint8) []byte {
	d := thread.InstructionDiscriminator(executeName)
	return append(d[:], boolByte(x.Forgo), cursor)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Tags of the compute budget's instructions.
const (
	limitTag = 2
	priceTag = 3
)

// budget returns the instructions that set how many compute units a transaction may use and
// what it pays for one, in micro lamports; a price of zero sets none.
func budget(units uint32, price uint64) (instructions []solana.Instruction) {
	instructions = append(instructions, solana.NewInstruction(solana.ComputeBudget, nil, binary.LittleEndian.AppendUint32([]byte{limitTag}, units)))
	if price > 0 {
		instructions = append(instructions, solana.NewInstruction(solana.ComputeBudget, nil, binary.LittleEndian.AppendUint64([]byte{priceTag}, price)))
	}
	return instructions
}
