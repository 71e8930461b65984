'use strict';
// Subscriptions over websockets: what a node says by itself when the chain moves on.

const { WebSocketServer } = require('ws');
const json = require('./json');
const { RpcError, invalid } = require('./errors');
const { pubkey, commitment, account, matches, inContext } = require('./params');

const MOST_PER_SOCKET = 1_000;
const LARGEST_MESSAGE = 1 << 20;
const GONE = { lamports: 0n, owner: '11111111111111111111111111111111', executable: false, rentEpoch: 0, space: 0, data: ['', 'base64'] };

/** watched is a key with what is to be said of it; what could not be said later is refused now. */
function watched([key, o]) {
  account({ lamports: 0n, data: Buffer.alloc(0), owner: Buffer.alloc(32) }, o);
  matches(Buffer.alloc(0), o?.filters);
  return { key: pubkey(key), commitment: commitment(o), options: { encoding: 'base64', ...o } };
}

/** kinds say what a subscription of each kind is made of. */
const kinds = {
  account: watched,
  program: watched,
  signature: ([signature, o]) => ({ key: String(signature), commitment: commitment(o) }),
  slot: () => ({}),
  slotsUpdates: () => ({}),
};

class Subscriptions {
  constructor(chain) {
    this.chain = chain;
    this.all = new Map(); // id → {id, kind, socket, …}
    this.next = 1;
    this.refused = 0; // connections that are refused yet
    this.server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: LARGEST_MESSAGE, verifyClient: (_, done) => this.admit(done) });
    this.server.on('connection', (socket) => this.accept(socket));
    Object.assign(chain.watchers, {
      block: (level, block) => this.block(level, block), slot: (block) => this.slot(block), account: (key) => this.changed(key),
    });
  }

  admit(done) {
    if (this.refused === 0) return done(true);
    this.refused--;
    done(false, 503, 'Service Unavailable');
  }

  accept(socket) {
    socket.on('message', (data) => this.message(socket, String(data)));
    socket.on('close', () => {
      for (const s of this.all.values()) if (s.socket === socket) this.all.delete(s.id);
    });
    socket.on('error', () => socket.terminate());
  }

  message(socket, text) {
    let call;
    try {
      call = json.parse(text);
    } catch {
      return say(socket, { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null });
    }
    try {
      const [result, then] = this.call(socket, call?.method, call?.params ?? []);
      say(socket, { jsonrpc: '2.0', result, id: call.id });
      then?.();
    } catch (e) {
      if (!(e instanceof RpcError)) console.error(e); // a mistake of the shim's own
      say(socket, { jsonrpc: '2.0', error: { code: e.code ?? -32603, message: e.message, data: e.data }, id: call?.id ?? null });
    }
  }

  /** call returns a result, and what is to be done once it has been said. */
  call(socket, method, params) {
    const [, kind, action] = /^([a-zA-Z]+?)(Subscribe|Unsubscribe)$/.exec(method) ?? [];
    if (!Object.hasOwn(kinds, kind ?? '')) throw new RpcError(-32601, 'Method not found');
    if (action === 'Unsubscribe') {
      const found = this.all.get(Number(params[0]));
      if (!found || found.socket !== socket || found.kind !== kind) throw invalid('Invalid subscription id.');
      this.all.delete(found.id);
      return [true];
    }
    if ([...this.all.values()].filter((s) => s.socket === socket).length >= MOST_PER_SOCKET) {
      throw new RpcError(-32602, `Too many subscriptions: ${MOST_PER_SOCKET} are the limit of a connection`);
    }
    const s = { id: this.next++, kind, socket, ...kinds[kind](params) };
    this.all.set(s.id, s);
    return [s.id, () => kind === 'signature' && this.signature(s, this.chain.at(s.commitment))];
  }

  of(kind) { return [...this.all.values()].filter((s) => s.kind === kind); }

  /** block tells what has changed in a block, to those who wait for its commitment. */
  block(level, block) {
    for (const key of block.changed) this.tell(key, block, (s) => s.commitment === level);
    for (const s of this.of('signature')) if (s.commitment === level) this.signature(s, block);
  }

  /** signature tells once that a transaction has landed. */
  signature(s, block) {
    const found = this.chain.statuses.get(s.key);
    if (!found || found.slot > block.slot) return;
    this.push(s, inContext(block, { err: found.err }));
    this.all.delete(s.id);
  }

  slot(block) {
    if (this.chain.config.muteSlots) return;
    const root = this.chain.at('finalized').slot;
    for (const s of this.of('slot')) this.push(s, { parent: block.parent, root, slot: block.slot });
    for (const s of this.of('slotsUpdates')) {
      const timestamp = block.time;
      this.push(s, { type: 'completed', slot: block.parent, timestamp });
      this.push(s, { type: 'firstShredReceived', slot: block.slot, timestamp });
      this.push(s, { type: 'createdBank', slot: block.slot, parent: block.parent, timestamp });
    }
  }

  /** changed tells everybody of an account that a test has set. */
  changed(key) { this.tell(key, this.chain.tip, () => true); }

  tell(key, block, wants) {
    const found = this.chain.account(key, block);
    for (const s of this.of('account')) {
      if (s.key === key && wants(s)) this.push(s, inContext(block, account(found, s.options) ?? GONE));
    }
    if (!found) return;
    const owner = account(found, { encoding: 'base64', dataSlice: { offset: 0, length: 0 } }).owner;
    for (const s of this.of('program')) {
      if (s.key === owner && wants(s) && matches(found.data, s.options.filters)) {
        this.push(s, inContext(block, { pubkey: key, account: account(found, s.options) }));
      }
    }
  }

  push(s, result) {
    say(s.socket, { jsonrpc: '2.0', method: `${s.kind}Notification`, params: { result, subscription: s.id } });
  }

  /** control is what a test does to connections: drop ends them, mute leaves them half open, refuse answers the next n with 503. */
  control(action, n) {
    const sockets = [...this.server.clients];
    switch (action) {
      case 'drop':
        for (const socket of sockets) socket.terminate();
        break;
      case 'mute':
        for (const socket of sockets) { socket.muted = true; socket._socket.pause(); }
        break;
      case 'refuse':
        this.refused = Number(n ?? 1);
        break;
      case 'count':
        break;
      default:
        throw invalid(`${action} is nothing that can be done to websockets: drop, mute, refuse and count are`);
    }
    return sockets.length;
  }
}

function say(socket, message) {
  if (!socket.muted && socket.readyState === socket.OPEN) socket.send(json.write(message));
}

module.exports = { Subscriptions };
