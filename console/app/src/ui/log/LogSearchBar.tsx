import { CaseSensitive, ChevronDown, ChevronUp, Regex, Search } from "lucide-react";
import type { RefObject } from "react";
import { useLanguage, useWords } from "@/words";
import { cn } from "../cn";
import { count } from "../format";
import { IconButton } from "../IconButton";
import { Input } from "../Input";
import type { LogSearch } from "./useLogSearch";
import { logWords } from "./words";

/** Looks for text in the whole log, also in what is not in memory. */
export function LogSearchBar({ search, input }: { search: LogSearch; input: RefObject<HTMLInputElement | null> }) {
  const t = useWords(logWords);
  const { found } = search;
  return (
    <div className="flex min-w-0 flex-1 basis-64 flex-wrap items-center gap-0.5">
      <Input
        ref={input}
        icon={Search}
        onClear={() => search.setText("")}
        aria-label={t("search")}
        placeholder={t("search")}
        value={search.text}
        onChange={(event) => search.setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter") {
            event.preventDefault();
            void search.turn(event.shiftKey ? -1 : 1);
          }
          if (event.key === "Escape" && search.text !== "") {
            event.stopPropagation();
            search.setText("");
          }
        }}
        className="max-w-72 flex-1 basis-40"
      />
      <Toggle icon={CaseSensitive} label={t("caseMatters")} on={search.caseMatters} onChange={search.setCaseMatters} />
      <Toggle icon={Regex} label={t("expression")} on={search.regexp} onChange={search.setRegexp} />
      {search.wanted && (
        <>
          <IconButton
            icon={ChevronUp}
            label={t("previousHit")}
            size="small"
            onClick={() => void search.turn(-1)}
            disabled={found.lines.length === 0}
          />
          <IconButton
            icon={ChevronDown}
            label={t("nextHit")}
            size="small"
            onClick={() => void search.turn(1)}
            disabled={found.lines.length === 0}
          />
          <Figures search={search} />
        </>
      )}
    </div>
  );
}

function Figures({ search }: { search: LogSearch }) {
  const t = useWords(logWords);
  const [language] = useLanguage();
  const { found, at } = search;
  const n = `${count(found.lines.length, language)}${found.next ? "+" : ""}`;
  const text = () => {
    if (found.problem) return found.problem.detail || found.problem.title;
    if (found.busy && found.lines.length === 0) return t("searching");
    if (found.lines.length === 0) return found.note ? t("notAll", { why: found.note }) : t("noHits");
    return at < 0 ? t("hits", { n }) : t("hitOf", { at: count(at + 1, language), n });
  };
  return (
    <span
      role="status"
      title={found.note || undefined}
      className={cn("ml-1 max-w-72 truncate text-xs", found.problem ? "text-bad" : "text-soft")}
    >
      {text()}
    </span>
  );
}

/** A small button that is on or off. */
export function Toggle({
  icon,
  label,
  on,
  onChange,
  keys,
}: {
  icon: Parameters<typeof IconButton>[0]["icon"];
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
  keys?: string;
}) {
  return (
    <IconButton
      icon={icon}
      label={label}
      keys={keys}
      size="small"
      aria-pressed={on}
      onClick={() => onChange(!on)}
      className={cn("size-7", on && "bg-accent-tint text-accent hover:bg-accent-tint hover:text-accent")}
    />
  );
}
