'use strict';
// Starts the chain and its node, prints {"rpc", "ws"} on one line, and ends when its standard input does.

const { Chain } = require('./chain');
const { Faults } = require('./faults');
const { Server } = require('./server');
const { Subscriptions } = require('./subscriptions');
const queries = require('./queries');
const { methods: sending } = require('./sending');
const control = require('./control');

const chain = new Chain();
chain.config.leaders = [{ identity: 'Leader1111111111111111111111111111111111111' }];

const bound = Object.fromEntries(Object.entries({ ...queries, ...sending }).map(([name, method]) => [name, (params) => method(chain, params)]));
const faults = new Faults();
const server = new Server(bound, faults);
const subscriptions = new Subscriptions(chain);
Object.assign(bound, control.methods(chain, { faults, calls: server.calls, sockets: (action, n) => subscriptions.control(action, n) }));

server.http.listen(0, '127.0.0.1', () => {
  const { port } = server.http.address();
  console.log(JSON.stringify({ rpc: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${subscriptions.server.address().port}` }));
});

// For demonstrations: the chain moves on by itself. Tests tick.
const every = Number(process.env.AUTO_TICK_MS ?? 0);
if (every > 0) setInterval(() => chain.tick(), every);

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
