import { Link2 } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { useGet } from "@/api/query";
import { useLanguage, useWords } from "@/words";
import { Button } from "../Button";
import { copyText } from "../CopyButton";
import { cn } from "../cn";
import { ErrorState } from "../ErrorState";
import { count } from "../format";
import { IconButton } from "../IconButton";
import { isTyping } from "../typing";
import { GoTo } from "./GoTo";
import { LogBody, type LogBodyHandle } from "./LogBody";
import { LogSearchBar } from "./LogSearchBar";
import { LogHead, type LogLooks, LogTools } from "./LogToolbar";
import type { LogSnapshot } from "./source";
import { useLog } from "./useLog";
import { useLogSearch } from "./useLogSearch";
import { hashOfRange, type Range } from "./window";
import { logWords } from "./words";

export type LogViewProps = {
  runId: string;
  /** The attempt that is shown at first; without it the newest, and each newer one that begins. */
  attemptId?: string;
  /** The lines that are marked, as a link has them. */
  marked?: Range | null;
  onMark?: (range: Range) => void;
  /** It fills its place instead of having a height of its own. */
  fill?: boolean;
  className?: string;
};

const kept = "orth.log";

function useLooks(): [LogLooks, (looks: LogLooks) => void] {
  const [looks, setLooks] = useState<LogLooks>(() => {
    try {
      return { wrap: false, stamps: true, ...JSON.parse(localStorage.getItem(kept) ?? "{}") };
    } catch {
      return { wrap: false, stamps: true };
    }
  });
  const change = useCallback((next: LogLooks) => {
    setLooks(next);
    try {
      localStorage.setItem(kept, JSON.stringify(next));
    } catch {
      // It lasts as long as the page.
    }
  }, []);
  return [looks, change];
}

/** The log of a run: live, searchable, of any length. A million lines cost as much as the fifty thousand in memory. */
export function LogView({ runId, attemptId, marked: given, onMark, fill, className }: LogViewProps) {
  const attempts = useGet("/runs/{id}/attempts", { path: { id: runId } }).data?.attempts ?? [];
  const asked = attemptId ? attempts.find((one) => one.id === attemptId)?.number : undefined;
  const [chosen, setChosen] = useState<number | null>(null);
  const attempt = chosen ?? asked ?? 0;
  // An attempt that is asked for by id is known once the list is there.
  if (attemptId && chosen === null && asked === undefined && attempts.length === 0) return null;
  return (
    <LogOf
      key={`${runId} ${attempt}`}
      {...{ runId, attempt, attempts, given, onMark, fill, className }}
      onAttempt={setChosen}
    />
  );
}

