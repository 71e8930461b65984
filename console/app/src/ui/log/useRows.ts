import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useState } from "react";

/** The height of a line that is not wrapped, in px. */
export const lineHeight = 18;
/** As many lines as are scrolled over at once: browsers bound the height of what they scroll. */
export const mostRows = { fixed: 900_000, wrapped: 20_000 };

/** A line that is drawn: its place in the list, and where it begins in px. */
export type Row = { index: number; start: number };

export type Rows = {
  rows: Row[];
  height: number;
  /** The first and the last row in sight. */
  first: number;
  last: number;
  scrollTo: (index: number, align: "start" | "center" | "end") => void;
  /** For rows whose height is not known before they are drawn. */
  measure: ((element: Element | null) => void) | undefined;
};

const beyond = 30;

/** The rows in sight of a list of lines of one height: plain arithmetic, so that a million of them cost nothing. */
function useFixed(count: number, scroller: RefObject<HTMLElement | null>): Rows {
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroller]);
  const first = Math.min(Math.max(0, Math.floor(view.top / lineHeight)), Math.max(0, count - 1));
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / lineHeight) - 1);
  const rows = useMemo(() => {
    const out: Row[] = [];
    for (let index = Math.max(0, first - beyond); index <= Math.min(count - 1, last + beyond); index++) {
      out.push({ index, start: index * lineHeight });
    }
    return out;
  }, [first, last, count]);
  const scrollTo = useCallback(
    (index: number, align: "start" | "center" | "end") => {
      const element = scroller.current;
      if (!element) return;
      const room = element.clientHeight - lineHeight;
      const shift = align === "start" ? 0 : align === "center" ? room / 2 : room;
      element.scrollTop = Math.max(0, index * lineHeight - shift);
    },
    [scroller],
  );
  return { rows, height: count * lineHeight, first, last, scrollTo, measure: undefined };
}

function useWrapped(count: number, scroller: RefObject<HTMLElement | null>, enabled: boolean): Rows {
  const virtual = useVirtualizer({
    count: enabled ? count : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: beyond,
    enabled,
  });
  const items = virtual.getVirtualItems();
  const scrollTo = useCallback(
    (index: number, align: "start" | "center" | "end") => virtual.scrollToIndex(index, { align }),
    [virtual],
  );
  const range = virtual.range;
  return {
    rows: items.map((item) => ({ index: item.index, start: item.start })),
    height: virtual.getTotalSize(),
    first: range?.startIndex ?? 0,
    last: range?.endIndex ?? 0,
    scrollTo,
    measure: virtual.measureElement,
  };
}

/** The rows in sight of a log, wrapped or not. */
export function useRows(count: number, scroller: RefObject<HTMLElement | null>, wrap: boolean): Rows {
  const fixed = useFixed(wrap ? 0 : count, scroller);
  const wrapped = useWrapped(count, scroller, wrap);
  return wrap ? wrapped : fixed;
}

/** The part of a log that is scrolled over at once: all of it unless it is huge. It moves with `show`. */
export function useSegment(total: number, most: number, following: boolean) {
  const [base, setBase] = useState(1);
  const newest = Math.max(1, total - most + 1);
  useEffect(() => {
    if (following) setBase(newest);
  }, [following, newest]);
  const start = Math.min(base, newest);
  const count = Math.min(most, total - start + 1);
  const show = useCallback(
    (line: number) =>
      setBase((now) => (line >= now && line < now + most ? now : Math.max(1, line - Math.floor(most / 2)))),
    [most],
  );
  return { start, count: Math.max(0, count), end: start + count - 1, show };
}
