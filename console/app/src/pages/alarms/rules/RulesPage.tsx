import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { BellPlus, Copy, EllipsisVertical, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { patch, remove } from "@/api/client";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { useManySpaces, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { IconButton } from "@/ui/IconButton";
import { inSpaces } from "@/ui/inSpaces";
import { ButtonLink, Link } from "@/ui/Link";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { AlarmsFrame } from "../AlarmsFrame";
import { Severity } from "../cells";
import { EnabledSwitch } from "../EnabledSwitch";
import { definitionId, named, naming } from "../spaces";
import { useCreation } from "../useCreation";
import { alarmWords } from "../words";
import { RuleForm } from "./RuleForm";
import type { Rule } from "./rule";
import { sentenceOf } from "./sentence";
import { ruleWords } from "./words";

/** The rules: which events are worth an alarm, and who hears of it. */
export function RulesPage() {
  const a = useWords(alarmWords);
  const t = useWords(ruleWords);
  const shared = useWords(sharedWords);
  const search = useSearch({ from: "/shell/alarms/rules" });
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const making = useCreation("edit", shown);
  const { whyNot } = useSession();
  const [deleting, setDeleting] = useState<Rule | null>(null);
  const list = useGet("/alarm/rules", { query: { namespace: shown || undefined } });
  const channels = useGet("/alarm/channels", { query: { namespace: shown || undefined } });
  const rows = list.data?.rules;
  const open = (part: { new?: string; edit?: string; copy?: string; in?: string }) =>
    void navigate({
      to: "/alarms/rules",
      search: ({ new: _new, edit: _edit, copy: _copy, in: _in, ...rest }: Record<string, unknown>) => ({
        ...rest,
        ...part,
      }),
    } as never);
  const rule = named(rows, search.edit ?? search.copy, search.in, shown);
  const place = (search.edit ? rule?.namespace : (making.chosen ?? rule?.namespace)) ?? making.space ?? "default";
  const none = channels.data?.channels.length === 0 ? t("noChannel") : undefined;
  const columns = inSpaces(
    useManySpaces(rows),
    useColumns({ shown, onOpen: open, onDelete: setDeleting }),
    shared("namespace"),
  );
  const add = making.space && (
    <Button look="main" icon={Plus} reason={none} onClick={() => open({ new: "1" })}>
      {t("newRule")}
    </Button>
  );
  return (
    <AlarmsFrame part="/alarms/rules" actions={add}>
      <Section flush>
        <Table
          label={a("rules")}
          columns={columns}
          rows={rows}
          rowKey={definitionId}
          problem={list.error}
          onRetry={() => void list.refetch()}
          onOpen={(one) => open(naming(one, shown))}
          current={search.edit && rule && definitionId(rule)}
          empty={
            <Empty
              icon={BellPlus}
              title={t("empty")}
              action={none ? <ButtonLink to="/alarms/channels">{a("channels")}</ButtonLink> : add}
              command="orth alarm rule create nightly --kind failed,timed_out,lost --channel ops --notify-resolved"
            >
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      {(search.new || rule) && (
        <RuleForm
          key={`${search.edit ?? ""} ${search.copy ?? ""} ${rule?.namespace ?? ""}`}
          rule={rule}
          asNew={!search.edit}
          namespace={place}
          places={shown === ""}
          making={making}
          readOnly={Boolean(whyNot("edit", place, "*"))}
          onClose={() => {
            making.forget();
            open({});
          }}
        />
      )}
      {deleting && <DeleteRule rule={deleting} onClose={() => setDeleting(null)} />}
    </AlarmsFrame>
  );
}

function DeleteRule({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const t = useWords(ruleWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { namespace, key } = rule;
  const firing = useGet("/alarms", { query: { namespace, rule: key, state: "firing", limit: 1000 } });
  return (
    <Confirm
      open
      danger
      onClose={onClose}
      title={t("deleteTitle", { key })}
      text={t("deleteText", { count: firing.data?.alarms.length ?? 0 })}
      action={shared("delete")}
      onConfirm={async () => {
        await remove("/alarm/rules/{key}", { path: { key }, query: { namespace } });
        toast.done(a("didDelete", { key }));
        await queries.invalidateQueries({ queryKey: ["/alarm/rules"] });
      }}
    />
  );
}

function useColumns({
  shown,
  onOpen,
  onDelete,
}: {
  /** The namespace that is shown; empty for all. */
  shown: string;
  onOpen: (part: { edit?: string; copy?: string; in?: string }) => void;
  onDelete: (rule: Rule) => void;
}): Column<Rule>[] {
  const t = useWords(ruleWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const { may } = useSession();
  return [
    {
      id: "key",
      title: shared("key"),
      fixed: true,
      cell: (one) => (
        <span className="flex min-w-32 flex-col py-1">
          <Link
            to="/alarms/rules"
            search={(before: object) => ({ ...before, ...naming(one, shown) }) as never}
            className="font-medium"
          >
            {one.key}
          </Link>
          {one.title && <span className="text-faint text-xs">{one.title}</span>}
        </span>
      ),
    },
    {
      id: "sentence",
      title: t("what"),
      className: "w-full min-w-72 text-pretty",
      cell: (one) => <span className={one.enabled ? undefined : "text-soft"}>{sentenceOf(one, t, language)}</span>,
    },
    { id: "severity", title: a("severity"), cell: (one) => <Severity of={one.severity ?? "warning"} /> },
    {
      id: "enabled",
      title: a("enabled"),
      cell: (one) => (
        <EnabledSwitch
          one={one}
          right="edit"
          list="/alarm/rules"
          save={(body) =>
            patch("/alarm/rules/{key}", { path: { key: one.key }, query: { namespace: one.namespace }, body })
          }
        />
      ),
    },
    { id: "updated", title: shared("updated"), cell: (one) => <Time at={one.updated_at} /> },
    {
      id: "actions",
      title: shared("actions"),
      fixed: true,
      align: "right",
      cell: (one) =>
        may("edit", one.namespace, "*") && (
          <Menu trigger={<IconButton icon={EllipsisVertical} label={a("actionsOf", { key: one.key })} />}>
            <MenuItem icon={Pencil} onSelect={() => onOpen(naming(one, shown))}>
              {a("edit")}
            </MenuItem>
            <MenuItem icon={Copy} onSelect={() => onOpen({ copy: one.key, in: naming(one, shown).in })}>
              {a("copy")}
            </MenuItem>
            <MenuLine />
            <MenuItem icon={Trash2} danger onSelect={() => onDelete(one)}>
              {a("delete")}
            </MenuItem>
          </Menu>
        ),
    },
  ];
}
