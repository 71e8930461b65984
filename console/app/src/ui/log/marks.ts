/** What is searched for in a log. */
export type Wanted = { text: string; regexp: boolean; fold: boolean };

/** Where a text has what is searched for: pairs of begin and end. An expression that browsers do not know marks nothing. */
export function marksIn(text: string, wanted: Wanted | null): [number, number][] {
  if (!wanted || wanted.text === "") return [];
  const expression = expressionOf(wanted);
  if (!expression) return [];
  const found: [number, number][] = [];
  for (const match of text.matchAll(expression)) {
    if (match[0].length === 0) continue;
    found.push([match.index, match.index + match[0].length]);
    if (found.length >= 50) break;
  }
  return found;
}

let known: { wanted: Wanted; expression: RegExp | null } | null = null;

function expressionOf(wanted: Wanted): RegExp | null {
  if (known?.wanted === wanted) return known.expression;
  const source = wanted.regexp ? wanted.text : wanted.text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  let expression: RegExp | null = null;
  try {
    expression = new RegExp(source, wanted.fold ? "giu" : "gu");
  } catch {
    // The server's expressions know forms that browsers do not.
  }
  known = { wanted, expression };
  return expression;
}

/** A piece of a text and whether it is a match. */
export type Piece = { text: string; hit: boolean };

/** Cuts a stretch, which begins at `offset` of its line, at the line's matches. */
export function pieces(text: string, offset: number, marks: readonly [number, number][]): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    const a = Math.max(from - offset, at);
    const b = Math.min(to - offset, text.length);
    if (b <= a) continue;
    if (a > at) out.push({ text: text.slice(at, a), hit: false });
    out.push({ text: text.slice(a, b), hit: true });
    at = b;
  }
  if (at < text.length) out.push({ text: text.slice(at), hit: false });
  return out;
}
