'use strict';
// The Solana virtual machine itself: Agave's, in the package litesvm. What it holds is the newest state; chain.js keeps the rest.

const base58 = require('./base58');
const { transactionError } = require('./errors');

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const SYSTEM = Buffer.alloc(32);

class Runtime {
  constructor() {
    const { LiteSvm, Account, Clock } = require('litesvm-linux-x64-gnu');
    Object.assign(this, { Account, Clock });
    this.svm = new LiteSvm();
    this.svm.setSysvars();
    this.svm.setBuiltins();
    this.svm.setDefaultPrograms();
    this.svm.setPrecompiles();
    this.svm.setSigverify(true);
    this.svm.setBlockhashCheck(false); // it knows the newest hash alone: chain.js checks
    this.svm.setTransactionHistory(0n); // and so it is with what has been processed
  }

  setClock(slot, epoch, unix) {
    this.svm.setClock(new this.Clock(slot, unix, epoch, epoch + 1n, unix));
  }

  /** nextHash ends a block's hash, and returns the next one's. */
  nextHash() {
    this.svm.expireBlockhash();
    return this.svm.latestBlockhash();
  }

  /** account is {lamports, data, owner, executable}, or null when nobody has it. */
  account(key) {
    return plain(this.svm.getAccount(base58.decode(key)));
  }

  setAccount(key, account) {
    const { lamports, data, owner, executable } = account ?? { lamports: 0n, data: Buffer.alloc(0), owner: SYSTEM, executable: false };
    this.svm.setAccount(base58.decode(key), new this.Account(lamports, data, owner, executable, 0n));
  }

  addProgram(key, elf) { this.svm.addProgram(base58.decode(key), elf); }

  /** owned returns the keys of a program's accounts. */
  owned(program) {
    return this.svm.getProgramAccounts(base58.decode(program)).map((found) => base58.encode(found.address));
  }

  rentFree(size) { return this.svm.minimumBalanceForRentExemption(size); }

  /** execute commits a transaction: {err, logs, units, returned}. */
  execute(tx) {
    const done = tx.versioned ? this.svm.sendVersionedTransaction(tx.bytes) : this.svm.sendLegacyTransaction(tx.bytes);
    return outcome(done);
  }

  /** simulate is execute without consequences; it has the accounts afterwards too, by key. */
  simulate(tx, verify) {
    this.svm.setSigverify(verify);
    try {
      const done = tx.versioned ? this.svm.simulateVersionedTransaction(tx.bytes) : this.svm.simulateLegacyTransaction(tx.bytes);
      const after = new Map(isFailed(done) ? [] : done.postAccounts().map((a) => [base58.encode(a.address), plain(a.account())]));
      return { ...outcome(done), after };
    } finally {
      this.svm.setSigverify(true);
    }
  }
}

const isFailed = (done) => done.constructor.name === 'FailedTransactionMetadata';

function outcome(done) {
  const meta = isFailed(done) || 'meta' in done ? done.meta() : done;
  const returned = meta.returnData();
  const data = Buffer.from(returned.data());
  return {
    err: isFailed(done) ? transactionError(done) : null,
    logs: meta.logs(),
    units: Number(meta.computeUnitsConsumed()),
    returned: data.length === 0 ? null : { programId: base58.encode(returned.programId()), data: [data.toString('base64'), 'base64'] },
  };
}

function plain(account) {
  if (!account) return null;
  const data = Buffer.from(account.data());
  const lamports = account.lamports();
  if (lamports === 0n && data.length === 0) return null; // as good as none
  return { lamports, data, owner: Buffer.from(account.owner()), executable: account.executable() };
}

module.exports = { Runtime, CLOCK, SYSTEM };
