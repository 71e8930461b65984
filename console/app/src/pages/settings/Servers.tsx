import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { ErrorState } from "@/ui/ErrorState";
import { bytes } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { settingsWords } from "./words";

type Server = Schema<"Server">;

/** The servers of the platform, and whether they do their work. */
export function Servers() {
  const answer = useGet("/servers", {}, { refetchInterval: 5_000 });
  if (answer.error && !answer.data) {
    return <ErrorState problem={answer.error} onRetry={() => void answer.refetch()} />;
  }
  if (!answer.data) return <SkeletonText />;
  return (
    <div className="flex flex-col gap-4">
      {answer.data.servers.map((one) => (
        <OneServer key={one.name} server={one} />
      ))}
    </div>
  );
}

function OneServer({ server }: { server: Server }) {
  const t = useWords(settingsWords);
  return (
    <Section
      title={<span className="font-mono">{server.name}</span>}
      actions={<Badge tone={server.ready ? "good" : "bad"}>{t(server.ready ? "ready" : "notReady")}</Badge>}
    >
      <div className="grid gap-6 lg:grid-cols-2">
        <KeyValue
          items={[
            [
              t("version"),
              <span key="version" className="font-mono text-xs">
                {server.version}
              </span>,
            ],
            [t("up"), <Time key="up" at={server.started_at} />],
            [
              t("listen"),
              <span key="listen" className="font-mono text-xs">{`${server.scheme}://${server.listen}`}</span>,
            ],
            [t("store"), `${server.store}, ${bytes(server.database_bytes)}`],
            [t("executors"), server.executors],
            [
              t("why"),
              server.reasons.length === 0 ? undefined : (
                <ul key="why" className="text-bad">
                  {server.reasons.map((one) => (
                    <li key={one.code}>{one.detail}</li>
                  ))}
                </ul>
              ),
            ],
          ]}
        />
        <div className="overflow-hidden rounded-md border">
          <Table
            label={t("loops")}
            columns={[
              {
                id: "loop",
                title: t("loop"),
                cell: (one) => <span className="font-mono text-xs">{one.name}</span>,
                fixed: true,
              },
              {
                id: "turned",
                title: t("turned"),
                cell: (one) =>
                  one.turned_at ? <Time at={one.turned_at} /> : <span className="text-faint">{t("never")}</span>,
                align: "right",
              },
            ]}
            rows={server.loops}
            rowKey={(one) => one.name}
            empty={null}
          />
        </div>
      </div>
    </Section>
  );
}
