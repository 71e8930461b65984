import type { Run } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { oneLine, saidOf } from "@/pages/runs/timeline";
import { Elapsed } from "@/ui/Duration";
import { Link } from "@/ui/Link";
import { StateBadge } from "@/ui/StateBadge";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { type Translate, useWords } from "@/words";
import { causeWords, type sharedWords } from "@/words/shared";

function Cause({ run }: { run: Run }) {
  const t = useWords(causeWords);
  return <span className="text-soft">{t(run.cause as Parameters<Translate<"schedule">>[0])}</span>;
}

/** The columns of the runs of one job. */
export function runColumns(t: Translate<keyof (typeof sharedWords)["entries"] & string>): Column<Run>[] {
  return [
    {
      id: "id",
      title: t("run"),
      fixed: true,
      cell: (run) => (
        <Link to="/runs/$id" params={{ id: run.id } as never} className="font-medium">
          {run.id}
        </Link>
      ),
    },
    {
      id: "state",
      title: t("state"),
      cell: (run) => <StateBadge bare state={run.state} title={reasonText(run.reason) || undefined} />,
    },
    { id: "cause", title: t("cause"), cell: (run) => <Cause run={run} /> },
    { id: "planned", title: t("planned"), cell: (run) => <Time at={run.planned_at} as="absolute" /> },
    { id: "started", title: t("started"), cell: (run) => <Time at={run.started_at} /> },
    {
      id: "took",
      title: t("took"),
      align: "right",
      cell: (run) => <Elapsed from={run.started_at} to={run.ended_at} />,
    },
    {
      id: "message",
      title: t("message"),
      cell: (run) => {
        const text = reasonText(saidOf(run));
        return (
          <span className="block max-w-80 truncate text-soft" title={text}>
            {oneLine(text)}
          </span>
        );
      },
    },
  ];
}
