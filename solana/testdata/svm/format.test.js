'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const base58 = require('./base58');
const json = require('./json');
const { TRANSACTION, INSTRUCTION, describe } = require('./errors');
const transactions = require('./transaction');

test('numbers keep their digits', () => {
  for (const text of ['{"a":18446744073709551615}', '[1.50,-0,1e3,2]', '{"1.50":"1.50 \\" 7.0"}', '"18446744073709551615"', 'null', '[true,-12.5]']) {
    assert.equal(json.write(json.parse(text)), text);
  }
  assert.equal(json.write({ n: 2n ** 64n }), '{"n":18446744073709551616}');
  assert.throws(() => json.parse('{'), SyntaxError);
});

test('base 58 comes back, with its zeros', () => {
  for (const bytes of [[], [0], [0, 0, 1], [255, 255], Array(32).fill(0), [...Array(64).keys()]]) {
    assert.deepEqual([...base58.decode(base58.encode(bytes))], bytes);
  }
  assert.equal(base58.encode(Buffer.from('Hello World!')), '2NEpo7TZRRrLZSi2U');
  assert.throws(() => base58.decode('l'), /no digit/);
});

test('errors have their names', () => {
  assert.equal(TRANSACTION.length, 35);
  assert.equal(INSTRUCTION.length, 53);
  assert.equal(TRANSACTION[7], 'BlockhashNotFound');
  assert.equal(INSTRUCTION[36], 'ComputationalBudgetExceeded');
  assert.equal(describe({ InstructionError: [2, { Custom: 6004 }] }), 'Error processing Instruction 2: custom program error: 0x1774');
  assert.equal(describe({ InstructionError: [0, 'InvalidArgument'] }), 'Error processing Instruction 0: InvalidArgument');
  assert.equal(describe('AccountNotFound'), 'AccountNotFound');
});

test('a transaction that is cut anywhere is refused', () => {
  // one signature, a header, two keys, a blockhash, and one call of two accounts with four bytes
  const whole = Buffer.concat([
    Buffer.from([1]), Buffer.alloc(64, 3), Buffer.from([1, 0, 1, 2]), Buffer.alloc(64, 5), Buffer.alloc(32, 9), Buffer.from([1, 1, 2, 0, 1, 4, 4, 0, 0, 0]),
  ]);
  const tx = transactions.read(whole);
  assert.equal(tx.versioned, false);
  assert.equal(tx.written.length, 1);
  assert.equal(transactions.fee(tx), 5000n);
  for (let n = 0; n < whole.length; n++) assert.throws(() => transactions.read(whole.subarray(0, n)), { code: -32602 });
  assert.throws(() => transactions.read(Buffer.concat([whole, Buffer.from([0])])), /more follow/);
  assert.throws(() => transactions.read(Buffer.alloc(1233)), /1232 are the limit/);
});
