'use strict';
// The chain around the runtime: slots and blocks, which hashes are recent, what lands and what is lost, what is confirmed,
// and what was so some slots ago. Nothing here looks at a clock of this machine: a test says when a slot has passed.

const crypto = require('node:crypto');
const base58 = require('./base58');
const { Runtime, CLOCK, SYSTEM } = require('./runtime');
const transactions = require('./transaction');

const RECENT = 150; // blocks for which a hash is valid
const KEPT = 400; // blocks that are remembered
const MOST_STATUSES = 200_000;
const MOST_PENDING = 10_000;
const MOST_LOGGED = 20_000;
const FIRST_SLOT = 1_000n;
const FIRST_MS = 1_700_000_000_000n;

// How many blocks stand on one of a commitment.
const DEPTH = { processed: 0, confirmed: 1, finalized: 32 };

// What costs the fee although nothing could be executed. Of other errors that are no program's, leaders drop the transaction.
const FEE_ONLY = new Set(['ProgramAccountNotFound', 'InvalidProgramForExecution', 'MaxLoadedAccountsDataSizeExceeded']);

class Chain {
  constructor() {
    this.runtime = new Runtime();
    this.config = { landDelay: 1, dropNext: 0, loss: 0, seed: 1, slotMs: 400, slotsPerEpoch: 432_000, priorityFee: 0, leaders: [], muteSlots: false };
    this.blocks = [];
    this.hashes = new Map(); // hash → block
    this.journal = new Map(); // key → [{slot, before}]: what an account was before a slot changed it
    this.statuses = new Map(); // signature → {slot, height, err}
    this.pending = []; // {tx, at} or {airdrop, at}
    this.airdrops = 0;
    this.reached = {}; // commitment → the newest slot that has got there
    this.log = [];
    this.slot = FIRST_SLOT - 1n - BigInt(DEPTH.finalized);
    this.time = FIRST_MS - BigInt((DEPTH.finalized + 1) * this.config.slotMs);
    this.watchers = { block() {}, slot() {}, account() {} };
    for (let i = 0; i <= DEPTH.finalized; i++) this.openBlock(); // so that there is one of each commitment
  }

  get tip() { return this.blocks.at(-1); }

  get epoch() { return this.slot / BigInt(this.config.slotsPerEpoch); }

  /** at is the newest block of a commitment. */
  at(commitment) { return this.blocks.at(-1 - DEPTH[commitment]); }

  setClock() { this.runtime.setClock(this.slot, this.epoch, this.time / 1000n); }

  setTime(unix) {
    this.time = unix * 1000n;
    this.setClock();
    this.watchers.account(CLOCK);
  }

  /** tick makes a block: the clock moves on, what is due lands, and what is deep enough is confirmed. */
  tick() {
    const block = this.openBlock();
    const due = this.pending.filter((p) => p.at <= this.slot);
    this.pending = this.pending.filter((p) => p.at > this.slot);
    for (const { tx, airdrop } of due) airdrop ? this.give(airdrop, block) : this.land(tx, block);
    this.forget();
    this.watchers.slot(block);
    for (const commitment of Object.keys(DEPTH)) this.reach(commitment, this.at(commitment));
  }

  /** reach tells that a block has got to a commitment: once, although a fork may bring it there again. */
  reach(commitment, block) {
    if (block.slot <= (this.reached[commitment] ?? 0n)) return;
    this.reached[commitment] = block.slot;
    this.watchers.block(commitment, block);
  }

  /** skip lets slots go by in which no leader made a block. */
  skip(slots) {
    this.slot += slots;
    this.time += slots * BigInt(this.config.slotMs);
  }

  openBlock() {
    const parent = this.tip;
    const clock = this.runtime.account(CLOCK);
    this.slot += 1n;
    this.time += BigInt(this.config.slotMs);
    this.setClock();
    const block = {
      slot: this.slot, height: (parent?.height ?? 99n) + 1n, parent: parent?.slot ?? this.slot - 1n, hash: this.runtime.nextHash(),
      time: this.time, changed: new Set(), signatures: [],
    };
    this.blocks.push(block);
    this.hashes.set(block.hash, block);
    this.change(CLOCK, clock);
    return block;
  }

