package thread

import "fmt"

// Codes with which the thread program refuses; both versions number them alike. They
// identify the refusal only together with the program that failed: every program made with
// the same framework counts from 6000.
const (
	InvalidThreadState     uint32 = 6001
	InvalidTriggerVariant  uint32 = 6002
	TriggerConditionFailed uint32 = 6004 // it is not due yet
	ThreadBusy             uint32 = 6005
	ThreadPaused           uint32 = 6006
	UnauthorizedWrite      uint32 = 6009
	InsufficientFunds      uint32 = 6012 // the thread cannot pay
	WrongFiberIndex        uint32 = 6024
	TriggerNotReady        uint32 = 6026 // it is not due yet, of the seed era
	NonceRequired          uint32 = 6027
	InvalidConfigAdmin     uint32 = 6029
	GlobalPauseActive      uint32 = 6030
	MissingFiberAccount    uint32 = 6033
	NoFibersToExecute      uint32 = 6036
	InvalidExecIndex       uint32 = 6037
	InvalidFiberCursor     uint32 = 6039
	InvalidFiberAccount    uint32 = 6040
	MissingFiberAccounts   uint32 = 6041
	CloseNotSignaled       uint32 = 6042
)

// Codes of the framework that the program is made with, about the accounts that it was given.
const (
	SeedsMismatch                uint32 = 2006
	AccountDiscriminatorMismatch uint32 = 3002
	AccountOwnedByWrongProgram   uint32 = 3007
	AccountNotInitialized        uint32 = 3012
)

// Explain describes a code of the thread program for an operator.
func Explain(code uint32) string {
	if text, known := codeTexts()[code]; known {
		return text
	}
	return fmt.Sprintf("the thread program refused with code %d", code)
}

func codeTexts() map[uint32]string {
	return map[uint32]string{
		SeedsMismatch:                "an address was not made of the seeds that belong to it",
		AccountDiscriminatorMismatch: "an account is of another type than the instruction wants",
		AccountOwnedByWrongProgram:   "an account belongs to another program",
		AccountNotInitialized:        "an account that is needed does not exist",
		6000:                         "the fiber's answer cannot be understood",
		InvalidThreadState:           "the thread has no fibers, or is in a state that allows no execution",
		InvalidTriggerVariant:        "trigger and schedule of the thread do not belong together",
		6003:                         "the nonce account is not one of this thread's",
		TriggerConditionFailed:       "the trigger has not come yet",
		ThreadBusy:                   "the thread is busy",
		ThreadPaused:                 "the thread is paused",
		6007:                         "the thread has been executed too often in this slot",
		6008:                         "the thread's rate limit is out of bounds",
		UnauthorizedWrite:            "the fiber changed the executor's account",
		6010:                         "the withdrawal is larger than what the thread has",
		6011:                         "the thread's id is too long",
		InsufficientFunds:            "the thread has not enough lamports to pay for its execution",
		6013:                         "a number is too large",
		6014:                         "the thread has no nonce account",
		6017:                         "the authority is not the thread's",
		6020:                         "the instruction is not valid",
		WrongFiberIndex:              "another fiber is next",
		TriggerNotReady:              "the trigger has not come yet",
		NonceRequired:                "the thread has a nonce, and its accounts were not given",
		InvalidConfigAdmin:           "the administrator is not the config's",
		GlobalPauseActive:            "the program is paused as a whole",
		6032:                         "the shares of the fee do not make up the whole",
		MissingFiberAccount:          "the fiber's account is missing",
		6034:                         "the fiber's index is not valid",
		6035:                         "the thread still has fibers",
		NoFibersToExecute:            "the thread has no fibers to execute",
		InvalidExecIndex:             "the thread has no such fiber",
		6038:                         "the fiber's account is needed",
		InvalidFiberCursor:           "the cursor names no fiber of the thread",
		InvalidFiberAccount:          "the fiber belongs to another thread",
		MissingFiberAccounts:         "accounts of fibers are missing",
		CloseNotSignaled:             "the thread was not signaled to close",
	}
}
