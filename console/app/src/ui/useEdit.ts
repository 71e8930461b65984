import { useState } from "react";
import { rebase } from "./edit";
import { useUnsaved } from "./unsaved";

/** A form over a stored object that other users may change. */
export type Edit<V> = {
  values: V;
  set: (part: Partial<V>) => void;
  /** What was stored when it was read: the difference to the values is what is to be saved. */
  first: V;
  /** The version, or the tag, that was read: what a save is for. */
  version: string;
  /** The names of values that both changed in different ways, after the last adopt; undefined before one. */
  both: readonly string[] | undefined;
  /** Puts what was typed onto what is there now, and saves for that from now on. */
  adopt: (next: V, version: string | number) => void;
};

/** Keeps the input separate from the stored object. A newer version has no effect until it is adopted. */
export function useEdit<V extends object>(read: () => V, version: string | number): Edit<V> {
  const [state, setState] = useState(() => {
    const first = read();
    return { first, values: first, version: String(version), both: undefined as readonly string[] | undefined };
  });
  useUnsaved(state.values !== state.first);
  return {
    ...state,
    set: (part) => setState((now) => ({ ...now, values: { ...now.values, ...part } })),
    adopt: (next, to) =>
      setState((now) => {
        const { values, both } = rebase(now.first, now.values, next);
        return { first: next, values, version: String(to), both };
      }),
  };
}
