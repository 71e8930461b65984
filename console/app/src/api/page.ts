/** What is needed of the browser's page; tests have one of their own. */
export type PageEvents = {
  document: EventTarget & { readonly visibilityState: string; readonly prerendering?: boolean };
  window: EventTarget;
};

/** How long a hidden page keeps its connections, in ms: long enough to look at another tab for a moment. */
export const keepHiddenFor = 1_000;

/**
 * Calls `begin` when the page is in use and `end` when it is not, until the returned function is called. A page is not
 * in use while it is prerendered, frozen, in the back/forward cache, or hidden for longer than `keepHiddenFor`. What
 * holds a connection open holds it between the two: a browser has six to a server over HTTP/1.1, and a page that the
 * tab has left keeps its own while it is in the cache.
 */
export function whileInUse(begin: () => void, end: () => void, page: PageEvents = { document, window }): () => void {
  let used = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const use = (now: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    if (used === now) return;
    used = now;
    if (now) begin();
    else end();
  };
  const look = () => {
    if (page.document.visibilityState === "visible" && !page.document.prerendering) use(true);
    else if (used) timer ??= setTimeout(() => use(false), keepHiddenFor);
  };
  const leave = () => use(false);
  const heard: [EventTarget, string, () => void][] = [
    [page.document, "visibilitychange", look],
    [page.document, "prerenderingchange", look],
    [page.document, "resume", look],
    [page.document, "freeze", leave],
    [page.window, "pageshow", look],
    [page.window, "pagehide", leave],
  ];
  for (const [target, name, then] of heard) target.addEventListener(name, then);
  look();
  return () => {
    for (const [target, name, then] of heard) target.removeEventListener(name, then);
    leave();
  };
}
