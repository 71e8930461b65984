'use strict';
const assert = require('node:assert/strict');
const { once } = require('node:events');
const { test } = require('node:test');
const { WebSocket } = require('ws');
const base58 = require('./base58');
const json = require('./json');
const { start } = require('./node');

const OWNER = base58.encode(Buffer.alloc(32, 7));
const KEY = base58.encode(Buffer.alloc(32, 8));
const SYSTEM = base58.encode(Buffer.alloc(32));
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

/** Client is a websocket that keeps what it is told. */
class Client {
  constructor(url) {
    this.socket = new WebSocket(url);
    this.answers = [];
    this.told = [];
    this.socket.on('message', (data) => {
      const message = json.parse(String(data));
      (message.method ? this.told : this.answers).push(message);
    });
  }

  open() { return once(this.socket, 'open'); }

  async call(method, ...params) {
    const many = this.answers.length;
    this.socket.send(json.write({ jsonrpc: '2.0', id: 1, method, params }));
    while (this.answers.length === many) await once(this.socket, 'message');
    return this.answers.at(-1);
  }

  /** settle waits until everything that was said before has come; the answer to a ping comes last. */
  async settle() {
    this.socket.ping();
    await once(this.socket, 'pong');
    return this.told.splice(0);
  }
}

async function bench(t) {
  const node = await start();
  t.after(() => node.close());
  const client = new Client(node.ws);
  await client.open();
  return { node, client, control: (method, ...params) => node.methods[method](params) };
}

const account = (data, owner = OWNER) => ({ lamports: 1_000_000_000, owner, data: Buffer.from(data).toString('base64') });

test('accounts, when they change at the commitment', async (t) => {
  const { client, control } = await bench(t);
  const ids = [];
  for (const commitment of ['processed', 'confirmed', 'finalized']) ids.push((await client.call('accountSubscribe', KEY, { commitment })).result);
  assert.equal(new Set(ids).size, 3);
  control('requestAirdrop', KEY, 5);
  const seen = [];
  for (let tick = 1; tick <= 34; tick++) {
    control('test_tick');
    for (const { method, params } of await client.settle()) {
      assert.equal(method, 'accountNotification');
      assert.equal(params.result.value.lamports, 5);
      assert.equal(params.result.context.slot, 1001);
      seen.push([tick, ids.indexOf(params.subscription)]);
    }
  }
  assert.deepEqual(seen, [[1, 0], [2, 1], [33, 2]]);
});

test('accounts that a test sets, at once; and one that is gone', async (t) => {
  const { client, control } = await bench(t);
  await client.call('accountSubscribe', KEY, { encoding: 'base64' });
  control('test_setAccount', KEY, account('hi'));
  control('test_setAccount', KEY, null);
  const [first, second] = await client.settle();
  assert.deepEqual(first.params.result.value.data, ['aGk=', 'base64']);
  assert.deepEqual(second.params.result.value, { lamports: 0, owner: SYSTEM, executable: false, rentEpoch: 0, space: 0, data: ['', 'base64'] });
});

test('the clock, in every block', async (t) => {
  const { client, control } = await bench(t);
  await client.call('accountSubscribe', CLOCK, { commitment: 'processed' });
  control('test_tick', 3);
  const told = await client.settle();
  assert.deepEqual(told.map((n) => Buffer.from(n.params.result.value.data[0], 'base64').readBigUInt64LE(0)), [1001n, 1002n, 1003n]);
});

test("a program's accounts, by filters", async (t) => {
  const { client, control } = await bench(t);
  const filters = [{ memcmp: { offset: 0, bytes: base58.encode(Buffer.from('ab')) } }];
  await client.call('programSubscribe', OWNER, { filters, encoding: 'base64', commitment: 'confirmed' });
  control('test_setAccount', KEY, account('abc'));
  control('test_setAccount', KEY, account('xbc'));
  control('test_setAccount', KEY, account('abc', SYSTEM));
  const told = await client.settle();
  assert.equal(told.length, 1);
  assert.equal(told[0].params.result.value.pubkey, KEY);
});