  /** change remembers what an account was before the newest block. */
  change(key, before) {
    const entries = this.journal.get(key) ?? [];
    if (entries.at(-1)?.slot !== this.tip.slot) entries.push({ slot: this.tip.slot, before });
    this.journal.set(key, entries);
    this.tip.changed.add(key);
  }

  /** forget drops what nobody can ask for any more. */
  forget() {
    const final = this.at('finalized');
    for (const key of final.changed) {
      const rest = (this.journal.get(key) ?? []).filter((e) => e.slot > final.slot);
      if (rest.length > 0) this.journal.set(key, rest); else this.journal.delete(key);
    }
    while (this.blocks.length > KEPT) this.hashes.delete(this.blocks.shift().hash);
    for (const signature of this.statuses.keys()) {
      if (this.statuses.size <= MOST_STATUSES) break;
      this.statuses.delete(signature);
    }
  }

  /** account is what an account was in a block, null when it was not. */
  account(key, block) {
    const later = this.journal.get(key)?.find((e) => e.slot > block.slot);
    return later ? later.before : this.runtime.account(key);
  }

  /** owned returns [key, account] of all of a program's accounts in a block, by key. */
  owned(program, block) {
    const owner = base58.decode(program);
    const keys = new Set([...this.runtime.owned(program), ...this.journal.keys()]);
    const found = [...keys].map((key) => [key, this.account(key, block)]);
    return found.filter(([, a]) => a?.owner.equals(owner)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** setAccount changes an account as if it had always been so. */
  setAccount(key, account) {
    this.runtime.setAccount(key, account);
    this.journal.delete(key);
    this.watchers.account(key);
  }

  isRecent(hash, block) {
    const made = this.hashes.get(hash);
    return made !== undefined && made.height <= block.height && made.height + BigInt(RECENT) >= block.height;
  }

  /** nonceOf returns the key of the nonce by which a transaction is valid, if it is. */
  nonceOf(tx) {
    const key = transactions.nonceAccount(tx);
    const data = key && this.runtime.account(base58.encode(key))?.data;
    const holds = data?.length === 80 && data.readUInt32LE(4) === 1 && base58.encode(data.subarray(40, 72)) === tx.blockhash;
    return holds ? base58.encode(key) : undefined;
  }

  /** send takes a transaction as a leader's socket does: it says nothing about what becomes of it. */
  send(tx) {
    if (this.config.dropNext > 0) {
      this.config.dropNext--;
      return this.drop(tx, 'injected');
    }
    if (this.config.loss > 0 && this.random() < this.config.loss) return this.drop(tx, 'injected');
    if (this.pending.length >= MOST_PENDING) return this.drop(tx, 'queue full');
    this.pending.push({ tx, at: this.slot + BigInt(this.config.landDelay) });
  }

  /** random is the same row of numbers for the same seed (xorshift of 32 bits). */
  random() {
    let x = this.config.seed | 0 || 1;
    x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
    this.config.seed = x;
    return (x >>> 0) / 2 ** 32;
  }

  drop(tx, reason) {
    this.note({ signature: tx.signature, slot: this.slot, dropped: reason });
  }

  note(entry) {
    this.log.push(entry);
    if (this.log.length > MOST_LOGGED) this.log.shift();
  }

  land(tx, block) {
    if (this.statuses.has(tx.signature)) return this.drop(tx, 'AlreadyProcessed');
    const nonce = this.isRecent(tx.blockhash, block) ? undefined : this.nonceOf(tx);
    if (!nonce && !this.isRecent(tx.blockhash, block)) return this.drop(tx, 'BlockhashNotFound');
    const keys = [...new Set([...tx.written, ...this.looked(tx)].map((k) => base58.encode(k)))];
    const before = new Map(keys.map((key) => [key, this.runtime.account(key)]));
    const { err, logs, units } = this.runtime.execute(tx);
    if (typeof err === 'string') {
      if (!FEE_ONLY.has(err) || !this.charge(tx)) return this.drop(tx, err);
    }
    if (err !== null && nonce) this.advance(nonce, block.hash);
    for (const [key, was] of before) if (!same(was, this.runtime.account(key))) this.change(key, was);
    this.record(tx.signature, block, err);
    this.note({ signature: tx.signature, slot: block.slot, err, logs, units, fee: transactions.fee(tx) });
  }

  /** looked returns the keys that a transaction writes by lookup tables. */
  looked(tx) {
    return tx.tables.flatMap(({ key, written }) => {
      const data = this.runtime.account(base58.encode(key))?.data ?? Buffer.alloc(0);
      return written.map((i) => data.subarray(56 + 32 * i, 88 + 32 * i)).filter((k) => k.length === 32);
    });
  }

  /** charge takes the fee of a transaction that could not be executed; false when the payer has not got it. */
  charge(tx) {
    const payer = base58.encode(tx.payer);
    const account = this.runtime.account(payer);
    const fee = transactions.fee(tx);
    if (!account || account.lamports < fee || !account.owner.equals(SYSTEM)) return false;
    this.runtime.setAccount(payer, { ...account, lamports: account.lamports - fee });
    return true;
  }

  /** advance moves a nonce on although its transaction failed, as validators do. */
  advance(key, hash) {
    const account = this.runtime.account(key);
    const next = crypto.createHash('sha256').update('DURABLE_NONCE').update(base58.decode(hash)).digest();
    next.copy(account.data, 40);
    this.runtime.setAccount(key, account);
  }

  /** rollback gives up the newest blocks, as validators do with a fork that lost; what was in them has never been. */
  rollback(depth) {
    if (!(depth >= 1 && depth < DEPTH.finalized)) throw new RangeError(`${depth} blocks cannot be given up: 1 to ${DEPTH.finalized - 1} can`);
    const given = this.blocks.splice(-depth);
    for (const block of given) this.hashes.delete(block.hash);
    for (const key of new Set(given.flatMap((b) => [...b.changed]))) {
      if (key !== CLOCK) this.runtime.setAccount(key, this.account(key, this.tip));
      this.journal.set(key, (this.journal.get(key) ?? []).filter((e) => e.slot <= this.tip.slot));
    }
    for (const signature of given.flatMap((b) => b.signatures)) this.statuses.delete(signature);
    return this.tip.slot;
  }

  /** status is what a node says about a signature; null when it has not landed. */
  status(signature, history) {
    const found = this.statuses.get(signature);
    if (!found) return null;
    const depth = Number(this.tip.height - found.height);
    if (depth > 300 && !history) return null;
    const reached = Object.keys(DEPTH).filter((c) => depth >= DEPTH[c]).at(-1);
    return {
      slot: found.slot, confirmations: reached === 'finalized' ? null : depth, err: found.err,
      status: found.err ? { Err: found.err } : { Ok: null }, confirmationStatus: reached,
    };
  }

  /** airdrop is a transfer from nowhere in the next block. */
  airdrop(key, lamports) {
    const text = `airdrop ${this.airdrops++} ${key} ${lamports}`;
    const signature = base58.encode(crypto.createHash('sha512').update(text).digest());
    this.pending.push({ airdrop: { signature, key, lamports }, at: this.slot + 1n });
    return signature;
  }

  give({ signature, key, lamports }, block) {
    const was = this.runtime.account(key);
    const account = was ?? { lamports: 0n, data: Buffer.alloc(0), owner: SYSTEM, executable: false };
    this.runtime.setAccount(key, { ...account, lamports: account.lamports + lamports });
    this.change(key, was);
    this.record(signature, block, null);
  }

  record(signature, block, err) {
    this.statuses.set(signature, { slot: block.slot, height: block.height, err });
    block.signatures.push(signature);
  }

  /** leader is who makes the block of a slot: each of them four slots long, in turn. */
  leader(slot) {
    const { leaders } = this.config;
    return leaders[Number((slot / 4n) % BigInt(leaders.length))];
  }
}

function same(a, b) {
  return a === b || (a !== null && b !== null && a.lamports === b.lamports && a.owner.equals(b.owner) && a.data.equals(b.data));
}

module.exports = { Chain, DEPTH, RECENT };
