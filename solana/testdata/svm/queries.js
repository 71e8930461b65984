'use strict';
// The methods that ask. Each takes the chain and the parameters, and returns the result or throws an RpcError.

const crypto = require('node:crypto');
const base58 = require('./base58');
const { RpcError, invalid } = require('./errors');
const { RECENT } = require('./chain');
const transactions = require('./transaction');
const { pubkey, whole, block, account, matches, inContext, bytes } = require('./params');

const GENESIS = base58.encode(crypto.createHash('sha256').update('orth').digest());
const MOST_ACCOUNTS = 100;
const MOST_SIGNATURES = 256;
const MOST_LEADERS = 5_000n;

const chainState = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '4.3.0', 'feature-set': 1 }),
  getGenesisHash: () => GENESIS,
  getIdentity: (chain) => ({ identity: chain.config.leaders[0].identity }),
  getSlot: (chain, [o]) => block(chain, o).slot,
  getBlockHeight: (chain, [o]) => block(chain, o).height,
  getBlockTime(chain, [slot]) {
    const wanted = whole(slot, 'the slot');
    if (wanted > chain.tip.slot) throw new RpcError(-32004, `Block not available for slot ${wanted}`);
    const found = chain.blocks.find((b) => b.slot === wanted);
    if (!found) throw new RpcError(-32007, `Slot ${wanted} was skipped, or missing due to ledger jump to recent snapshot`);
    return found.time / 1000n;
  },
  getEpochInfo(chain, [o]) {
    const at = block(chain, o);
    const long = BigInt(chain.config.slotsPerEpoch);
    return {
      absoluteSlot: at.slot, blockHeight: at.height, epoch: at.slot / long, slotIndex: at.slot % long, slotsInEpoch: long,
      transactionCount: chain.statuses.size,
    };
  },
  getEpochSchedule: (chain) => ({
    slotsPerEpoch: chain.config.slotsPerEpoch, leaderScheduleSlotOffset: chain.config.slotsPerEpoch, warmup: false,
    firstNormalEpoch: 0, firstNormalSlot: 0,
  }),
  getLatestBlockhash(chain, [o]) {
    const at = block(chain, o);
    return inContext(at, { blockhash: at.hash, lastValidBlockHeight: at.height + BigInt(RECENT) });
  },
  isBlockhashValid(chain, [hash, o]) {
    const at = block(chain, o);
    return inContext(at, chain.isRecent(hash, at));
  },
  getFeeForMessage(chain, [message, o]) {
    const at = block(chain, o);
    const read = transactions.readBareMessage(bytes(message, 'base64'));
    return inContext(at, chain.isRecent(read.blockhash, at) ? transactions.fee(read) : null);
  },
  getRecentPrioritizationFees: (chain) => chain.blocks.slice(-RECENT).map((b) => ({ slot: b.slot, prioritizationFee: chain.config.priorityFee })),
  getSignatureStatuses(chain, [signatures, o]) {
    if (!Array.isArray(signatures)) throw invalid('the first parameter must be a list of signatures');
    if (signatures.length > MOST_SIGNATURES) throw new RpcError(-32602, `Too many inputs provided; max ${MOST_SIGNATURES}`);
    return inContext(chain.tip, signatures.map((s) => chain.status(s, o?.searchTransactionHistory)));
  },
};

const accounts = {
  getBalance(chain, [key, o]) {
    const at = block(chain, o);
    return inContext(at, chain.account(pubkey(key), at)?.lamports ?? 0n);
  },
  getMinimumBalanceForRentExemption: (chain, [size]) => chain.runtime.rentFree(whole(size, 'the size')),
  getAccountInfo(chain, [key, o]) {
    const at = block(chain, o);
    return inContext(at, account(chain.account(pubkey(key), at), o));
  },
  getMultipleAccounts(chain, [keys, o]) {
    if (!Array.isArray(keys)) throw invalid('the first parameter must be a list of keys');
    if (keys.length > MOST_ACCOUNTS) throw new RpcError(-32602, `Too many inputs provided; max ${MOST_ACCOUNTS}`);
    const at = block(chain, o);
    return inContext(at, keys.map((key) => account(chain.account(pubkey(key), at), { encoding: 'base64', ...o })));
  },
  getProgramAccounts(chain, [program, o]) {
    const at = block(chain, o);
    matches(Buffer.alloc(0), o?.filters); // wrong ones are refused when there is nothing to match too
    const found = chain.owned(pubkey(program), at).filter(([, a]) => matches(a.data, o?.filters));
    const value = found.map(([key, a]) => ({ pubkey: key, account: account(a, o) }));
    return o?.withContext ? inContext(at, value) : value;
  },
};

const leaders = {
  getSlotLeader: (chain, [o]) => chain.leader(block(chain, o).slot).identity,
  getSlotLeaders(chain, [start, limit]) {
    const from = whole(start, 'the first slot');
    const many = whole(limit, 'the limit');
    if (many < 1n || many > MOST_LEADERS) throw new RpcError(-32602, `Invalid limit; max ${MOST_LEADERS}`);
    return Array.from({ length: Number(many) }, (_, i) => chain.leader(from + BigInt(i)).identity);
  },
  getLeaderSchedule(chain, [slot, o]) {
    const options = typeof slot === 'object' && slot !== null ? slot : o;
    const long = BigInt(chain.config.slotsPerEpoch);
    const at = slot === null || slot === undefined || slot === options ? chain.slot : whole(slot, 'the slot');
    const first = at - (at % long);
    const schedule = {};
    for (let i = 0n; i < long; i++) {
      const { identity } = chain.leader(first + i);
      if (!options?.identity || options.identity === identity) (schedule[identity] ??= []).push(Number(i));
    }
    return schedule;
  },
  getClusterNodes: (chain) => chain.config.leaders.map(({ identity, tpuQuic }) => ({
    pubkey: identity, gossip: '127.0.0.1:8001', tpu: null, tpuQuic: tpuQuic ?? null, rpc: null, pubsub: null,
    version: '4.3.0', featureSet: 1, shredVersion: 1,
  })),
};

module.exports = { ...chainState, ...accounts, ...leaders };
