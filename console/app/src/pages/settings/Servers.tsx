import { useState } from "react";
import { put } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Badge, type Tone } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Duration } from "@/ui/Duration";
import { ErrorState } from "@/ui/ErrorState";
import { bytes, count } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
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
        <OneServer key={one.name} server={one} onChange={() => void answer.refetch()} />
      ))}
    </div>
  );
}

const tones: Record<Server["state"], Tone> = { working: "good", draining: "warn", stopped: "plain", gone: "bad" };

function OneServer({ server, onChange }: { server: Server; onChange: () => void }) {
  const t = useWords(settingsWords);
  const [language] = useLanguage();
  const [asked, setAsked] = useState(false);
  const alive = server.state === "working" || server.state === "draining";
  const shared = server.beat_at !== undefined; // the database is, with other servers
  return (
    <Section
      title={<span className="font-mono">{server.name}</span>}
      actions={
        <>
          {shared && server.self && <Badge>{t("self")}</Badge>}
          {shared && server.leads && <Badge>{t("leads")}</Badge>}
          {shared && <Badge tone={tones[server.state]}>{t(`state_${server.state}`)}</Badge>}
          {alive && <Badge tone={server.ready ? "good" : "bad"}>{t(server.ready ? "ready" : "notReady")}</Badge>}
          {shared && alive && (
            <Button size="small" onClick={() => setAsked(true)}>
              {t(server.state === "draining" ? "resume" : "drain")}
            </Button>
          )}
        </>
      }
    >
      <Asked server={server} open={asked} onClose={() => setAsked(false)} onDone={onChange} />
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
            [t("executors"), count(server.executors, language)],
            [t("lag"), <Duration key="lag" of={server.lag} />],
            [t("planned"), count(server.planned, language)],
            [t("sent"), count(server.sent, language)],
            [t("held"), count(server.held, language)],
            [t("heard"), server.beat_at && <Time key="heard" at={server.beat_at} />],
            [t("skew"), shared ? <Duration key="skew" of={server.clock_skew} /> : undefined],
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
        <div className="self-start overflow-hidden rounded-md border">
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

/** Asks before a server is drained, or works again. */
function Asked(props: { server: Server; open: boolean; onClose: () => void; onDone: () => void }) {
  const { server, open, onClose, onDone } = props;
  const t = useWords(settingsWords);
  const toast = useToast();
  const { name } = server;
  const on = server.state !== "draining";
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={t(on ? "drain" : "resume")}
      text={on ? t("drainText", { name }) : t("resumeText", { name })}
      action={t(on ? "drain" : "resume")}
      onConfirm={async () => {
        await put("/servers/{name}/drain", { path: { name }, body: { on } });
        toast.done(t(on ? "drained" : "resumed", { name }));
        onDone();
      }}
    />
  );
}
