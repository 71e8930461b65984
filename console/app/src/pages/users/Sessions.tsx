import { useQueryClient } from "@tanstack/react-query";
import { LogOut, MonitorX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { remove } from "@/api/client";
import { useGet } from "@/api/query";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { browserOf, type Session } from "./people";
import { userWords } from "./words";

/** The sessions of who is signed in: each can be ended, or all others at once. */
export function OwnSessions() {
  const t = useWords(userWords);
  const toast = useToast();
  const queries = useQueryClient();
  const answer = useGet("/sessions");
  const [asked, setAsked] = useState(false);
  const others = answer.data?.sessions.filter((one) => !one.current) ?? [];
  const end = async (sessions: readonly Session[]) => {
    for (const one of sessions) await remove("/sessions/{id}", { path: { id: one.id } });
    await queries.invalidateQueries({ queryKey: ["/sessions"] });
    toast.done(t("ended"));
  };
  return (
    <>
      <SessionTable
        answer={answer}
        action={
          others.length > 0 && (
            <Button size="small" icon={LogOut} onClick={() => setAsked(true)}>
              {t("endOthers")}
            </Button>
          )
        }
        onEnd={(one) => end([one]).catch(toast.failed)}
      />
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("endOthersTitle")}
        text={t("endOthersText", { count: others.length })}
        action={t("endOthers")}
        onConfirm={() => end(others)}
      />
    </>
  );
}

/** The sessions of a user, for administrators: they end one, or all at once. */
export function SessionsOf({ name }: { name: string }) {
  const t = useWords(userWords);
  const toast = useToast();
  const queries = useQueryClient();
  const path = { path: { name } };
  const answer = useGet("/users/{name}/sessions", path);
  const [asked, setAsked] = useState(false);
  const ended = async () => {
    await queries.invalidateQueries({ queryKey: ["/users/{name}/sessions"] });
    toast.done(t("ended"));
  };
  return (
    <>
      <SessionTable
        answer={answer}
        action={
          Boolean(answer.data?.sessions.length) && (
            <Button size="small" icon={LogOut} onClick={() => setAsked(true)}>
              {t("endAll")}
            </Button>
          )
        }
        onEnd={(one) =>
          remove("/users/{name}/sessions/{id}", { path: { name, id: one.id } })
            .then(ended)
            .catch(toast.failed)
        }
      />
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("endAllTitle", { name })}
        text={t("endAllText", { name })}
        action={t("endAll")}
        danger
        onConfirm={async () => {
          await remove("/users/{name}/sessions", path);
          await ended();
        }}
      />
    </>
  );
}

function SessionTable({
  answer,
  action,
  onEnd,
}: {
  answer: ReturnType<typeof useGet<"/sessions">>;
  action: ReactNode;
  onEnd?: (session: Session) => void;
}) {
  const t = useWords(userWords);
  const columns: Column<Session>[] = [
    {
      id: "browser",
      title: t("browser"),
      cell: (one) => (
        <span className="flex items-center gap-2" title={one.agent}>
          {browserOf(one.agent) || "–"}
          {one.current && <Badge tone="good">{t("thisOne")}</Badge>}
        </span>
      ),
      fixed: true,
    },
    { id: "from", title: t("from"), cell: (one) => <span className="font-mono text-xs">{one.address}</span> },
    { id: "way", title: t("way"), cell: (one) => t(one.way === "oidc" ? "wayOIDC" : "wayPassword") },
    { id: "created", title: t("signedIn"), cell: (one) => <Time at={one.created_at} /> },
    { id: "seen", title: t("used"), cell: (one) => <Time at={one.seen_at} /> },
    { id: "ends", title: t("ends"), cell: (one) => <Time at={one.ends_at} /> },
  ];
  if (onEnd) {
    columns.push({
      id: "end",
      title: "",
      align: "right",
      width: "5rem",
      cell: (one) =>
        !one.current && (
          <Button
            size="small"
            look="quiet"
            aria-label={t("endSession", { address: one.address })}
            onClick={() => onEnd(one)}
          >
            {t("end")}
          </Button>
        ),
    });
  }
  return (
    <Section title={t("sessions")} text={t("sessionsText")} actions={action} flush>
      <Table
        label={t("sessions")}
        columns={columns}
        rows={answer.data?.sessions}
        rowKey={(one) => one.id}
        problem={answer.error}
        onRetry={() => void answer.refetch()}
        empty={<Empty icon={MonitorX} title={t("noSessions")} />}
      />
    </Section>
  );
}
