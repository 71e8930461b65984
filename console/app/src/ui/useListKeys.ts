import { type KeyboardEvent, useEffect, useState } from "react";

/** The arrow keys of an input that stands before a list: which line is at hand, and what chooses it. */
export function useListKeys<T>(items: readonly T[], choose: (item: T) => void, close: () => void) {
  const [at, setAt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its first line.
  useEffect(() => setAt(0), [items]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = items.length - 1;
    switch (event.key) {
      case "ArrowDown":
        setAt((now) => (now >= last ? 0 : now + 1));
        break;
      case "ArrowUp":
        setAt((now) => (now <= 0 ? Math.max(last, 0) : now - 1));
        break;
      case "Enter": {
        const item = items[at];
        if (item === undefined) return;
        choose(item);
        break;
      }
      case "Escape":
        close();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return { at, setAt, onKeyDown };
}
