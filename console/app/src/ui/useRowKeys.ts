import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react";

const within = "a,button,input,select,textarea,label,summary,[role=menuitem],[role=checkbox],[role=switch]";

/**
 * Gives rows the keyboard: one of them is reached by Tab; arrows, j and k, Home and End go to others, Enter
 * opens one, x or Space selects it. Clicks outside links and buttons open it too.
 */
export function useRowKeys<R>(
  rows: readonly R[],
  keyOf: (row: R) => string,
  open?: (row: R) => void,
  toggle?: (key: string) => void,
) {
  const [at, setAt] = useState(0);
  const elements = useRef(new Map<number, HTMLTableRowElement>());
  const tabAt = Math.min(at, Math.max(rows.length - 1, 0));
  const go = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    setAt(index);
    elements.current.get(index)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[index];
    if (row === undefined) return;
    const acts: Record<string, (() => void) | undefined> = {
      ArrowDown: () => go(index + 1),
      j: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      k: () => go(index - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      Enter: open && (() => open(row)),
      x: toggle && (() => toggle(keyOf(row))),
      " ": toggle && (() => toggle(keyOf(row))),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (index: number) => ({
    ref: (element: HTMLTableRowElement | null) => {
      if (element) elements.current.set(index, element);
      else elements.current.delete(index);
    },
    tabIndex: index === tabAt ? 0 : -1,
    onFocus: () => setAt(index),
    onKeyDown: (event: KeyboardEvent) => onKeyDown(event, index),
    onClick: open
      ? (event: MouseEvent) => {
          const row = rows[index];
          const marked = window.getSelection()?.toString();
          if (row !== undefined && !marked && !(event.target as Element).closest(within)) open(row);
        }
      : undefined,
  });
}
