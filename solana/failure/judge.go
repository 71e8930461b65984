package failure

import (
	"context"
	"errors"
	"fmt"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// Of judges an error of a request: of a node, or a node's refusal to hand a transaction on. It must not be nil.
func Of(p thread.Profile, err error) Verdict {
	if tx, logs, refused := rpc.Rejected(err); refused {
		return OfTransaction(p, tx, logs)
	}
	switch {
	case rpc.IsInvalid(err):
		return Verdict{Class: Permanent, Reason: err.Error()}
	case rpc.IsTransient(err), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Verdict{Class: Transient, Reason: err.Error()}
	case errors.Is(err, thread.ErrFormat), errors.Is(err, thread.ErrCron):
		return Verdict{Class: Permanent, Reason: err.Error()}
	default:
		return Verdict{Class: Transient, Reason: err.Error()}
	}
}

// OfTransaction judges how a transaction failed, in a simulation or on the chain. Landed
// transactions come without a log; then a program's code belongs to no known program.
func OfTransaction(p thread.Profile, e *rpc.TxError, logs []string) Verdict {
	if e.ExceededBudget(logs) {
		return Verdict{Class: Resource, Reason: "it used up its compute units: " + e.Error()}
	}
	if class, known := transactionClass(e); known {
		return Verdict{Class: class, Reason: e.Error()}
	}
	if e.Kind != rpc.InstructionError {
		return Verdict{Class: Permanent, Reason: e.Error()}
	}
	failed, told := rpc.FailedProgram(logs)
	switch {
	case !told && e.InstructionKind == rpc.Custom:
		return Verdict{Class: Unclear, Reason: e.Error() + ", and no log names its program", Code: e.Code}
	case e.InstructionKind != rpc.Custom && !told:
		return Verdict{Class: Unclear, Reason: e.Error()}
	case failed != p.Program:
		return Verdict{Class: Program, Reason: fmt.Sprintf("program %s: %v", failed, e), Code: e.Code}
	case e.InstructionKind != rpc.Custom:
		return Verdict{Class: Program, Reason: fmt.Sprintf("the thread program: %v", e)}
	}
	return Verdict{Class: ofThreadProgram(p, e.Code), Reason: fmt.Sprintf("%s (%d)", thread.Explain(e.Code), e.Code), Code: e.Code}
}

// transactionClass returns the class of an error that concerns the whole transaction.
func transactionClass(e *rpc.TxError) (Class, bool) {
	switch e.Kind {
	case rpc.BlockhashNotFound:
		return Expired, true
	case rpc.AlreadyProcessed:
		return Known, true
	case "AccountInUse", "ClusterMaintenance", "WouldExceedMaxBlockCostLimit", "WouldExceedMaxAccountCostLimit", "WouldExceedMaxVoteCostLimit",
		"WouldExceedAccountDataBlockLimit", "ResanitizationNeeded", "UnbalancedTransaction", "CallChainTooDeep", "ProgramCacheHitMaxLimit":
		return Transient, true
	case rpc.AccountNotFound, rpc.InsufficientFundsForFee:
		return Dry, true
	case rpc.InsufficientFundsForRent: // of another account than the payer it is the fiber's affair
		return Dry, e.Account == 0
	case "AddressLookupTableNotFound", "InvalidAddressLookupTableIndex", "InvalidAddressLookupTableData", "InvalidAddressLookupTableOwner":
		return Superseded, true // the fiber or its tables have changed
	default:
		return "", false
	}
}

// ofThreadProgram returns the class of a code that is the thread program's own.
func ofThreadProgram(p thread.Profile, code uint32) Class {
	switch code {
	case p.NotReady:
		return NotReady
	case thread.TriggerConditionFailed, thread.TriggerNotReady:
		return NotReady
	case thread.ThreadPaused, thread.GlobalPauseActive:
		return Paused
	case thread.WrongFiberIndex, thread.InvalidExecIndex, thread.InvalidFiberAccount, thread.InvalidFiberCursor, thread.InvalidConfigAdmin,
		thread.NonceRequired, thread.NoFibersToExecute, thread.CloseNotSignaled, thread.MissingFiberAccount, thread.MissingFiberAccounts:
		return Superseded
	case thread.AccountDiscriminatorMismatch, thread.AccountOwnedByWrongProgram, thread.AccountNotInitialized:
		return Superseded // an account was closed, or created again as another
	case thread.ThreadBusy:
		return Transient
	case thread.UnauthorizedWrite, thread.InvalidTriggerVariant:
		return Permanent
	default:
		return Program
	}
}
