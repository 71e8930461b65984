'use strict';
// Base 58 as Bitcoin's and Solana's keys are written.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((c, i) => [c, i]));

function encode(bytes) {
  const digits = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let i = 0; i < digits.length || carry > 0; i++) {
      carry += (digits[i] ?? 0) << 8;
      digits[i] = carry % 58;
      carry = Math.floor(carry / 58);
    }
  }
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  return ALPHABET[0].repeat(zeros) + digits.reverse().map((d) => ALPHABET[d]).join('');
}

/** decode throws an Error on a character that is no digit. */
function decode(text) {
  const bytes = [];
  for (const c of text) {
    let carry = DIGITS.get(c);
    if (carry === undefined) throw new Error(`${JSON.stringify(c)} is no digit of base 58`);
    for (let i = 0; i < bytes.length || carry > 0; i++) {
      carry += (bytes[i] ?? 0) * 58;
      bytes[i] = carry & 0xff;
      carry >>= 8;
    }
  }
  let zeros = 0;
  while (zeros < text.length && text[zeros] === ALPHABET[0]) zeros++;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes.reverse())]);
}

module.exports = { encode, decode };
