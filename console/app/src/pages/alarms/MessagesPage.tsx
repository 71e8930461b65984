import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Mail, RotateCcw } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import { useList } from "@/api/query";
import { reasonText } from "@/pages/explanation/reasonText";
import { prune } from "@/pages/runs/filters";
import { useSession } from "@/session/session";
import { useManySpaces, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Drawer } from "@/ui/Drawer";
import { Empty } from "@/ui/Empty";
import { type Filter, FilterBar, type FilterValues } from "@/ui/FilterBar";
import { count } from "@/ui/format";
import { inSpaces } from "@/ui/inSpaces";
import { KeyValue } from "@/ui/KeyValue";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { AlarmsFrame } from "./AlarmsFrame";
import { AlarmState, Delivery, type Message, RuleLink } from "./cells";
import { useDefinitionOptions } from "./useDefinitions";
import { alarmWords } from "./words";

const statuses = ["pending", "sent", "failed", "silenced", "dropped"] as const;

/** The messages about alarms, with what became of each. */
export function MessagesPage() {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const search = useSearch({ from: "/shell/alarms/messages" });
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const [shown, setShown] = useState<string | null>(null);
  const { status, rule, channel, since, until } = search;
  const query = prune({ namespace, status, rule, channel, since, until, limit: 50 });
  // The server sends events for alarms, but not for responses of channels.
  const list = useList("/alarm/notifications", "before", { query: query as never }, { refetchInterval: 5_000 });
  const rows = list.data?.flatMap((page) => page.notifications);
  const columns = inSpaces(useManySpaces(rows), useColumns(), shared("namespace"));
  const filters = useFilters(namespace);
  const change = (changed: FilterValues) =>
    void navigate({ to: "/alarms/messages", search: (before: object) => prune({ ...before, ...changed }) } as never);
  const open = rows?.find((one) => one.id === shown);
  return (
    <AlarmsFrame part="/alarms/messages">
      <FilterBar filters={filters} values={search as FilterValues} onChange={change} />
      <Section flush>
        <Table
          label={t("messages")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.id}
          problem={list.error}
          onRetry={() => void list.refetch()}
          onOpen={(one) => setShown(one.id)}
          current={shown ?? undefined}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          stale={list.isPlaceholderData}
          empty={
            <Empty icon={Mail} title={t("noMessages")}>
              {t("noMessagesText")}
            </Empty>
          }
        />
      </Section>
      {open && <MessageDrawer message={open} onClose={() => setShown(null)} />}
    </AlarmsFrame>
  );
}

function ChannelLink({ message }: { message: Message }) {
  const t = useWords(alarmWords);
  if (!message.channel) return <span className="text-bad">{t("noChannel")}</span>;
  const ns = message.namespace === "default" ? undefined : message.namespace;
  return (
    <Link to="/alarms/channels" search={{ edit: message.channel, ns } as never}>
      {message.channel}
    </Link>
  );
}

function MessageDrawer({ message, onClose }: { message: Message; onClose: () => void }) {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { whyNot } = useSession();
  const [busy, setBusy] = useState(false);
  const again = async () => {
    setBusy(true);
    try {
      await post("/alarm/notifications/{id}/retry", { path: { id: message.id } });
      toast.done(t("didSendAgain"));
      await queries.invalidateQueries({ queryKey: ["/alarm/notifications"] });
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Drawer
      open
      onClose={onClose}
      title={t("message", { id: message.id })}
      text={message.title}
      footer={
        message.status === "failed" && (
          <Button
            look="main"
            icon={RotateCcw}
            busy={busy}
            reason={whyNot("operate", message.namespace)}
            onClick={() => void again()}
          >
            {t("sendAgain")}
          </Button>
        )
      }
    >
      <KeyValue
        items={[
          [t("delivery"), <Delivery key="status" of={message.status} />],
          [t("why"), message.error && <span className="text-bad">{reasonText(message.error)}</span>],
          [t("told"), <AlarmState key="state" of={message.state} />],
          [t("rule"), <RuleLink key="rule" of={message} />],
          [t("channel"), <ChannelLink key="channel" message={message} />],
          [t("to"), message.to],
          [t("alarmsIn"), message.alarms],
          [t("events"), message.events],
          [t("tries"), message.tries],
          [t("due"), message.due_at && <Time at={message.due_at} />],
          [shared("created"), <Time key="created" at={message.created_at} as="absolute" />],
          [shared("ended"), message.ended_at && <Time at={message.ended_at} as="absolute" />],
          [shared("namespace"), message.namespace],
        ]}
      />
    </Drawer>
  );
}

function useColumns(): Column<Message>[] {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const figure = (id: "events" | "tries", title: string): Column<Message> => ({
    id,
    title,
    align: "right",
    cell: (one) => <span className="tabular-nums">{count(one[id], language)}</span>,
  });
  return [
    {
      id: "id",
      title: "Id",
      fixed: true,
      width: "5rem",
      cell: (one) => <span className="font-mono text-xs">{one.id}</span>,
    },
    { id: "status", title: t("delivery"), width: "8rem", cell: (one) => <Delivery of={one.status} /> },
    { id: "state", title: t("told"), width: "7rem", cell: (one) => <AlarmState of={one.state} /> },
    { id: "title", title: shared("title"), className: "max-w-md min-w-44 truncate", cell: (one) => one.title },
    {
      id: "channel",
      title: t("channel"),
      className: "max-w-40 truncate",
      cell: (one) => <ChannelLink message={one} />,
    },
    { id: "rule", title: t("rule"), className: "max-w-40 truncate", cell: (one) => <RuleLink of={one} /> },
    {
      id: "error",
      title: t("why"),
      className: "w-full max-w-0 min-w-40 truncate",
      cell: (one) => (
        <span className={one.status === "failed" ? "text-bad" : "text-soft"} title={reasonText(one.error)}>
          {reasonText(one.error)}
        </span>
      ),
    },
    figure("events", t("events")),
    figure("tries", t("tries")),
    { id: "created", title: shared("created"), cell: (one) => <Time at={one.created_at} /> },
  ];
}

function useFilters(namespace: string): Filter[] {
  const t = useWords(alarmWords);
  const { rules, channels } = useDefinitionOptions(namespace);
  return [
    {
      name: "status",
      label: t("delivery"),
      kind: "one",
      pinned: true,
      options: statuses.map((value) => ({ value, label: t(value) })),
    },
    { name: "channel", label: t("channel"), kind: "one", pinned: true, options: channels },
    { name: "rule", label: t("rule"), kind: "one", pinned: true, options: rules },
    { name: "since", label: t("madeSince"), kind: "time" },
    { name: "until", label: t("madeUntil"), kind: "time" },
  ];
}
