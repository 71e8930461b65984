import { useEffect, useSyncExternalStore } from "react";

/** How many forms on the page hold what somebody has typed and not saved. */
let unsaved = 0;
let over = false;
const listeners = new Set<() => void>();

function tell(now: boolean): void {
  if (over === now) return;
  over = now;
  for (const listener of listeners) listener();
}

/** Lets the page stay when the session ends, as long as a form is dirty. */
export function useUnsaved(dirty: boolean): void {
  useEffect(() => (dirty ? hold() : undefined), [dirty]);
}

/** Notes that there is something unsaved, until what it returns is called. */
export function hold(): () => void {
  unsaved++;
  return () => {
    unsaved--;
  };
}

/** Notes that the session has ended, and reports whether the page stays, with a word about it, for what is unsaved. */
export function endSession(): boolean {
  if (unsaved > 0) tell(true);
  return unsaved > 0;
}

/** Notes that the server answers again as somebody who is signed in. */
export const resumeSession = (): void => tell(false);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const sessionOver = (): boolean => over;

/** Whether the session has ended while the page stayed. */
export const useSessionOver = (): boolean => useSyncExternalStore(subscribe, sessionOver);
