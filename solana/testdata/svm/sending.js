'use strict';
// The methods that send transactions, and those that only try them.

const { RpcError, invalid, describe } = require('./errors');
const { RECENT } = require('./chain');
const transactions = require('./transaction');
const { pubkey, whole, block, bytes, account, inContext } = require('./params');

/** attempt tries a transaction on the newest state; the block says which blockhashes are known. */
function attempt(chain, tx, at, { verify, anyHash }) {
  const none = { logs: [], accounts: null, unitsConsumed: 0, returnData: null, innerInstructions: null };
  if (chain.statuses.has(tx.signature)) return { err: 'AlreadyProcessed', ...none };
  if (!anyHash && !chain.isRecent(tx.blockhash, at) && !chain.nonceOf(tx)) return { err: 'BlockhashNotFound', ...none };
  const { err, logs, units, returned, after } = chain.runtime.simulate(tx, verify);
  return { result: { err, logs, accounts: null, unitsConsumed: units, returnData: returned, innerInstructions: null }, after };
}

function sendTransaction(chain, [text, o = {}]) {
  const tx = transactions.read(bytes(text, o.encoding ?? 'base58'));
  const at = block(chain, { commitment: o.preflightCommitment, minContextSlot: o.minContextSlot });
  if (!o.skipPreflight) {
    const tried = attempt(chain, tx, at, { verify: true });
    const result = tried.result ?? tried;
    if (result.err === 'SignatureFailure') throw new RpcError(-32003, 'Transaction signature verification failure');
    if (result.err) throw new RpcError(-32002, `Transaction simulation failed: ${describe(result.err)}`, result);
  }
  chain.send(tx);
  return tx.signature;
}

function simulateTransaction(chain, [text, o = {}]) {
  if (o.sigVerify && o.replaceRecentBlockhash) throw invalid('sigVerify may not be used with replaceRecentBlockhash');
  const tx = transactions.read(bytes(text, o.encoding ?? 'base58'));
  const at = block(chain, o);
  const { after, result, ...refused } = attempt(chain, tx, at, { verify: Boolean(o.sigVerify), anyHash: Boolean(o.replaceRecentBlockhash) });
  const value = result ?? refused;
  if (o.accounts) value.accounts = wanted(chain, o.accounts, after);
  if (o.replaceRecentBlockhash) value.replacementBlockhash = { blockhash: at.hash, lastValidBlockHeight: at.height + BigInt(RECENT) };
  return inContext(at, value);
}

/** wanted are the accounts that the caller asked for, as they would be afterwards. */
function wanted(chain, { addresses, encoding = 'base64' }, after) {
  if (!Array.isArray(addresses)) throw invalid('accounts.addresses must be a list of keys');
  return addresses.map((key) => {
    const found = after?.has(pubkey(key)) ? after.get(key) : chain.runtime.account(key);
    return account(found, { encoding });
  });
}

function requestAirdrop(chain, [key, lamports]) {
  return chain.airdrop(pubkey(key), whole(lamports, 'lamports'));
}

/** overTpu takes a transaction from the listener of a fake leader; what cannot be read is lost. */
function overTpu(chain, [text]) {
  try {
    const tx = transactions.read(Buffer.from(text, 'base64'));
    chain.send(tx);
    return tx.signature;
  } catch (e) {
    if (e instanceof RpcError) return null;
    throw e;
  }
}

module.exports = { methods: { sendTransaction, simulateTransaction, requestAirdrop }, overTpu };
