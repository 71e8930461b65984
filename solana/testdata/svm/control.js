'use strict';
// What tests do to the chain and to the node: methods that no real node has. Their names begin with test_.

const { invalid } = require('./errors');
const base58 = require('./base58');
const { pubkey, whole } = require('./params');
const { overTpu } = require('./sending');

const MOST_TICKS = 100_000n;

/** check refuses a setting of another type than it has. */
function check(name, value, type) {
  if (name === 'leaders') {
    const seats = Array.isArray(value) && value.length > 0 && value.every((l) => pubkey(l?.identity));
    if (!seats) throw invalid('leaders must be a list of {identity, tpuQuic}');
  } else if (typeof value !== type || value < 0) {
    throw invalid(`${name} must be a ${type}, and not below 0`);
  }
}

/** methods are the chain's; node is what carries them: its faults, its calls, its websockets. */
function methods(chain, node) {
  return {
    test_tick([n]) {
      const many = n === undefined ? 1n : whole(n, 'the number of slots');
      if (many > MOST_TICKS) throw invalid(`${many} slots are too many, ${MOST_TICKS} are the limit`);
      for (let i = 0n; i < many; i++) chain.tick();
      return chain.tip.slot;
    },
    test_skip([n]) {
      chain.skip(whole(n, 'the number of slots'));
      chain.tick();
      return chain.tip.slot;
    },
    test_rollback([n]) {
      try {
        return chain.rollback(Number(whole(n, 'the number of blocks')));
      } catch (e) {
        throw e instanceof RangeError ? invalid(e.message) : e;
      }
    },
    test_setTime([unix]) {
      chain.setTime(whole(unix, 'the time'));
      return chain.time / 1000n;
    },
    test_setAccount([key, a]) {
      const account = a && {
        lamports: whole(a.lamports, 'lamports'), data: Buffer.from(a.data ?? '', 'base64'),
        owner: base58.decode(pubkey(a.owner)), executable: Boolean(a.executable),
      };
      chain.setAccount(pubkey(key), account);
      return true;
    },
    test_addProgram([key, elf]) {
      try {
        chain.runtime.addProgram(pubkey(key), Buffer.from(elf, 'base64'));
      } catch (e) {
        throw invalid(`the program cannot be loaded: ${e.message}`);
      }
      return true;
    },
    test_config([changes]) {
      for (const [name, value] of Object.entries(changes)) {
        if (!(name in chain.config)) throw invalid(`there is no setting ${name}: there are ${Object.keys(chain.config).join(', ')}`);
        check(name, value, typeof chain.config[name]);
        chain.config[name] = value;
      }
      return chain.config;
    },
    test_tpu: (params) => overTpu(chain, params),
    test_log: ([from]) => chain.log.slice(Number(from ?? 0)),
    test_fail([rules]) {
      if (!Array.isArray(rules)) throw invalid('the first parameter must be a list of rules');
      node.faults.replace(rules);
      return rules.length;
    },
    test_calls: () => Object.fromEntries(node.calls),
    test_sockets: ([action, n]) => node.sockets(action, n),
  };
}

module.exports = { methods };
