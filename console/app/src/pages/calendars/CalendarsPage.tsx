import { useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarDays, Plus } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { everySpace, useManySpaces, useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { inSpaces } from "@/ui/inSpaces";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { NamespaceField } from "../alarms/NamespaceField";
import { useCreation } from "../alarms/useCreation";
import { ImportDialog } from "./ImportDialog";
import { calendarWords } from "./words";

type Calendar = Schema<"Calendar">;

/** The calendars of a namespace, or of all. */
export function CalendarsPage() {
  const t = useWords(calendarWords);
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const place = useCreation("edit", shown);
  const { text } = useSearch({ strict: false }) as { text?: string };
  const [making, setMaking] = useState(false);
  const answer = useGet("/calendars", { query: { namespace: shown || everySpace } }, { keep: true });
  const shared = useWords(sharedWords);
  const columns = inSpaces(useManySpaces(), useColumns(), shared("namespace"));
  const all = answer.data?.calendars;
  const sought = text?.toLowerCase() ?? "";
  const rows = all?.filter((one) => `${one.key} ${one.title ?? ""}`.toLowerCase().includes(sought));
  const make = place.space && (
    <Button look="main" icon={Plus} disabled={!all} onClick={() => setMaking(true)}>
      {t("newCalendar")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} actions={make} />
      <FilterBar
        filters={[]}
        values={{ text }}
        search="text"
        searchLabel={t("search")}
        onChange={(changed) =>
          void navigate({ to: ".", search: (before: object) => ({ ...before, ...changed }), replace: true } as never)
        }
      />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={rows}
          rowKey={(one) => `${one.namespace}/${one.key}`}
          problem={answer.error}
          onRetry={() => void answer.refetch()}
          stale={answer.isPlaceholderData}
          onOpen={(one) => void navigate({ to: "/calendars/$ns/$key", params: { ns: one.namespace, key: one.key } })}
          empty={
            all?.length ? (
              <Empty icon={CalendarDays} title={t("notFound")} />
            ) : (
              <Empty
                icon={CalendarDays}
                title={t("emptyTitle")}
                action={make}
                command="orth calendar save cn --builtin cn"
              >
                {t("emptyText")}
              </Empty>
            )
          }
        />
      </Section>
      {making && place.space && (
        <ImportDialog
          namespace={place.space}
          place={shown ? undefined : <NamespaceField namespace={place.space} making={place} />}
          taken={all?.filter((one) => one.namespace === place.space).map((one) => one.key) ?? []}
          onClose={(made) => {
            place.forget();
            setMaking(false);
            if (made) void navigate({ to: "/calendars/$ns/$key", params: { ns: made.namespace, key: made.key } });
          }}
        />
      )}
    </>
  );
}

function useColumns(): Column<Calendar>[] {
  const t = useWords(calendarWords);
  const shared = useWords(sharedWords);
  return [
    {
      id: "key",
      title: t("key"),
      fixed: true,
      cell: (one) => (
        <Link
          to="/calendars/$ns/$key"
          params={{ ns: one.namespace, key: one.key }}
          className="whitespace-nowrap font-medium"
        >
          {one.key}
        </Link>
      ),
    },
    { id: "title", title: shared("title"), cell: (one) => one.title ?? "", className: "max-w-52 truncate" },
    {
      id: "kind",
      title: t("kind"),
      cell: (one) => t(one.rules.mode === "only" ? "onlyShort" : "excludeShort"),
    },
    {
      id: "weekdays",
      title: t("weekdays"),
      cell: (one) => (one.rules.weekdays ?? []).map((day) => t(day as "SUN")).join(", "),
    },
    { id: "known", title: t("knownUntil"), cell: (one) => <KnownUntil date={one.rules.known_until} /> },
    { id: "source", title: t("source"), cell: (one) => one.rules.source ?? "", className: "max-w-40 truncate" },
    { id: "version", title: t("version"), align: "right", cell: (one) => one.version },
    { id: "updated", title: shared("updated"), cell: (one) => <Time at={one.updated_at} /> },
  ];
}

/** Until when a calendar knows single days, and whether that is soon. */
export function KnownUntil({ date }: { date?: string }) {
  const t = useWords(calendarWords);
  if (!date) return <span className="text-faint">–</span>;
  const left = Date.parse(date) - Date.now();
  return (
    <span className="inline-flex items-center gap-x-2 tabular-nums">
      <span className="whitespace-nowrap">{date}</span>
      {left < 60 * 86_400_000 && <Badge tone={left < 0 ? "bad" : "warn"}>{t(left < 0 ? "ended" : "endsSoon")}</Badge>}
    </span>
  );
}
