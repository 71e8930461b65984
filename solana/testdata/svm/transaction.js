'use strict';
// The wire form of a transaction, as far as a leader looks at it: who signs and pays, by which blockhash, and what is called.

const base58 = require('./base58');
const { invalid } = require('./errors');

const LARGEST = 1232; // a packet of the network
const SYSTEM = Buffer.alloc(32);
const BUDGET = 'ComputeBudget111111111111111111111111111111';
const LAMPORTS_PER_SIGNATURE = 5000n;
const MOST_UNITS = 1_400_000n;

/** Reader takes the parts off the bytes, and throws when one is not there. */
class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }

  take(n) {
    if (this.at + n > this.bytes.length) throw invalid(`the transaction ends within its part at byte ${this.at}`);
    this.at += n;
    return this.bytes.subarray(this.at - n, this.at);
  }

  byte() { return this.take(1)[0]; }

  /** length is a compact number of 16 bits. */
  length() {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const b = this.byte();
      value |= (b & 0x7f) << shift;
      if (b < 0x80) return value;
    }
    throw invalid(`the length before byte ${this.at} is none`);
  }

  list(item) { return Array.from({ length: this.length() }, item); }
}

/** read decodes a transaction, legacy or of version 0. */
function read(bytes) {
  if (bytes.length > LARGEST) {
    throw invalid(`the transaction has ${bytes.length} bytes, ${LARGEST} are the limit`);
  }
  const r = new Reader(bytes);
  const signatures = r.list(() => r.take(64));
  const message = bytes.subarray(r.at);
  const first = message[0] ?? 0;
  const versioned = (first & 0x80) !== 0;
  if (versioned && r.byte() !== 0x80) throw invalid(`the transaction's version is ${first & 0x7f}, 0 is the only one known`);
  const body = readMessage(r, versioned);
  if (signatures.length !== body.signers || signatures.length === 0) {
    throw invalid(`the transaction has ${signatures.length} signatures, its message wants ${body.signers}`);
  }
  if (r.at !== bytes.length) throw invalid(`the transaction ends at byte ${r.at}, and ${bytes.length - r.at} more follow`);
  return { bytes, signature: base58.encode(signatures[0]), versioned, message, ...body };
}

function readMessage(r, versioned) {
  const [signers, readSigners, readOthers] = r.take(3);
  const keys = r.list(() => r.take(32));
  const blockhash = base58.encode(r.take(32));
  const instructions = r.list(() => ({ program: r.byte(), accounts: [...r.take(r.length())], data: r.take(r.length()) }));
  const tables = versioned ? r.list(() => ({ key: r.take(32), written: [...r.take(r.length())], read: [...r.take(r.length())] })) : [];
  const isWritten = (i) => (i < signers ? i < signers - readSigners : i < keys.length - readOthers);
  return { signers, keys, blockhash, instructions, tables, written: keys.filter((_, i) => isWritten(i)), payer: keys[0] };
}

/** readBareMessage decodes a message without signatures, as getFeeForMessage takes it. */
function readBareMessage(bytes) {
  const r = new Reader(bytes);
  const versioned = (bytes[0] & 0x80) !== 0;
  if (versioned) r.byte();
  return readMessage(r, versioned);
}

/** fee is what a message costs its payer, in lamports: a price for each signature, and one for its place in the block. */
function fee(message) {
  let units; let price = 0n; let calls = 0n;
  for (const { program, data } of message.instructions) {
    if (!message.keys[program] || base58.encode(message.keys[program]) !== BUDGET) { calls++; continue; }
    if (data[0] === 2 && data.length >= 5) units = BigInt(data.readUInt32LE(1));
    if (data[0] === 3 && data.length >= 9) price = data.readBigUInt64LE(1);
  }
  units ??= calls * 200_000n;
  if (units > MOST_UNITS) units = MOST_UNITS;
  return LAMPORTS_PER_SIGNATURE * BigInt(message.signers) + (units * price + 999_999n) / 1_000_000n;
}

/** nonceAccount is the key of the account by whose nonce the transaction is valid, when its first call advances one. */
function nonceAccount(tx) {
  const call = tx.instructions[0];
  const advances = call && tx.keys[call.program]?.equals(SYSTEM) && call.data.length >= 4 && call.data.readUInt32LE(0) === 4;
  return advances ? tx.keys[call.accounts[0]] : undefined;
}

module.exports = { LARGEST, read, readBareMessage, fee, nonceAccount };
