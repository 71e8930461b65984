'use strict';
// Faults of a node that a test has ordered: each rule answers the next calls of a method in its own way.

/**
 * A rule is {method, times, ...}; the method * is every one but those of the control plane.
 *   status, retryAfter  an answer of HTTP, as of a proxy or a rate limit
 *   code, message, data an error of JSON-RPC
 *   close               the connection is closed without an answer
 *   hang                nothing is answered, ever
 *   executed            the method is executed before, and only its answer is lost
 */
class Faults {
  constructor() { this.rules = []; }

  replace(rules) { this.rules = rules.map((r) => ({ times: 1, ...r })); }

  /** next is the rule for a call, if any; it counts as used. */
  next(method) {
    if (method.startsWith('test_')) return undefined;
    const rule = this.rules.find((r) => r.times > 0 && (r.method === '*' || r.method === method));
    if (rule) rule.times--;
    return rule;
  }
}

module.exports = { Faults };
