'use strict';
// JSON in which no number loses a digit: ids are echoed as they were written, and lamports are 64 bits wide.

/** A number that a double does not hold, or that was written in another way than JavaScript would write it. */
class Exact {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARK = '\u0001';
const MARKED = /"\\u0001([-+.\deE]+)"/g;

/** parse reads JSON; numbers that would change are an Exact. It throws a SyntaxError as JSON.parse does. */
function parse(text) {
  const marked = text.replace(TOKEN, (t) => (t[0] === '"' || String(Number(t)) === t ? t : `"${'\\u0001'}${t}"`));
  return JSON.parse(marked, (_, v) => (typeof v === 'string' && v[0] === MARK ? new Exact(v.slice(1)) : v));
}

/** write makes JSON; a bigint and an Exact are written with all their digits. */
function write(value) {
  return JSON.stringify(value, (_, v) => {
    if (typeof v === 'bigint' || v instanceof Exact) return MARK + v;
    return v;
  }).replace(MARKED, '$1');
}

module.exports = { Exact, parse, write };
