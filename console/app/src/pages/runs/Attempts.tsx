import type { Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { Elapsed } from "@/ui/Duration";
import { duration } from "@/ui/format";
import { StateBadge } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { Tooltip } from "@/ui/Tooltip";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { runsWords } from "./words";

type Attempt = Schema<"Attempt">;

/** The tries of a run: where each went and what became of it. A click shows its log. */
export function Attempts({
  attempts,
  onOpen,
  current,
}: {
  attempts: readonly Attempt[] | undefined;
  onOpen: (attempt: Attempt) => void;
  current?: string;
}) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const columns: Column<Attempt>[] = [
    { id: "number", title: t("attempt"), cell: (one) => one.number, width: "5rem" },
    { id: "state", title: shared("state"), cell: (one) => <StateBadge state={one.state} />, width: "8.5rem" },
    {
      id: "executor",
      title: shared("executor"),
      cell: (one) => <span className="font-mono text-xs">{one.address}</span>,
    },
    { id: "sent", title: t("sent"), cell: (one) => <Time at={one.triggered_at} as="absolute" millis /> },
    {
      id: "taken",
      title: t("accepted"),
      cell: (one) => <Delay from={one.triggered_at} to={one.accepted_at} />,
      align: "right",
    },
    {
      id: "duration",
      title: t("duration"),
      cell: (one) => <Elapsed from={one.accepted_at ?? one.triggered_at} to={one.ended_at} />,
      align: "right",
    },
    {
      id: "message",
      title: shared("message"),
      cell: (one) => <Message attempt={one} />,
      className: "w-full max-w-0 min-w-48",
    },
  ];
  return (
    <Table
      label={t("attempts")}
      columns={columns}
      rows={attempts}
      rowKey={(one) => one.id}
      current={current}
      onOpen={onOpen}
      empty={<p className="px-4 py-6 text-soft">{t("noAttempt")}</p>}
    />
  );
}

function Delay({ from, to }: { from: string; to?: string }) {
  if (!to) return <span className="text-faint">–</span>;
  return <span className="whitespace-nowrap">+ {duration(Math.max(0, Date.parse(to) - Date.parse(from)))}</span>;
}

function Message({ attempt }: { attempt: Attempt }) {
  const t = useWords(runsWords);
  return (
    <div className="min-w-0">
      <p className="truncate text-soft" title={reasonText(attempt.message)}>
        {reasonText(attempt.message)}
      </p>
      {attempt.evidence?.map((one) => (
        <p key={`${one.at} ${one.state}`} className="truncate text-odd text-xs">
          <Tooltip text={t("evidenceHelp")}>
            <span>
              {t("evidence")}: {reasonText(one.note)} {one.message}
            </span>
          </Tooltip>
        </p>
      ))}
    </div>
  );
}
