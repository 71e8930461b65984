import { Bell } from "lucide-react";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { Badge } from "@/ui/Badge";
import { Empty } from "@/ui/Empty";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { jobWords } from "./words";

/** The alarms about a job. */
export function AlarmsTab({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const shared = useWords(sharedWords);
  const { data, error, refetch } = useGet("/alarms", {
    query: { job: job.key, namespace: job.namespace, state: "all", limit: 100 },
  });
  return (
    <Section flush title={t("alarms")}>
      <Table
        label={t("alarms")}
        rows={data?.alarms}
        rowKey={(alarm) => alarm.id}
        problem={error}
        onRetry={() => void refetch()}
        empty={
          <Empty icon={Bell} title={t("noAlarms")} action={<Link to="/alarms">{t("alarms")}</Link>}>
            {t("noAlarmsText")}
          </Empty>
        }
        columns={[
          {
            id: "state",
            title: shared("state"),
            cell: (alarm) => (
              <Badge tone={alarm.state === "firing" ? "bad" : "good"}>
                {alarm.state === "firing" ? t("firing") : t("resolved")}
              </Badge>
            ),
          },
          { id: "rule", title: t("alarm"), cell: (alarm) => `${alarm.rule} · ${alarm.kind}` },
          {
            id: "reason",
            title: shared("reason"),
            cell: (alarm) => (
              <span className="block max-w-96 truncate" title={reasonText(alarm.reason)}>
                {reasonText(alarm.reason)}
              </span>
            ),
          },
          { id: "count", title: t("times"), align: "right", cell: (alarm) => alarm.count },
          { id: "since", title: t("since"), cell: (alarm) => <Time at={alarm.first_at} /> },
          {
            id: "run",
            title: t("runOf"),
            cell: (alarm) =>
              alarm.last_run_id && (
                <Link to="/runs/$id" params={{ id: alarm.last_run_id } as never}>
                  {alarm.last_run_id}
                </Link>
              ),
          },
        ]}
      />
    </Section>
  );
}
