/** How a stretch of a line looks. */
export type Look = {
  /** One of the 16 colours by number, or any other as CSS. */
  ink?: number | string;
  ground?: number | string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strike?: boolean;
};

/** A stretch of a line with one look. */
export type Span = { text: string; look: Look };

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what is looked for.
const sequence = /\u001b\[([0-9;:]*)m/g;

/** Whether a line has colours at all: most have none. */
export const coloured = (line: string): boolean => line.includes("\u001b[");

/**
 * Splits a line at its colour sequences (SGR). Each line begins plain: lines are shown out of order, and what
 * one leaves switched on must not depend on which others were read before.
 */
export function spansOf(line: string): Span[] {
  if (!coloured(line)) return [{ text: line, look: {} }];
  const spans: Span[] = [];
  let look: Look = {};
  let at = 0;
  for (const match of line.matchAll(sequence)) {
    if (match.index > at) spans.push({ text: line.slice(at, match.index), look });
    look = after(look, match[1] ?? "");
    at = match.index + match[0].length;
  }
  if (at < line.length) spans.push({ text: line.slice(at), look });
  return spans;
}

/** The line without its colours. */
export const plain = (line: string): string => (coloured(line) ? line.replace(sequence, "") : line);

function after(look: Look, codes: string): Look {
  const list = codes === "" ? [0] : codes.split(/[;:]/).map((code) => Number(code || 0));
  let next = { ...look };
  for (let i = 0; i < list.length; i++) {
    const code = list[i] as number;
    if (code === 38 || code === 48) {
      const [colour, taken] = extended(list.slice(i + 1));
      if (code === 38) next.ink = colour;
      else next.ground = colour;
      i += taken;
    } else next = one(next, code);
  }
  return next;
}

function one(look: Look, code: number): Look {
  if (code === 0) return {};
  if (code >= 30 && code <= 37) return { ...look, ink: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, ink: code - 90 + 8 };
  if (code >= 40 && code <= 47) return { ...look, ground: code - 40 };
  if (code >= 100 && code <= 107) return { ...look, ground: code - 100 + 8 };
  switch (code) {
    case 1:
      return { ...look, bold: true };
    case 2:
      return { ...look, dim: true };
    case 3:
      return { ...look, italic: true };
    case 4:
      return { ...look, underline: true };
    case 7:
      return { ...look, ink: look.ground, ground: look.ink };
    case 9:
      return { ...look, strike: true };
    case 22:
      return { ...look, bold: false, dim: false };
    case 23:
      return { ...look, italic: false };
    case 24:
      return { ...look, underline: false };
    case 29:
      return { ...look, strike: false };
    case 39:
      return { ...look, ink: undefined };
    case 49:
      return { ...look, ground: undefined };
    default:
      return look;
  }
}

/** The colour that follows 38 or 48, and how many numbers it takes. */
function extended(list: number[]): [colour: number | string | undefined, taken: number] {
  if (list[0] === 5) return [of256(list[1] ?? 0), 2];
  if (list[0] === 2) return [rgb(list[1] ?? 0, list[2] ?? 0, list[3] ?? 0), 4];
  return [undefined, 1];
}

function of256(n: number): number | string {
  if (n < 16) return n;
  if (n >= 232) {
    const grey = 8 + (Math.min(n, 255) - 232) * 10;
    return rgb(grey, grey, grey);
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = n - 16;
  return rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const rgb = (r: number, g: number, b: number) => `rgb(${Math.min(r, 255)} ${Math.min(g, 255)} ${Math.min(b, 255)})`;
