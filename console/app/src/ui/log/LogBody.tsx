import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from "react";
import { useWords } from "@/words";
import { cn } from "../cn";
import { LogText } from "./LogLine";
import type { Wanted } from "./marks";
import type { LogSnapshot, LogSource } from "./source";
import { lineHeight, mostRows, useRows, useSegment } from "./useRows";
import type { Range } from "./window";
import { logWords } from "./words";

/** The commands of a log body. */
export type LogBodyHandle = { show: (line: number) => void; toEnd: () => void };

/** The lines of a log: those in sight are drawn, those that are not in memory are asked for. */
export function LogBody({
  source,
  log,
  wrap,
  stamps,
  wanted,
  current,
  marked,
  onMark,
  follow,
  onFollow,
  onKey,
  handle,
}: {
  source: LogSource;
  log: LogSnapshot;
  wrap: boolean;
  stamps: boolean;
  wanted: Wanted | null;
  /** The line of the hit at hand. */
  current: number | undefined;
  marked: Range | null;
  onMark: (range: Range) => void;
  follow: boolean;
  onFollow: (follow: boolean) => void;
  onKey: (event: KeyboardEvent) => void;
  handle: RefObject<LogBodyHandle | null>;
}) {
  const t = useWords(logWords);
  const scroller = useRef<HTMLDivElement>(null);
  const total = log.window.last;
  const segment = useSegment(total, wrap ? mostRows.wrapped : mostRows.fixed, follow);
  const rows = useRows(segment.count, scroller, wrap);
  const pending = useRef<number | null>(null);
  const { start } = segment;

  useEffect(() => {
    if (rows.last >= 0 && segment.count > 0)
      source.ensure({ from: start + rows.first, to: start + Math.max(rows.first, rows.last) });
  }, [source, start, rows.first, rows.last, segment.count]);

  const { scrollTo } = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version may have brought lines.
  useEffect(() => {
    if (follow && segment.count > 0) scrollTo(segment.count - 1, "end");
  }, [follow, segment.count, log.version, scrollTo]);

  // A line outside of the segment is shown once the segment has moved there.
  useEffect(() => {
    const line = pending.current;
    if (line === null || line < start || line >= start + segment.count) return;
    pending.current = null;
    scrollTo(line - start, "center");
  });

  handle.current = useMemo(
    () => ({
      show: (line: number) => {
        onFollow(false);
        pending.current = line;
        segment.show(line);
        if (line >= start && line < start + segment.count) {
          pending.current = null;
          scrollTo(line - start, "center");
        }
      },
      toEnd: () => onFollow(true),
    }),
    [onFollow, segment.show, segment.count, start, scrollTo],
  );

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (below < 4 && !follow && log.status === "streaming" && segment.end >= total) onFollow(true);
  };

  const digits = String(Math.max(total, 1)).length;
  return (
    <div
      ref={scroller}
      onScroll={onScroll}
      onWheel={(event) => event.deltaY < 0 && follow && onFollow(false)}
      onTouchMove={() => follow && onFollow(false)}
      onKeyDown={(event) => {
        if (["ArrowUp", "PageUp", "Home"].includes(event.key) && follow) onFollow(false);
        onKey(event);
      }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
      tabIndex={0}
      role="region"
      aria-label={t("lines")}
      title={undefined}
      className="relative min-h-0 flex-1 overflow-auto bg-sunken font-mono text-xs leading-[18px] focus-visible:outline-offset-[-2px]"
    >
      {segment.start > 1 && (
        <EdgeButton onClick={() => handle.current?.show(segment.start - 1)}>
          {t("earlier", { n: segment.start })}
        </EdgeButton>
      )}
      <div
        style={{ height: rows.height, position: "relative", minWidth: "100%", width: wrap ? "100%" : "max-content" }}
      >
        {rows.rows.map((row) => {
          const n = segment.start + row.index;
          return (
            <Line
              key={n}
              n={n}
              index={row.index}
              top={row.start}
              digits={digits}
              text={log.window.line(n)}
              note={log.window.notes.get(n)}
              wrap={wrap}
              stamps={stamps}
              wanted={wanted}
              current={current === n}
              marked={marked !== null && n >= marked.from && n <= marked.to}
              measure={rows.measure}
              onMark={(extend) => onMark(extend && marked ? widen(marked, n) : { from: n, to: n })}
            />
          );
        })}
      </div>
      {segment.end < total && (
        <EdgeButton onClick={() => handle.current?.show(segment.end + 1)}>{t("later", { n: segment.end })}</EdgeButton>
      )}
    </div>
  );
}

const widen = (range: Range, n: number): Range => ({ from: Math.min(range.from, n), to: Math.max(range.to, n) });

function EdgeButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="sticky left-0 block w-full border-y bg-raised py-1 text-center font-sans text-accent text-xs hover:underline"
    >
      {children}
    </button>
  );
}

function Line({
  n,
  index,
  top,
  digits,
  text,
  note,
  wrap,
  stamps,
  wanted,
  current,
  marked,
  measure,
  onMark,
}: {
  n: number;
  index: number;
  top: number;
  digits: number;
  text: string | undefined;
  note: string | undefined;
  wrap: boolean;
  stamps: boolean;
  wanted: Wanted | null;
  current: boolean;
  marked: boolean;
  measure: ((element: Element | null) => void) | undefined;
  onMark: (extend: boolean) => void;
}) {
  const t = useWords(logWords);
  return (
    <div
      ref={measure}
      data-index={index}
      data-line={n}
      style={{ position: "absolute", top: 0, left: 0, minWidth: "100%", transform: `translateY(${top}px)` }}
      className={cn(
        "flex hover:bg-hover",
        wrap && "w-full",
        marked && "bg-accent-tint hover:bg-accent-tint",
        current && "bg-warn-tint hover:bg-warn-tint",
        note && "border-odd border-t border-dashed",
      )}
      title={note ? t("missingHere", { why: note }) : undefined}
    >
      <a
        href={`#L${n}`}
        tabIndex={-1}
        aria-label={t("line", { n })}
        onClick={(event) => {
          event.preventDefault();
          onMark(event.shiftKey);
        }}
        style={{ width: `${digits + 2}ch` }}
        className={cn(
          "sticky left-0 shrink-0 select-none border-r bg-sunken pr-[1ch] text-right hover:text-accent",
          marked || current ? "font-semibold text-ink" : "text-faint",
        )}
      >
        {n}
      </a>
      <span
        className={cn("min-w-0 pr-4 pl-2", wrap ? "whitespace-pre-wrap break-all" : "whitespace-pre")}
        style={{ minHeight: lineHeight }}
      >
        {text === undefined ? (
          <span aria-hidden className="anim-breathe inline-block h-2.5 w-48 rounded-sm bg-line align-middle" />
        ) : (
          <LogText line={text} wanted={wanted} stamps={stamps} masked={t("masked")} />
        )}
      </span>
    </div>
  );
}
