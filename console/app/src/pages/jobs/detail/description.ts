/** A piece of a text: words, or an address of the web that can be followed. */
export type Part = { at: number; text: string; href?: string };

// What ends a sentence or a bracket behind an address is not of it.
const address = /https?:\/\/[^\s<>"'`，。；、！？（）【】「」]*[^\s<>"'`，。；、！？（）【】「」.,;:!?)\]}]/gi;

/** Divides a text at its addresses. Only http and https are ones: what else a text holds is never made a link. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const found of text.matchAll(address)) {
    if (!URL.canParse(found[0])) continue;
    if (found.index > done) parts.push({ at: done, text: text.slice(done, found.index) });
    parts.push({ at: found.index, text: found[0], href: found[0] });
    done = found.index + found[0].length;
  }
  if (done < text.length) parts.push({ at: done, text: text.slice(done) });
  return parts;
}
