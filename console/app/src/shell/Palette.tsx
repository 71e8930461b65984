import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Boxes, ListChecks, type LucideIcon, Play, Plus, SunMoon } from "lucide-react";
import { Dialog as D } from "radix-ui";
import { Fragment, useId, useMemo, useState } from "react";
import { get } from "@/api/client";
import { useSession } from "@/session/session";
import { cn } from "@/ui/cn";
import { itemClass } from "@/ui/popup";
import { useDebounced } from "@/ui/useDebounced";
import { useListKeys } from "@/ui/useListKeys";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { everySpace, inSpace, useNamespace } from "./namespace";
import { matchesPage, mayOpen, navPages } from "./nav";
import { setTheme, useTheme } from "./theme";
import { shellWords } from "./words";

type Item = { id: string; part: string; label: string; help?: string; icon: LucideIcon; go: () => void };

/** Finds pages, jobs, runs and executors by the entered text, and opens one. `typed` returns the text entered before the palette was loaded. */
export default function Palette({ typed, onClose }: { typed: () => string; onClose: () => void }) {
  const t = useWords(shellWords);
  const shared = useWords(sharedWords);
  const id = useId();
  const [text, setText] = useState(typed);
  const found = useFound(text.trim());
  const pages = usePages(text.trim());
  const items = useMemo(() => [...pages, ...found], [pages, found]);
  const choose = (item: Item) => {
    onClose();
    item.go();
  };
  const keys = useListKeys(items, choose, onClose);
  return (
    <D.Root open onOpenChange={(open) => !open && onClose()}>
      <D.Portal>
        <D.Overlay className="anim-appear fixed inset-0 z-40 bg-shade" />
        <D.Content
          aria-describedby={undefined}
          className="anim-rise fixed inset-x-3 top-[12vh] z-40 mx-auto flex max-h-[70vh] max-w-xl flex-col overflow-hidden rounded-lg border border-line-strong bg-raised shadow-xl outline-none"
        >
          <D.Title className="sr-only">{t("palette")}</D.Title>
          <input
            role="combobox"
            aria-label={t("palette")}
            aria-expanded
            aria-controls={id}
            aria-activedescendant={items.length > 0 ? `${id}-${keys.at}` : undefined}
            placeholder={t("paletteHint")}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={keys.onKeyDown}
            className="h-12 shrink-0 border-b bg-transparent px-4 text-base outline-none"
          />
          <div id={id} role="listbox" aria-label={t("palette")} className="min-h-0 overflow-y-auto p-1.5">
            {items.map((item, index) => (
              <Fragment key={item.id}>
                {items[index - 1]?.part !== item.part && (
                  <p role="presentation" className="px-2 pt-2 pb-1 text-faint text-xs">
                    {item.part}
                  </p>
                )}
                <Line
                  item={item}
                  id={`${id}-${index}`}
                  on={index === keys.at}
                  onAt={() => keys.setAt(index)}
                  onChoose={choose}
                />
              </Fragment>
            ))}
            {items.length === 0 && <p className="px-2 py-3 text-faint">{shared("nothingFound")}</p>}
          </div>
        </D.Content>
      </D.Portal>
    </D.Root>
  );
}

function Line({
  item,
  id,
  on,
  onAt,
  onChoose,
}: {
  item: Item;
  id: string;
  on: boolean;
  onAt: () => void;
  onChoose: (item: Item) => void;
}) {
  const Icon = item.icon;
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={on}
      data-highlighted={on ? "" : undefined}
      ref={(element) => {
        if (on) element?.scrollIntoView({ block: "nearest" });
      }}
      className={cn(itemClass, "h-8")}
      onPointerMove={onAt}
      onClick={() => onChoose(item)}
      onKeyDown={() => {}}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-faint" strokeWidth={1.75} />
      <span className="truncate">{item.label}</span>
      {item.help && <span className="truncate text-faint text-xs">{item.help}</span>}
    </div>
  );
}

function usePages(text: string): Item[] {
  const t = useWords(shellWords);
  const { may } = useSession();
  const navigate = useNavigate();
  const [theme] = useTheme();
  return useMemo(() => {
    const part = t("pages");
    const pages: Item[] = navPages
      .filter((place) => mayOpen(place, may) && matchesPage(place, text))
      .map((place) => ({
        id: place.to,
        part,
        label: t(place.word),
        icon: place.icon,
        go: () => void navigate({ to: place.to }),
      }));
    if (may("edit") && matchesPage({ to: "new-job", word: "newJob" }, text)) {
      const go = () => void navigate({ to: "/jobs/new" } as never);
      pages.push({ id: "new-job", part, label: t("newJob"), icon: Plus, go });
    }
    const other = theme === "dark" ? "light" : "dark";
    if (matchesPage({ to: "theme", word: "toggleTheme" }, text)) {
      pages.push({ id: "theme", part, label: t("toggleTheme"), icon: SunMoon, go: () => setTheme(other) });
    }
    return pages;
  }, [t, may, navigate, text, theme]);
}

function useFound(text: string): Item[] {
  const t = useWords(shellWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const settled = useDebounced(text, 150);
  const { data } = useQuery({
    queryKey: ["palette", shown, settled],
    queryFn: ({ signal }) => find(settled, shown, signal),
    enabled: settled !== "",
    placeholderData: (before) => before,
  });
  return useMemo(() => {
    if (!data || text === "") return [];
    const jobs = data.jobs.map((job) => ({
      id: `job ${job.namespace}/${job.key}`,
      part: t("jobs"),
      label: job.title || job.key,
      help:
        [shown || job.namespace === "default" ? "" : `${job.namespace}/`, job.title ? job.key : ""].join("") ||
        undefined,
      icon: ListChecks,
      go: () => void navigate({ to: `/jobs/${job.key}`, search: inSpace(shown, job.namespace) } as never),
    }));
    const runs = data.run
      ? [
          {
            id: `run ${data.run}`,
            part: t("runs"),
            label: `${shared("run")} ${data.run}`,
            icon: Play,
            go: () => void navigate({ to: `/runs/${data.run}` } as never),
          },
        ]
      : [];
    const groups = data.groups.map((group) => ({
      id: `group ${group.key}`,
      part: t("executors"),
      label: group.key,
      help: group.title,
      icon: Boxes,
      go: () => void navigate({ to: `/groups/${group.namespace}/${group.key}` } as never),
    }));
    return [...runs, ...jobs, ...groups];
  }, [data, text, t, shared, navigate, shown]);
}

const most = 8;

/** Searches the selected namespace, or all if none is selected. A number is the ID of a run or of an attempt, which executors use. */
async function find(text: string, shown: string, signal: AbortSignal) {
  const digits = /^\d{1,19}$/.test(text);
  const [jobs, groups, run] = await Promise.all([
    get("/jobs", { query: { namespace: shown || everySpace, text, limit: most }, signal }).catch(() => ({ jobs: [] })),
    get("/groups", { query: { namespace: shown || undefined }, signal }).catch(() => ({ groups: [] })),
    digits ? runOf(text, signal) : null,
  ]);
  const low = text.toLowerCase();
  return {
    jobs: jobs.jobs,
    groups: groups.groups
      .filter((group) => `${group.key} ${group.title ?? ""}`.toLowerCase().includes(low))
      .slice(0, most),
    run,
  };
}

async function runOf(id: string, signal: AbortSignal): Promise<string | undefined> {
  const run = await get("/runs/{id}", { path: { id }, signal }).catch(() => null);
  if (run) return run.id;
  return (await get("/attempts/{id}", { path: { id }, signal }).catch(() => null))?.run_id;
}
