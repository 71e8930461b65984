import { useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, Plug, Plus } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { IconButton } from "@/ui/IconButton";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useNow } from "@/ui/useNow";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { executorCommand } from "./command";
import { ExecutorDialogs } from "./ExecutorDialogs";
import { ExecutorDrawer } from "./ExecutorDrawer";
import { Dialect, HealthBadge } from "./HealthBadge";
import { canDrain, type Deed, type Executor, healthOf } from "./health";
import { groupWords } from "./words";

/** The executors of a group, and what can be done with each. */
export function Executors({ namespace, group }: { namespace: string; group: string }) {
  const t = useWords(groupWords);
  const queries = useQueryClient();
  const { may } = useSession();
  const now = useNow(5_000);
  const [open, setOpen] = useState<string | null>(null);
  const [deed, setDeed] = useState<{ kind: Deed; of?: Executor } | null>(null);
  const answer = useGet("/executors", {}, { refetchInterval: 5_000 });
  const rows = answer.data?.executors.filter((one) => one.group === group);
  const columns = useColumns(group, now, (kind, of) => setDeed({ kind, of }));
  const opened = rows?.find((one) => one.address === open);
  const add = may("own", namespace, group) && (
    <Button size="small" icon={Plus} onClick={() => setDeed({ kind: "add" })}>
      {t("addAddress")}
    </Button>
  );
  return (
    <Section title={t("executors")} text={t("executorsText")} actions={add} flush>
      <Table
        label={t("executors")}
        columns={columns}
        rows={rows}
        rowKey={(one) => one.address}
        problem={answer.error}
        onRetry={() => void answer.refetch()}
        onOpen={(one) => setOpen(one.address)}
        current={open ?? undefined}
        empty={
          <Empty icon={Plug} title={t("noExecutors")} action={add} command={executorCommand(group)}>
            {t("noExecutorsText")}
          </Empty>
        }
      />
      {opened && <ExecutorDrawer executor={opened} onClose={() => setOpen(null)} />}
      {deed && (
        <ExecutorDialogs
          group={group}
          kind={deed.kind}
          executor={deed.of}
          onClose={() => {
            setDeed(null);
            for (const path of ["/executors", "/groups", "/groups/{group}"])
              void queries.invalidateQueries({ queryKey: [path] });
          }}
        />
      )}
    </Section>
  );
}

function useColumns(group: string, now: number, onDeed: (kind: Deed, of: Executor) => void): Column<Executor>[] {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const { whyNot } = useSession();
  return [
    {
      id: "address",
      title: t("address"),
      fixed: true,
      cell: (one) => (
        <span className="flex flex-wrap items-center gap-2">
          <span className="whitespace-nowrap font-mono text-xs">{one.address}</span>
          {one.manual && <Badge>{t("byHand")}</Badge>}
        </span>
      ),
    },
    {
      id: "state",
      title: t("state"),
      cell: (one) => <HealthBadge health={healthOf(one, now)} title={one.unreachable ?? one.breaker?.reason} />,
    },
    {
      id: "load",
      title: t("load"),
      cell: (one) =>
        one.load ? (
          <span className="whitespace-nowrap tabular-nums">
            {t("loadOf", { running: one.load.running, waiting: one.load.waiting })}
          </span>
        ) : (
          <span className="text-faint">–</span>
        ),
    },
    { id: "dialect", title: t("dialect"), cell: (one) => <Dialect of={one} /> },
    { id: "seen", title: t("seen"), cell: (one) => <Time at={one.manual && !one.lease_until ? null : one.seen_at} /> },
    { id: "started", title: t("started"), cell: (one) => <Time at={one.started_at} /> },
    {
      id: "actions",
      title: shared("actions"),
      fixed: true,
      align: "right",
      width: "4rem",
      cell: (one) => (
        <Menu
          trigger={
            <IconButton size="small" icon={EllipsisVertical} label={`${shared("moreActions")}: ${one.address}`} />
          }
        >
          <MenuItem
            reason={whyNot("operate", one.namespace, group) ?? (canDrain(one) ? undefined : t("drainNative"))}
            onSelect={() => onDeed(one.draining ? "undrain" : "drain", one)}
          >
            {t(one.draining ? "undrain" : "drain")}
          </MenuItem>
          <MenuItem reason={whyNot("own", one.namespace, group)} onSelect={() => onDeed("dialect", one)}>
            {t("setDialect")}
          </MenuItem>
          <MenuLine />
          <MenuItem
            danger
            reason={whyNot("own", one.namespace, group) ?? (one.manual ? undefined : t("removeAuto"))}
            onSelect={() => onDeed("remove", one)}
          >
            {t("remove")}
          </MenuItem>
        </Menu>
      ),
    },
  ];
}
