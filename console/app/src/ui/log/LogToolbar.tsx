import { ArrowDownToLine, Clock, Download, LocateFixed, Maximize, Minimize, Pause, TextWrap } from "lucide-react";
import { urlOf } from "@/api/client";
import type { Schema } from "@/api/types";
import { useLanguage, useWords } from "@/words";
import { cn } from "../cn";
import { count } from "../format";
import { IconButton } from "../IconButton";
import { Menu, MenuItem } from "../Menu";
import { Select } from "../Select";
import { Toggle } from "./LogSearchBar";
import type { LogSnapshot } from "./source";
import { logWords } from "./words";

/** How a log is shown; kept for the user. */
export type LogLooks = { wrap: boolean; stamps: boolean };

const dots: Record<LogSnapshot["status"], string> = {
  loading: "bg-idle",
  waiting: "bg-idle",
  streaming: "bg-good",
  away: "bg-warn",
  done: "bg-idle",
  failed: "bg-bad",
};

/** Which attempt is shown and how far it is read. */
export function LogHead({
  log,
  attempt,
  onAttempt,
  attempts,
}: {
  log: LogSnapshot;
  attempt: number;
  onAttempt: (attempt: number) => void;
  attempts: Schema<"Attempt">[];
}) {
  const t = useWords(logWords);
  const [language] = useLanguage();
  const options = [
    { value: "0", label: t("newest") },
    ...attempts.map((one) => ({
      value: String(one.number),
      label: t("attemptN", { n: one.number }),
      help: one.address,
    })),
  ];
  return (
    <>
      {attempts.length > 1 && (
        <Select
          label={t("attempt")}
          value={String(attempt)}
          onChange={(chosen) => onAttempt(Number(chosen))}
          options={options}
          className="w-44"
        />
      )}
      <span role="status" className="inline-flex items-center gap-1.5 whitespace-nowrap text-soft text-xs">
        <span
          aria-hidden
          className={cn("size-2 rounded-full", dots[log.status], log.status === "streaming" && "anim-breathe")}
        />
        {t(log.status)}
        {log.window.last > 0 && (
          <span className="text-faint">
            · {t("count", { count: log.window.last, n: count(log.window.last, language) })}
          </span>
        )}
      </span>
    </>
  );
}

/** The buttons of a log. */
export function LogTools({
  runId,
  shown,
  looks,
  onLooks,
  follow,
  onFollow,
  live,
  full,
  onFull,
  onGoTo,
}: {
  runId: string;
  /** The number of the attempt that is shown. */
  shown: number;
  looks: LogLooks;
  onLooks: (looks: LogLooks) => void;
  follow: boolean;
  onFollow: (follow: boolean) => void;
  live: boolean;
  full: boolean;
  onFull: (full: boolean) => void;
  onGoTo: () => void;
}) {
  const t = useWords(logWords);
  const save = (query: { attempt?: number; ansi?: "keep" | "strip" }) => {
    const link = document.createElement("a");
    link.href = urlOf("/runs/{id}/log/download", { id: runId }, query);
    link.download = "";
    link.click();
  };
  return (
    <div className="ml-auto flex items-center gap-0.5">
      {live && (
        <Toggle
          icon={follow ? Pause : ArrowDownToLine}
          label={follow ? t("pause") : t("follow")}
          keys="f"
          on={follow}
          onChange={onFollow}
        />
      )}
      <Toggle
        icon={TextWrap}
        label={t("wrap")}
        keys="w"
        on={looks.wrap}
        onChange={(wrap) => onLooks({ ...looks, wrap })}
      />
      <Toggle icon={Clock} label={t("stamps")} on={looks.stamps} onChange={(stamps) => onLooks({ ...looks, stamps })} />
      <IconButton icon={LocateFixed} label={t("goTo")} keys="g" size="small" className="size-7" onClick={onGoTo} />
      <Menu trigger={<IconButton icon={Download} label={t("download")} size="small" className="size-7" />}>
        <MenuItem onSelect={() => save({ attempt: shown })}>{t("downloadThis")}</MenuItem>
        <MenuItem onSelect={() => save({ attempt: shown, ansi: "strip" })}>{t("downloadPlain")}</MenuItem>
        <MenuItem onSelect={() => save({})}>{t("downloadAll")}</MenuItem>
      </Menu>
      <Toggle icon={full ? Minimize : Maximize} label={full ? t("leaveFull") : t("full")} on={full} onChange={onFull} />
    </div>
  );
}