test('a signature, once, and at once when it is there', async (t) => {
  const { client, control } = await bench(t);
  const signature = control('requestAirdrop', KEY, 5);
  await client.call('signatureSubscribe', signature, { commitment: 'processed' });
  await client.call('signatureSubscribe', signature, { commitment: 'confirmed' });
  control('test_tick');
  assert.equal((await client.settle()).length, 1);
  control('test_tick');
  const [confirmed] = await client.settle();
  assert.deepEqual(confirmed.params.result.value, { err: null });
  const late = await client.call('signatureSubscribe', signature, { commitment: 'confirmed' });
  const [now] = await client.settle();
  assert.equal(now.params.subscription, late.result);
  control('test_tick', 5);
  assert.deepEqual(await client.settle(), []);
});

test('slots, unless they are muted', async (t) => {
  const { client, control } = await bench(t);
  await client.call('slotSubscribe');
  await client.call('slotsUpdatesSubscribe');
  control('test_skip', 3);
  const told = await client.settle();
  assert.deepEqual(told[0].params.result, { parent: 1000, root: 969, slot: 1004 });
  assert.deepEqual(told.slice(1).map((n) => [n.params.result.type, n.params.result.slot]), [['completed', 1000], ['firstShredReceived', 1004], ['createdBank', 1004]]);
  control('test_config', { muteSlots: true });
  control('test_tick');
  assert.deepEqual(await client.settle(), []);
});

test('what is given up on a fork is not confirmed', async (t) => {
  const { client, control } = await bench(t);
  await client.call('accountSubscribe', KEY, { commitment: 'confirmed' });
  control('requestAirdrop', KEY, 5);
  control('test_tick');
  control('test_rollback', 1);
  control('test_tick', 5);
  assert.deepEqual(await client.settle(), []);
  control('requestAirdrop', KEY, 5);
  control('test_tick', 2);
  control('test_rollback', 1); // the block beneath has been confirmed, and is once more
  control('test_tick', 5);
  assert.equal((await client.settle()).length, 1);
});

test('subscriptions end', async (t) => {
  const { client, control } = await bench(t);
  const { result: id } = await client.call('slotSubscribe');
  assert.equal((await client.call('rootUnsubscribe', id)).error.code, -32601);
  assert.equal((await client.call('accountUnsubscribe', id)).error.code, -32602);
  assert.equal((await client.call('slotUnsubscribe', id)).result, true);
  assert.equal((await client.call('slotUnsubscribe', id)).error.code, -32602);
  control('test_tick');
  assert.deepEqual(await client.settle(), []);
});

test('what cannot be subscribed to is refused', async (t) => {
  const { client } = await bench(t);
  for (const [method, params, code, words] of [
    ['blockSubscribe', [], -32601, /not found/],
    ['accountSubscribe', ['x'], -32602, /no key/],
    ['accountSubscribe', [KEY, { commitment: 'soon' }], -32602, /commitment/],
    ['accountSubscribe', [KEY, { encoding: 'base64+zstd' }], -32602, /base64\+zstd/],
    ['programSubscribe', [KEY, { encoding: 'base64+zstd' }], -32602, /base64\+zstd/],
    ['programSubscribe', [KEY, { filters: [{ size: 1 }] }], -32602, /filter/],
  ]) {
    const { error } = await client.call(method, ...params);
    assert.equal(error.code, code, method);
    assert.match(error.message, words);
  }
  client.socket.send('null');
  while (client.answers.at(-1).error.code !== -32601) await once(client.socket, 'message');
  client.socket.send('{');
  while (client.answers.at(-1).error.code !== -32700) await once(client.socket, 'message');
});

test('connections are dropped, refused, and left half open', async (t) => {
  const { node, client, control } = await bench(t);
  control('test_sockets', 'drop');
  await once(client.socket, 'close');
  control('test_sockets', 'refuse', 1);
  const refused = new WebSocket(node.ws);
  const [error] = await once(refused, 'error');
  assert.match(error.message, /503/);
  const silent = new Client(node.ws);
  await silent.open();
  await silent.call('slotSubscribe');
  assert.equal(control('test_sockets', 'mute'), 1);
  const loud = new Client(node.ws);
  await loud.open();
  await loud.call('slotSubscribe');
  control('test_tick', 3);
  assert.equal((await loud.settle()).length, 3);
  assert.deepEqual(silent.told, []);
  assert.equal(silent.socket.readyState, WebSocket.OPEN);
});
