import type { ReactNode } from "react";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { useWords } from "@/words";
import { alarmWords } from "./words";

const parts = [
  ["/alarms", "title"],
  ["/alarms/messages", "messages"],
  ["/alarms/rules", "rules"],
  ["/alarms/channels", "channels"],
  ["/alarms/silences", "silences"],
] as const;

export type Part = (typeof parts)[number][0];

/** The head of the pages of alarms, with the way between them. */
export function AlarmsFrame({ part, actions, children }: { part: Part; actions?: ReactNode; children: ReactNode }) {
  const t = useWords(alarmWords);
  const own = parts.find(([to]) => to === part)?.[1] ?? "title";
  return (
    <>
      <PageHeader
        title={t("title")}
        documentTitle={own === "title" ? t("title") : `${t(own)} · ${t("title")}`}
        text={t("text")}
        actions={actions}
      />
      <nav aria-label={t("parts")} className="mb-4 flex gap-4 overflow-x-auto border-b px-px">
        {parts.map(([to, word]) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            className="-mb-px whitespace-nowrap rounded-none border-transparent border-b-2 py-2 font-medium text-sm text-soft hover:text-ink hover:no-underline aria-[current=page]:border-accent aria-[current=page]:text-ink"
          >
            {t(word)}
          </Link>
        ))}
      </nav>
      {children}
    </>
  );
}
