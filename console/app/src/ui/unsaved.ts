import { useEffect, useSyncExternalStore } from "react";

/** Number of forms on the page with unsaved input. */
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
  useEffect(() => (dirty ? holdUnsaved() : undefined), [dirty]);
}

/** Notes that there is something unsaved, until what it returns is called. */
export function holdUnsaved(): () => void {
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

/** Records that the user is signed in again. */
export const resumeSession = (): void => tell(false);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const isSessionOver = (): boolean => over;

/** Whether the session has ended while the page stayed. */
export const useSessionOver = (): boolean => useSyncExternalStore(subscribe, isSessionOver);
