/** Where a job is: keys are unique within their namespace. */
export type JobRef = { namespace: string; key: string };

/** A place as one text: no name of a namespace has a slash. */
export const jobRefText = ({ namespace, key }: JobRef) => `${namespace}/${key}`;

/** Reads a place that placeOf has written. */
export function parseJobRef(text: string): JobRef {
  const at = text.indexOf("/");
  return { namespace: text.slice(0, at), key: text.slice(at + 1) };
}

/** Places by their namespaces, in parts of at most so many keys: what one request can name. */
export function chunksOf(places: readonly JobRef[], most: number): { namespace: string; keys: string[] }[] {
  const chunks: { namespace: string; keys: string[] }[] = [];
  const last = new Map<string, { namespace: string; keys: string[] }>();
  for (const { namespace, key } of places) {
    let chunk = last.get(namespace);
    if (!chunk || chunk.keys.length >= most) {
      chunk = { namespace, keys: [] };
      last.set(namespace, chunk);
      chunks.push(chunk);
    }
    chunk.keys.push(key);
  }
  return chunks;
}
