import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  EllipsisVertical,
  Pencil,
  Plus,
  Send,
  Trash2,
  Waypoints,
} from "lucide-react";
import { useState } from "react";
import { patch, post, remove } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { useManySpaces, useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Dialog } from "@/ui/Dialog";
import { Empty } from "@/ui/Empty";
import { IconButton } from "@/ui/IconButton";
import { inSpaces } from "@/ui/inSpaces";
import { Link } from "@/ui/Link";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { AlarmsFrame } from "../AlarmsFrame";
import { EnabledSwitch } from "../EnabledSwitch";
import { definitionId, named, naming } from "../spaces";
import { useCreation } from "../useCreation";
import { alarmWords } from "../words";
import { ChannelForm } from "./ChannelForm";
import { type Channel, healthOf } from "./channel";
import { TrialResult } from "./TrialResult";
import { channelWords } from "./words";

/** The channels that carry messages about alarms. */
export function ChannelsPage() {
  const a = useWords(alarmWords);
  const t = useWords(channelWords);
  const shared = useWords(sharedWords);
  const search = useSearch({ from: "/shell/alarms/channels" });
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const making = useCreation("own", shown);
  const { may } = useSession();
  const [deleting, setDeleting] = useState<Channel | null>(null);
  const [testing, setTesting] = useState<Channel | null>(null);
  const query = { namespace: shown || undefined };
  const list = useGet("/alarm/channels", { query });
  const rules = useGet("/alarm/rules", { query });
  const rows = list.data?.channels;
  const open = (part: { new?: string; edit?: string; in?: string }) =>
    void navigate({
      to: "/alarms/channels",
      search: ({ new: _new, edit: _edit, in: _in, ...rest }: Record<string, unknown>) => ({ ...rest, ...part }),
    } as never);
  const channel = named(rows, search.edit, search.in, shown);
  const place = channel?.namespace ?? making.space ?? "default";
  const usersOf = ({ namespace: of, key }: Channel) =>
    (rules.data?.rules ?? [])
      .filter((rule) => rule.namespace === of)
      .filter((rule) => rule.channels.includes(key) || rule.escalation?.some((step) => step.channels.includes(key)))
      .map((rule) => rule.key);
  const own = useColumns({
    shown,
    usersOf,
    onEdit: (one) => open(naming(one, shown)),
    onDelete: setDeleting,
    onTest: setTesting,
  });
  const columns = inSpaces(useManySpaces(rows), own, shared("namespace"));
  const add = making.space && (
    <Button look="main" icon={Plus} onClick={() => open({ new: "1" })}>
      {t("newChannel")}
    </Button>
  );
  return (
    <AlarmsFrame part="/alarms/channels" actions={add}>
      <Section flush>
        <Table
          label={a("channels")}
          columns={columns}
          rows={rows}
          rowKey={definitionId}
          problem={list.error}
          onRetry={() => void list.refetch()}
          onOpen={(one) => open(naming(one, shown))}
          current={channel && definitionId(channel)}
          empty={
            <Empty
              icon={Waypoints}
              title={t("empty")}
              action={add}
              command="orth alarm channel create ops --kind slack --secret url=- < url.txt"
            >
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      {(search.new || channel) && (
        <ChannelForm
          key={channel ? definitionId(channel) : "new"}
          channel={channel}
          namespace={place}
          places={shown === ""}
          making={making}
          readOnly={!may("own", place, "*")}
          onClose={() => {
            making.forget();
            open({});
          }}
        />
      )}
      {deleting && <DeleteChannel channel={deleting} usedBy={usersOf(deleting)} onClose={() => setDeleting(null)} />}
      {testing && <TestDialog channel={testing} onClose={() => setTesting(null)} />}
    </AlarmsFrame>
  );
}

function DeleteChannel({ channel, usedBy, onClose }: { channel: Channel; usedBy: string[]; onClose: () => void }) {
  const t = useWords(channelWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { key, namespace } = channel;
  return (
    <Confirm
      open
      danger
      onClose={onClose}
      title={t("deleteTitle", { key })}
      text={t("deleteText")}
      action={shared("delete")}
      onConfirm={async () => {
        await remove("/alarm/channels/{key}", { path: { key }, query: { namespace } });
        toast.done(a("didDelete", { key }));
        await queries.invalidateQueries({ queryKey: ["/alarm/channels"] });
      }}
    >
      {usedBy.length > 0 && (
        <p className="text-warn">{t("usedBy", { count: usedBy.length, list: usedBy.join(", ") })}</p>
      )}
    </Confirm>
  );
}

/** Sends a test message through a channel at a press, and shows what it answered. */
function TestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const t = useWords(channelWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [trial, setTrial] = useState<Schema<"AlarmTrial"> | null>(null);
  const { key, namespace } = channel;
  const test = async () => {
    setBusy(true);
    try {
      setTrial(await post("/alarm/channels/{key}/test", { path: { key }, query: { namespace } }));
      await queries.invalidateQueries({ queryKey: ["/alarm/channels"] });
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("testOf", { key })}
      text={t("testAbout")}
      footer={
        <>
          <Button onClick={onClose}>{shared("close")}</Button>
          <Button look="main" icon={Send} busy={busy} onClick={() => void test()}>
            {t("test")}
          </Button>
        </>
      }
    >
      <div className="min-h-16">{trial && <TrialResult trial={trial} />}</div>
    </Dialog>
  );
}

function Health({ channel }: { channel: Channel }) {
  const t = useWords(channelWords);
  const health = healthOf(channel);
  if (health === "unused") {
    return (
      <Badge tone="idle" icon={CircleDashed}>
        {t("unused")}
      </Badge>
    );
  }
  if (health === "works") {
    return (
      <Badge tone="good" icon={CircleCheck}>
        {t("works")}
      </Badge>
    );
  }
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Badge tone="bad" icon={CircleAlert} className="shrink-0">
        {t("failsN", { count: channel.failures ?? 0 })}
      </Badge>
      <span className="min-w-0 truncate text-soft" title={channel.failure}>
        {channel.failure}
      </span>
    </span>
  );
}

function useColumns({
  shown,
  usersOf,
  onEdit,
  onDelete,
  onTest,
}: {
  /** The namespace that is shown; empty for all. */
  shown: string;
  usersOf: (channel: Channel) => string[];
  onEdit: (channel: Channel) => void;
  onDelete: (channel: Channel) => void;
  onTest: (channel: Channel) => void;
}): Column<Channel>[] {
  const t = useWords(channelWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const { may } = useSession();
  return [
    {
      id: "key",
      title: shared("key"),
      fixed: true,
      cell: (one) => (
        <span className="flex min-w-32 flex-col py-1">
          <span className="flex items-center gap-2">
            <Link
              to="/alarms/channels"
              search={(before: object) => ({ ...before, ...naming(one, shown) }) as never}
              className="font-medium"
            >
              {one.key}
            </Link>
            {one.default && <Badge tone="accent">{t("default")}</Badge>}
          </span>
          {one.title && <span className="text-faint text-xs">{one.title}</span>}
        </span>
      ),
    },
    { id: "kind", title: a("kind"), className: "whitespace-nowrap", cell: (one) => t(one.kind) },
    { id: "health", title: t("health"), className: "w-full max-w-0 min-w-56", cell: (one) => <Health channel={one} /> },
    { id: "ok", title: t("lastOk"), cell: (one) => <Time at={one.ok_at} /> },
    {
      id: "rules",
      title: t("usedByTitle"),
      className: "max-w-60",
      cell: (one) => (
        <span className="flex flex-wrap gap-x-2">
          {usersOf(one).map((key) => (
            <Link
              key={key}
              to="/alarms/rules"
              search={naming({ namespace: one.namespace, key }, shown) as never}
              className="whitespace-nowrap"
            >
              {key}
            </Link>
          ))}
        </span>
      ),
    },
    {
      id: "enabled",
      title: a("enabled"),
      cell: (one) => (
        <EnabledSwitch
          one={one}
          right="own"
          list="/alarm/channels"
          save={(body) =>
            patch("/alarm/channels/{key}", { path: { key: one.key }, query: { namespace: one.namespace }, body })
          }
        />
      ),
    },
    {
      id: "actions",
      title: shared("actions"),
      fixed: true,
      align: "right",
      cell: (one) =>
        may("own", one.namespace, "*") && (
          <span className="inline-flex items-center gap-1">
            <Button size="small" icon={Send} onClick={() => onTest(one)}>
              {t("test")}
            </Button>
            <Menu trigger={<IconButton icon={EllipsisVertical} label={a("actionsOf", { key: one.key })} />}>
              <MenuItem icon={Pencil} onSelect={() => onEdit(one)}>
                {a("edit")}
              </MenuItem>
              <MenuLine />
              <MenuItem icon={Trash2} danger onSelect={() => onDelete(one)}>
                {a("delete")}
              </MenuItem>
            </Menu>
          </span>
        ),
    },
  ];
}
