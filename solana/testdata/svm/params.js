'use strict';
// Parameters of methods, checked; and accounts in the words of JSON-RPC.

const base58 = require('./base58');
const { RpcError, invalid } = require('./errors');
const { DEPTH } = require('./chain');

/** pubkey checks that a text is a key. */
function pubkey(text) {
  let bytes;
  try {
    bytes = base58.decode(String(text));
  } catch {
    throw invalid(`${text} is no key: it is not base 58`);
  }
  if (bytes.length !== 32) throw invalid(`${text} is no key: it has ${bytes.length} bytes, not 32`);
  return String(text);
}

/** whole is a number without a sign, however it is written. */
function whole(value, name) {
  if (value === undefined || value === null || !/^\d+$/.test(String(value))) throw invalid(`${name} must be a whole number, not ${value}`);
  return BigInt(String(value));
}

/** commitment is the one asked for; nodes take finalized when there is none. */
function commitment(options) {
  const name = options?.commitment ?? 'finalized';
  if (!(name in DEPTH)) throw invalid(`unknown commitment ${name}: it is processed, confirmed or finalized`);
  return name;
}

/** block is the newest one of the commitment, when the node has got to the slot that the caller wants at least. */
function block(chain, options) {
  const found = chain.at(commitment(options));
  const least = options?.minContextSlot;
  if (least !== undefined && found.slot < whole(least, 'minContextSlot')) {
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: found.slot });
  }
  return found;
}

/** bytes decodes a transaction or message as its encoding says. */
function bytes(text, encoding) {
  if (typeof text !== 'string') throw invalid('the transaction must be a text');
  switch (encoding) {
    case 'base64':
      return Buffer.from(text, 'base64');
    case 'base58':
      try {
        return base58.decode(text);
      } catch (e) {
        throw invalid(`the transaction is not base58: ${e.message}`);
      }
    default:
      throw invalid(`unsupported encoding: ${encoding}. Supported encodings: base58, base64`);
  }
}

/** account says an account in an encoding: the old one without a name, base58, base64, or jsonParsed, which knows no program here. */
function account(found, options = {}) {
  if (!found) return null;
  const { encoding, dataSlice } = options;
  let { data } = found;
  if (dataSlice) {
    const offset = Number(whole(dataSlice.offset, 'dataSlice.offset'));
    data = data.subarray(offset, offset + Number(whole(dataSlice.length, 'dataSlice.length')));
  }
  return {
    lamports: found.lamports, owner: base58.encode(found.owner), executable: found.executable, rentEpoch: 18446744073709551615n,
    space: found.data.length, data: encoded(data, encoding),
  };
}

function encoded(data, encoding) {
  switch (encoding) {
    case 'base64': case 'jsonParsed':
      return [data.toString('base64'), 'base64'];
    case undefined: case 'binary': case 'base58': {
      if (data.length > 128) {
        throw new RpcError(-32600, 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
      }
      const text = base58.encode(data);
      return encoding === 'base58' ? [text, 'base58'] : text;
    }
    case 'base64+zstd':
      throw invalid('base64+zstd is not supported by this node: use base64');
    default:
      throw invalid(`unknown variant ${encoding}, expected one of base58, base64, base64+zstd, jsonParsed`);
  }
}

/** matches reports whether data pass all filters. */
function matches(data, filters) {
  if ((filters?.length ?? 0) > 4) throw invalid('Too many filters provided; max 4');
  return (filters ?? []).every((f) => {
    if (f.dataSize !== undefined) return BigInt(data.length) === whole(f.dataSize, 'dataSize');
    if (!f.memcmp) throw invalid(`unknown filter ${Object.keys(f)}: it is dataSize or memcmp`);
    const wanted = compared(f.memcmp);
    const offset = Number(whole(f.memcmp.offset, 'memcmp.offset'));
    return data.subarray(offset, offset + wanted.length).equals(wanted);
  });
}

function compared({ bytes: wanted, encoding }) {
  if (Array.isArray(wanted)) return Buffer.from(wanted);
  const decoded = bytes(wanted, encoding ?? 'base58');
  if (decoded.length > 128) throw invalid('a memcmp filter compares 128 bytes at most');
  return decoded;
}

/** inContext is a value with the slot at which it was so. */
const inContext = (at, value) => ({ context: { slot: at.slot, apiVersion: '4.3.0' }, value });

module.exports = { pubkey, whole, commitment, block, bytes, account, matches, inContext };
