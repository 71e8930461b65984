'use strict';
// Starts a node, prints {"rpc", "ws"} on one line, and ends when its standard input does.

const { start } = require('./node');

start().then(({ chain, rpc, ws }) => {
  console.log(JSON.stringify({ rpc, ws }));

  // For demonstrations: the chain moves on by itself. Tests tick.
  const every = Number(process.env.AUTO_TICK_MS ?? 0);
  if (every > 0) setInterval(() => chain.tick(), every);
});

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
