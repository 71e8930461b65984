import { useQueryClient } from "@tanstack/react-query";
import { BellOff, CalendarClock, Copy, EllipsisVertical, Plus, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { post, remove } from "@/api/client";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { useManySpaces, useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { IconButton } from "@/ui/IconButton";
import { inSpaces } from "@/ui/inSpaces";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { AlarmsFrame } from "../AlarmsFrame";
import { ruleWords } from "../rules/words";
import { shortTime } from "../time";
import { useCreation } from "../useCreation";
import { alarmWords, kindWords } from "../words";
import { SilenceForm } from "./SilenceForm";
import { type Silence, standing } from "./silence";
import { silenceWords } from "./words";

type Making = { like?: Silence; again: boolean };

/** What holds messages back: for a while, or at each maintenance. */
export function SilencesPage() {
  const a = useWords(alarmWords);
  const t = useWords(silenceWords);
  const shared = useWords(sharedWords);
  const { namespace: shown } = useNamespace();
  const places = useCreation("operate", shown);
  const [making, setMaking] = useState<Making | null>(null);
  const [ending, setEnding] = useState<Silence | null>(null);
  const [deleting, setDeleting] = useState<Silence | null>(null);
  // A silence starts and ends by the clock, without an event from the server.
  const list = useGet("/alarm/silences", { query: { namespace: shown || undefined } }, { refetchInterval: 15_000 });
  const order = { active: 0, coming: 1, over: 2 };
  const rows = list.data?.silences.toSorted(
    (x, y) => order[standing(x)] - order[standing(y)] || Number(y.id) - Number(x.id),
  );
  const own = useColumns({
    onEnd: setEnding,
    onDelete: setDeleting,
    onCopy: (like) => setMaking({ like, again: Boolean(like.cron) }),
  });
  const columns = inSpaces(useManySpaces(rows), own, shared("namespace"));
  const add = places.space && (
    <>
      <Button icon={CalendarClock} onClick={() => setMaking({ again: true })}>
        {t("newWindow")}
      </Button>
      <Button look="main" icon={Plus} onClick={() => setMaking({ again: false })}>
        {t("newSilence")}
      </Button>
    </>
  );
  return (
    <AlarmsFrame part="/alarms/silences" actions={add}>
      <Section flush>
        <Table
          label={a("silences")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.id}
          problem={list.error}
          onRetry={() => void list.refetch()}
          empty={
            <Empty
              icon={BellOff}
              title={t("empty")}
              action={add}
              command="orth alarm silence create --for 2h --comment 'moving the database' --group billing"
            >
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      {making && (
        <SilenceForm
          {...making}
          namespace={places.chosen ?? making.like?.namespace ?? places.space ?? "default"}
          places={shown === ""}
          making={places}
          onClose={() => {
            places.forget();
            setMaking(null);
          }}
        />
      )}
      {ending && <Settle silence={ending} deed="end" onClose={() => setEnding(null)} />}
      {deleting && <Settle silence={deleting} deed="delete" onClose={() => setDeleting(null)} />}
    </AlarmsFrame>
  );
}

function Settle({ silence, deed, onClose }: { silence: Silence; deed: "end" | "delete"; onClose: () => void }) {
  const t = useWords(silenceWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { id, comment } = silence;
  return (
    <Confirm
      open
      danger={deed === "delete"}
      onClose={onClose}
      title={t(deed === "end" ? "endTitle" : "deleteTitle", { id })}
      text={t(deed === "end" ? "endText" : "deleteText", { comment })}
      action={deed === "end" ? t("end") : shared("delete")}
      onConfirm={async () => {
        if (deed === "end") await post("/alarm/silences/{id}/end", { path: { id } });
        else await remove("/alarm/silences/{id}", { path: { id } });
        toast.done(t(deed === "end" ? "didEnd" : "didDelete"));
        await queries.invalidateQueries({ queryKey: ["/alarm/silences"] });
      }}
    />
  );
}

function Standing({ silence }: { silence: Silence }) {
  const t = useWords(silenceWords);
  const stands = standing(silence);
  const tones = { active: "warn", coming: "busy", over: "idle" } as const;
  return <Badge tone={tones[stands]}>{t(stands)}</Badge>;
}

function Held({ silence }: { silence: Silence }) {
  const t = useWords(silenceWords);
  const rule = useWords(ruleWords);
  const a = useWords(alarmWords);
  const kind = useWords(kindWords);
  const [language] = useLanguage();
  const list = (all: readonly string[]) => new Intl.ListFormat(language, { type: "disjunction" }).format(all);
  const { rules, kinds, scope } = silence;
  const labels = Object.entries(scope?.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const parts = [
    rules?.length ? `${a("rules")} ${list(rules)}` : "",
    kinds?.length ? list(kinds.map((one) => kind(one))) : "",
    scope?.jobs?.length ? rule("s_jobs", { list: list(scope.jobs) }) : "",
    scope?.groups?.length ? rule("s_groups", { list: list(scope.groups) }) : "",
    labels.length ? rule("s_labels", { list: labels.join(", ") }) : "",
  ].filter(Boolean);
  return <span className="text-pretty">{parts.length > 0 ? parts.join(" · ") : t("everything")}</span>;
}

function When({ silence }: { silence: Silence }) {
  const t = useWords(silenceWords);
  const { cron, zone, length, from, until } = silence;
  if (cron) {
    return (
      <span className="text-pretty">{t("every", { cron, length: shortTime(length ?? ""), zone: zone || "UTC" })}</span>
    );
  }
  return (
    <span className="flex flex-col py-1">
      <Time at={from} as="absolute" />
      <span className="whitespace-nowrap">
        – <Time at={until} as="absolute" />
      </span>
    </span>
  );
}

function useColumns({
  onEnd,
  onDelete,
  onCopy,
}: {
  onEnd: (silence: Silence) => void;
  onDelete: (silence: Silence) => void;
  onCopy: (silence: Silence) => void;
}): Column<Silence>[] {
  const t = useWords(silenceWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const { may } = useSession();
  return [
    { id: "state", title: shared("state"), fixed: true, cell: (one) => <Standing silence={one} />, width: "6rem" },
    {
      id: "comment",
      title: t("comment"),
      cell: (one) => <span className="font-medium">{one.comment}</span>,
      className: "min-w-40",
    },
    { id: "what", title: t("what"), cell: (one) => <Held silence={one} />, className: "w-full min-w-56" },
    { id: "when", title: t("when"), cell: (one) => <When silence={one} /> },
    {
      id: "next",
      title: t("next"),
      cell: (one) => {
        const at = one.active ? one.ends_at : one.begins_at;
        return at ? (
          <span className="whitespace-nowrap">
            {t(one.active ? "ends" : "begins")} <Time at={at} />
          </span>
        ) : (
          <span className="text-faint">–</span>
        );
      },
    },
    {
      id: "actions",
      title: shared("actions"),
      fixed: true,
      align: "right",
      cell: (one) =>
        may("operate", one.namespace, "*") && (
          <span className="inline-flex items-center gap-1">
            {standing(one) !== "over" && (
              <Button size="small" icon={Square} onClick={() => onEnd(one)}>
                {t("end")}
              </Button>
            )}
            <Menu trigger={<IconButton icon={EllipsisVertical} label={a("actionsOf", { key: one.id })} />}>
              <MenuItem icon={Copy} onSelect={() => onCopy(one)}>
                {t("alike")}
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
