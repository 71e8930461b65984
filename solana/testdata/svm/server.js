'use strict';
// JSON-RPC over HTTP.

const http = require('node:http');
const json = require('./json');
const { RpcError } = require('./errors');

const LARGEST_BODY = 4 << 20;
const MOST_IN_BATCH = 100;

class Server {
  constructor(methods, faults) {
    this.methods = methods;
    this.faults = faults;
    this.calls = new Map(); // method → how often it was called
    this.http = http.createServer((request, response) => this.request(request, response));
    // A slow machine must not look like a node that hangs up.
    Object.assign(this.http, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  }

  request(request, response) {
    if (request.method === 'GET') return end(response, request.url === '/health' ? 200 : 405, 'ok');
    const parts = [];
    let size = 0;
    request.on('data', (part) => {
      size += part.length;
      if (size > LARGEST_BODY) return request.destroy();
      parts.push(part);
    });
    request.on('end', () => this.body(Buffer.concat(parts).toString(), response));
  }

  body(text, response) {
    let asked;
    try {
      asked = json.parse(text);
    } catch {
      return end(response, 200, json.write({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null }));
    }
    const batch = Array.isArray(asked) ? asked : [asked];
    if (batch.length === 0 || batch.length > MOST_IN_BATCH) {
      return end(response, 200, json.write({ jsonrpc: '2.0', error: { code: -32600, message: `Invalid request: a batch has 1 to ${MOST_IN_BATCH} calls` }, id: null }));
    }
    const answers = [];
    for (const call of batch) {
      const fault = typeof call?.method === 'string' ? this.faults.next(call.method) : undefined;
      if (!fault || fault.executed) answers.push(this.answer(call));
      if (fault?.hang) return undefined;
      if (fault?.close) return response.socket.destroy();
      if (fault?.status) return refuse(response, fault);
      if (fault) answers[batch.indexOf(call)] = { jsonrpc: '2.0', error: { code: fault.code ?? -32005, message: fault.message ?? 'Node is unhealthy', data: fault.data }, id: call.id ?? null };
    }
    end(response, 200, json.write(Array.isArray(asked) ? answers : answers[0]));
  }

  answer(call) {
    const id = call?.id ?? null;
    try {
      if (typeof call?.method !== 'string') throw new RpcError(-32600, 'Invalid request');
      if (!Object.hasOwn(this.methods, call.method)) throw new RpcError(-32601, 'Method not found');
      this.calls.set(call.method, (this.calls.get(call.method) ?? 0) + 1);
      return { jsonrpc: '2.0', result: this.methods[call.method](call.params ?? []), id };
    } catch (e) {
      if (!(e instanceof RpcError)) console.error(e); // a mistake of the shim's own
      return { jsonrpc: '2.0', error: { code: e.code ?? -32603, message: e.message, data: e.data }, id };
    }
  }
}

function refuse(response, { status, retryAfter }) {
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  end(response, status, 'injected');
}

function end(response, status, text) {
  response.statusCode = status;
  response.setHeader('content-type', status === 200 ? 'application/json' : 'text/plain');
  response.end(text);
}

module.exports = { Server };
