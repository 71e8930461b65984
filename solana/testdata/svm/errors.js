'use strict';
// Errors of transactions: the runtime gives numbers, and JSON-RPC says names.

const TRANSACTION = [
  'AccountInUse', 'AccountLoadedTwice', 'AccountNotFound', 'ProgramAccountNotFound', 'InsufficientFundsForFee', 'InvalidAccountForFee',
  'AlreadyProcessed', 'BlockhashNotFound', 'CallChainTooDeep', 'MissingSignatureForFee', 'InvalidAccountIndex', 'SignatureFailure',
  'InvalidProgramForExecution', 'SanitizeFailure', 'ClusterMaintenance', 'AccountBorrowOutstanding', 'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion', 'InvalidWritableAccount', 'WouldExceedMaxAccountCostLimit', 'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks', 'AddressLookupTableNotFound', 'InvalidAddressLookupTableOwner', 'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex', 'InvalidRentPayingAccount', 'WouldExceedMaxVoteCostLimit', 'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded', 'ResanitizationNeeded', 'InvalidLoadedAccountsDataSizeLimit', 'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit', 'CommitCancelled',
];

const INSTRUCTION = [
  'GenericError', 'InvalidArgument', 'InvalidInstructionData', 'InvalidAccountData', 'AccountDataTooSmall', 'InsufficientFunds',
  'IncorrectProgramId', 'MissingRequiredSignature', 'AccountAlreadyInitialized', 'UninitializedAccount', 'UnbalancedInstruction',
  'ModifiedProgramId', 'ExternalAccountLamportSpend', 'ExternalAccountDataModified', 'ReadonlyLamportChange', 'ReadonlyDataModified',
  'DuplicateAccountIndex', 'ExecutableModified', 'RentEpochModified', 'NotEnoughAccountKeys', 'AccountDataSizeChanged',
  'AccountNotExecutable', 'AccountBorrowFailed', 'AccountBorrowOutstanding', 'DuplicateAccountOutOfSync', 'InvalidError',
  'ExecutableDataModified', 'ExecutableLamportChange', 'ExecutableAccountNotRentExempt', 'UnsupportedProgramId', 'CallDepth',
  'MissingAccount', 'ReentrancyNotAllowed', 'MaxSeedLengthExceeded', 'InvalidSeeds', 'InvalidRealloc', 'ComputationalBudgetExceeded',
  'PrivilegeEscalation', 'ProgramEnvironmentSetupFailure', 'ProgramFailedToComplete', 'ProgramFailedToCompile', 'Immutable',
  'IncorrectAuthority', 'AccountNotRentExempt', 'InvalidAccountOwner', 'ArithmeticOverflow', 'UnsupportedSysvar', 'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded', 'MaxAccountsExceeded', 'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits', 'BorshIoError',
];

/** RpcError is what a method answers instead of a result. */
class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** invalid is the answer to parameters that cannot be meant. */
const invalid = (message) => new RpcError(-32602, `Invalid params: ${message}`);

/** transactionError says in JSON-RPC's words why the runtime refused or failed a transaction. */
function transactionError(failed) {
  const e = failed.err();
  if (typeof e === 'number') return TRANSACTION[e] ?? `TransactionError${e}`;
  switch (e.constructor.name) {
    case 'TransactionErrorInstructionError':
      return { InstructionError: [e.index, instructionError(e.err())] };
    case 'TransactionErrorInsufficientFundsForRent':
      return { InsufficientFundsForRent: { account_index: e.accountIndex } };
    case 'TransactionErrorDuplicateInstruction':
      return { DuplicateInstruction: e.index };
    case 'TransactionErrorProgramExecutionTemporarilyRestricted':
      return { ProgramExecutionTemporarilyRestricted: { account_index: e.accountIndex } };
    default:
      throw new Error(`the runtime gave an error of the unknown type ${e.constructor.name}`);
  }
}

function instructionError(e) {
  if (typeof e === 'number') return INSTRUCTION[e] ?? `InstructionError${e}`;
  return 'code' in e ? { Custom: e.code } : { BorshIoError: e.msg };
}

/** describe is what a node writes about a failed simulation. */
function describe(err) {
  const [at, inner] = err?.InstructionError ?? [];
  if (inner === undefined) return typeof err === 'string' ? err : JSON.stringify(err);
  const what = inner.Custom === undefined ? String(inner) : `custom program error: 0x${inner.Custom.toString(16)}`;
  return `Error processing Instruction ${at}: ${what}`;
}

module.exports = { TRANSACTION, INSTRUCTION, RpcError, invalid, transactionError, describe };
