/** A duration of the API without what is nothing at its end: 3h0m0s is 3h. */
export function shortTime(text: string): string {
  return text.replace(/(?<=\d[hm])0s$/, "").replace(/(?<=\dh)0m$/, "");
}
