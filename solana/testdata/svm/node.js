'use strict';
// A node: the chain, its methods over HTTP, and its subscriptions over websockets, each on a port of loopback.

const { once } = require('node:events');
const { Chain } = require('./chain');
const { Faults } = require('./faults');
const { Server } = require('./server');
const { Subscriptions } = require('./subscriptions');
const queries = require('./queries');
const { methods: sending } = require('./sending');
const control = require('./control');

const LEADER = { identity: 'Leader1111111111111111111111111111111111111' };

/** start returns {chain, rpc, ws, close}. */
async function start() {
  const chain = new Chain();
  chain.config.leaders = [LEADER];
  const faults = new Faults();
  const bound = Object.entries({ ...queries, ...sending }).map(([name, method]) => [name, (params) => method(chain, params)]);
  const methods = Object.fromEntries(bound);
  const server = new Server(methods, faults);
  const subscriptions = new Subscriptions(chain);
  Object.assign(methods, control.methods(chain, { faults, calls: server.calls, sockets: (action, n) => subscriptions.control(action, n) }));
  server.http.listen(0, '127.0.0.1');
  await Promise.all([once(server.http, 'listening'), once(subscriptions.server, 'listening')]);
  return {
    chain,
    methods,
    rpc: `http://127.0.0.1:${server.http.address().port}`,
    ws: `ws://127.0.0.1:${subscriptions.server.address().port}`,
    close() {
      subscriptions.control('drop');
      subscriptions.server.close();
      server.http.closeAllConnections();
      server.http.close();
    },
  };
}

module.exports = { start };
