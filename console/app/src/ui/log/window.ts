/** Lines of one chunk: the unit that is asked for, kept and forgotten. */
export const chunkLines = 500;

/** A range of lines, both ends included. */
export type Range = { from: number; to: number };

/**
 * The part of a log that is in memory: a bounded number of lines of one that may have millions. Lines are
 * numbered from 1. What was not looked at for longest is forgotten first, and read again when it is wanted.
 */
export class LogWindow {
  /** The last line that is known to exist. */
  last = 0;
  /** Why lines are missing, by the line before which they are. */
  readonly notes = new Map<number, string>();
  private readonly chunks = new Map<number, (string | undefined)[]>();

  constructor(private readonly most = 50_000) {}

  /** A line, undefined when it is not in memory. */
  line(n: number): string | undefined {
    return this.chunks.get(chunkOf(n))?.[(n - 1) % chunkLines];
  }

  /** Adds lines. A gap after the last line stays a gap and is shown as missing. */
  put(from: number, lines: readonly string[], note?: string): void {
    if (note) this.notes.set(from, note);
    lines.forEach((line, index) => {
      const n = from + index;
      const chunk = chunkOf(n);
      let held = this.chunks.get(chunk);
      if (!held) {
        held = [];
        this.chunks.set(chunk, held);
      }
      held[(n - 1) % chunkLines] = line;
    });
    if (lines.length > 0) this.touch({ from, to: from + lines.length - 1 });
    this.last = Math.max(this.last, from + lines.length - 1);
    this.forget();
  }

  /** How many lines are in memory at most, by whole chunks. */
  get held(): number {
    return this.chunks.size * chunkLines;
  }

  /** The first run of lines within a range that is not in memory, at most a page of the API long. */
  missing(range: Range, page = 1_000): Range | null {
    const end = Math.min(range.to, this.last);
    let from = Math.max(range.from, 1);
    while (from <= end && this.line(from) !== undefined) from++;
    if (from > end) return null;
    let to = from;
    while (to < end && to - from + 1 < page && this.line(to + 1) === undefined) to++;
    return { from, to };
  }

  /** Marks lines as visible: they are evicted last. */
  touch(range: Range): void {
    for (let chunk = chunkOf(Math.max(range.from, 1)); chunk <= chunkOf(Math.max(range.to, 1)); chunk++) {
      const held = this.chunks.get(chunk);
      if (!held) continue;
      this.chunks.delete(chunk);
      this.chunks.set(chunk, held);
    }
  }

  private forget(): void {
    for (const chunk of this.chunks.keys()) {
      if (this.held <= this.most) return;
      this.chunks.delete(chunk);
    }
  }
}

const chunkOf = (n: number): number => Math.floor((n - 1) / chunkLines);

/** The lines of a text of whole lines, each with its end. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** The lines of a hash such as #L12 or #L12-L40; null for any other. */
export function rangeOfHash(hash: string): Range | null {
  const match = /^#?L(\d+)(?:-L?(\d+))?$/.exec(hash);
  if (!match) return null;
  const a = Number(match[1]);
  const b = match[2] ? Number(match[2]) : a;
  if (a < 1 || b < 1) return null;
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

/** The hash of lines, without its sign. */
export const hashOfRange = ({ from, to }: Range): string => (from === to ? `L${from}` : `L${from}-L${to}`);

const stamp =
  /^\[?(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?|\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)\]?\s*/;

/** The time stamp that a line begins with and how many characters it takes; null for none. */
export function stampOf(line: string): { text: string; length: number } | null {
  const match = stamp.exec(line);
  return match ? { text: match[1] as string, length: match[0].length } : null;
}