function LogOf({
  runId,
  attempt,
  attempts,
  onAttempt,
  given,
  onMark,
  fill,
  className,
}: {
  runId: string;
  attempt: number;
  attempts: Parameters<typeof LogHead>[0]["attempts"];
  onAttempt: (attempt: number) => void;
  given: Range | null | undefined;
  onMark: ((range: Range) => void) | undefined;
  fill: boolean | undefined;
  className: string | undefined;
}) {
  const t = useWords(logWords);
  const { source, log } = useLog(runId, attempt);
  const [looks, setLooks] = useLooks();
  const [follow, setFollow] = useState(!given);
  const [full, setFull] = useState(false);
  const [asking, setAsking] = useState(false);
  const [own, setOwn] = useState<Range | null>(given ?? null);
  const body = useRef<LogBodyHandle | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const show = useCallback((line: number) => body.current?.show(line), []);
  const search = useLogSearch(runId, log.attempt || attempt, show);
  const live = log.status === "streaming" || log.status === "waiting" || log.status === "away";
  const marked = own;
  const mark = useCallback(
    (range: Range) => {
      setOwn(range);
      onMark?.(range);
    },
    [onMark],
  );
  useLinked(given, log, show);
  const onKey = (
    event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "preventDefault" | "stopPropagation">,
  ) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const deeds: Record<string, () => void> = {
      "/": () => input.current?.focus(),
      n: () => void search.turn(1),
      N: () => void search.turn(-1),
      f: () => setFollow(!follow),
      w: () => setLooks({ ...looks, wrap: !looks.wrap }),
      g: () => setAsking(true),
      End: () => setFollow(true),
    };
    const deed = deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    event.stopPropagation();
    deed();
  };
  useKeysOfPage(fill === true || full, onKey);
  return (
    <section
      aria-label={t("log")}
      onKeyDown={(event) => {
        if (event.key === "Escape" && full) setFull(false);
      }}
      className={cn(
        "flex min-w-0 flex-col overflow-hidden",
        full ? "fixed inset-0 z-30 bg-page" : fill ? "h-full min-h-64" : "h-[28rem]",
        className,
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-raised px-3 py-1.5">
        <LogHead log={log} attempt={attempt} onAttempt={onAttempt} attempts={attempts} />
        <LogSearchBar search={search} input={input} />
        {marked && (
          <IconButton
            icon={Link2}
            label={t("copyLink")}
            size="small"
            className="size-7"
            onClick={() => void copyText(`${location.href.replace(/#.*$/, "")}#${hashOfRange(marked)}`)}
          />
        )}
        <LogTools
          {...{ runId, looks, follow, live, full }}
          shown={log.attempt || attempt}
          onLooks={setLooks}
          onFollow={setFollow}
          onFull={setFull}
          onGoTo={() => setAsking(true)}
        />
      </div>
      <LogNotes log={log} />
      <div className="relative flex min-h-0 flex-1 flex-col">
        {log.window.last === 0 ? (
          <Nothing log={log} />
        ) : (
          <LogBody
            {...{ source, log, marked, follow, onKey }}
            wrap={looks.wrap}
            stamps={looks.stamps}
            wanted={search.wanted}
            current={search.current}
            onMark={mark}
            onFollow={setFollow}
            handle={body}
          />
        )}
        {live && !follow && log.window.last > 0 && <Pill last={log.window.last} onClick={() => setFollow(true)} />}
      </div>
      <p className="hidden border-t bg-raised px-3 py-0.5 text-faint text-xs sm:block">{t("keys")}</p>
      <GoTo
        open={asking}
        onClose={() => setAsking(false)}
        onLine={(line) => {
          const to = Math.min(line, Math.max(1, log.window.last));
          mark({ from: to, to });
          show(to);
        }}
        onTime={async (at) => {
          const line = await source.lineAt(at);
          mark({ from: line, to: line });
          show(line);
        }}
      />
    </section>
  );
}

/** Has the keys of a log that is all of the page work wherever the focus is, before those of all pages. */
function useKeysOfPage(on: boolean, onKey: (event: globalThis.KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    if (!on) return;
    const pass = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || isTyping(event.target)) return;
      if (!document.querySelector("[role=dialog]")) latest.current(event);
    };
    document.addEventListener("keydown", pass);
    return () => document.removeEventListener("keydown", pass);
  }, [on]);
}

/** Shows the lines of the link that was followed, once there are lines. */
function useLinked(given: Range | null | undefined, log: LogSnapshot, show: (line: number) => void) {
  const shown = useRef(false);
  const there = log.window.last > 0;
  const from = given?.from;
  useEffect(() => {
    if (shown.current || !there || from === undefined) return;
    shown.current = true;
    show(from);
  }, [there, from, show]);
}

/** The status of the whole log. */
function LogNotes({ log }: { log: LogSnapshot }) {
  const t = useWords(logWords);
  const texts: string[] = [];
  if (log.fromMemory) texts.push(t("fromMemory"));
  if (log.kept === "cut" || log.kept === "torn" || log.kept === "none") texts.push(t(`kept_${log.kept}`));
  if (log.note) texts.push(log.note);
  if (texts.length === 0) return null;
  return (
    <p role="note" className="border-b bg-odd-tint px-3 py-1 text-odd text-xs">
      {texts.join(" ")}
    </p>
  );
}

function Nothing({ log }: { log: LogSnapshot }) {
  const t = useWords(logWords);
  if (log.problem) return <ErrorState problem={log.problem} />;
  const text = log.status === "done" ? t("empty") : log.status === "waiting" ? t("waiting") : t("emptyYet");
  return (
    <div className="grid flex-1 place-items-center bg-sunken p-6 text-soft" aria-busy={log.status === "loading"}>
      {log.status === "loading" ? "" : text}
    </div>
  );
}

/** Shows the number of new lines since following stopped, and resumes following. */
function Pill({ last, onClick }: { last: number; onClick: () => void }) {
  const t = useWords(logWords);
  const [language] = useLanguage();
  const [since] = useState(last);
  const n = last - since;
  return (
    <Button size="small" look="main" onClick={onClick} className="absolute right-6 bottom-4">
      {n > 0 ? t("newLines", { n: count(n, language) }) : t("follow")}
    </Button>
  );
}
