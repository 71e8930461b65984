import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CirclePause, Pencil, Play, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { remove } from "@/api/client";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { count } from "@/ui/format";
import { IconButton } from "@/ui/IconButton";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { shortTime } from "../alarms/time";
import { HeldJobs } from "./HeldJobs";
import { PauseDialog } from "./PauseDialog";
import { isAbout, type Pause, placesOf, standing } from "./pause";
import type { PauseSearch } from "./route";
import { useAuthors } from "./useAuthors";
import { useScheduled } from "./useScheduled";
import { pauseWords } from "./words";

/** What holds the schedules of jobs back, and the way to hold them and let them go. */
export function PausesPage() {
  const t = useWords(pauseWords);
  const search = useSearch({ from: "/shell/pauses" });
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const { may } = useSession();
  const [lifting, setLifting] = useState<Pause | null>(null);
  // A pause starts and ends by the clock, without an event from the server.
  const list = useGet("/pauses", {}, { refetchInterval: 15_000 });
  const order = { active: 0, coming: 1, over: 2 };
  const rows = list.data?.pauses
    .filter((one) => !namespace || !one.namespace || one.namespace === namespace)
    .toSorted((x, y) => order[standing(x)] - order[standing(y)] || x.key.localeCompare(y.key));
  const open = (part: PauseSearch) =>
    void navigate({
      to: "/pauses",
      search: ({ ns }: { ns?: string }) => ({ ns, ...part }),
    } as never);
  const columns = useColumns({ onEdit: (one) => open({ edit: one.key }), onLift: setLifting });
  const add = may("edit") && (
    <Button look="main" icon={Plus} onClick={() => open({ new: "1" })}>
      {t("newPause")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} actions={add} />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.key}
          problem={list.error}
          onRetry={() => void list.refetch()}
          empty={
            <Empty icon={CirclePause} title={t("empty")} action={add} command="orth pause maintenance --group billing">
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      {(search.new || search.edit) && list.data && (
        <PauseDialog
          key={search.edit ?? "new"}
          edit={search.edit}
          given={search}
          taken={list.data.pauses.map((one) => one.key)}
          onClose={() => open({})}
        />
      )}
      {lifting && <Lift pause={lifting} onClose={() => setLifting(null)} />}
    </>
  );
}

function Lift({ pause, onClose }: { pause: Pause; onClose: () => void }) {
  const t = useWords(pauseWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { key } = pause;
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("resumeTitle", { key })}
      text={t("resumeText")}
      action={t(pause.active ? "resume" : "remove")}
      onConfirm={async () => {
        await remove("/pauses/{key}", { path: { key } });
        toast.done(t("didResume", { key }));
        void queries.invalidateQueries({ queryKey: ["/jobs"] });
        await queries.invalidateQueries({ queryKey: ["/pauses"] });
      }}
    >
      <HeldJobs of={pause} />
    </Confirm>
  );
}

/** What a pause holds, in words. */
function What({ pause }: { pause: Pause }) {
  const t = useWords(pauseWords);
  const [language] = useLanguage();
  const { namespace, groups } = pause;
  if (!groups?.length) return namespace ? t("allOf", { namespace }) : t("everything");
  const list = new Intl.ListFormat(language, { type: "conjunction" }).format(groups);
  return namespace ? t("groupsOf", { groups: list, namespace }) : t("groupsAnywhere", { groups: list });
}

function When({ pause }: { pause: Pause }) {
  const t = useWords(pauseWords);
  const { window, from, until } = pause;
  return (
    <span className="flex flex-col py-1">
      {window && (
        <span className="min-w-36 text-pretty">
          {t("every", { cron: window.cron, length: shortTime(window.for), zone: window.zone || "UTC" })}
        </span>
      )}
      {(!window || until) && (
        <>
          <Time at={from} as="absolute" />
          <span className="whitespace-nowrap">– {until ? <Time at={until} as="absolute" /> : t("lifted")}</span>
        </>
      )}
    </span>
  );
}

const tones = { active: "warn", coming: "busy", over: "idle" } as const;

function useColumns({
  onEdit,
  onLift,
}: {
  onEdit: (pause: Pause) => void;
  onLift: (pause: Pause) => void;
}): Column<Pause>[] {
  const t = useWords(pauseWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const { may } = useSession();
  const scheduled = useScheduled();
  const authors = useAuthors();
  const about = (pause: Pause) => scheduled.data?.filter((job) => isAbout(pause, job));
  return [
    {
      id: "state",
      title: shared("state"),
      fixed: true,
      width: "6rem",
      cell: (one) => <Badge tone={tones[standing(one)]}>{t(standing(one))}</Badge>,
    },
    {
      id: "key",
      title: shared("key"),
      fixed: true,
      cell: (one) => <span className="whitespace-nowrap font-medium">{one.key}</span>,
    },
    { id: "what", title: t("what"), className: "min-w-36 text-pretty", cell: (one) => <What pause={one} /> },
    { id: "when", title: t("when"), cell: (one) => <When pause={one} /> },
    {
      id: "next",
      title: t("next"),
      cell: (one) => {
        const at = one.active ? one.ends_at : one.begins_at;
        if (!at) return one.active ? <span className="whitespace-nowrap">{t("lifted")}</span> : "–";
        return (
          <span className="whitespace-nowrap">
            {t(one.active ? "ends" : "begins")} <Time at={at} />
          </span>
        );
      },
    },
    {
      id: "reason",
      title: shared("reason"),
      className: "w-full min-w-32 text-pretty",
      cell: (one) => (
        <span className="flex flex-col py-1">
          {one.reason}
          {authors?.has(one.key) && (
            <span className="text-faint text-xs">
              {t("by")} {authors.get(one.key)}
            </span>
          )}
        </span>
      ),
    },
    {
      id: "held",
      title: t("held"),
      align: "right",
      cell: (one) => {
        const jobs = about(one);
        return <span className="tabular-nums">{jobs ? count(jobs.length, language) : "–"}</span>;
      },
    },
    {
      id: "actions",
      title: shared("actions"),
      fixed: true,
      align: "right",
      cell: (one) =>
        placesOf(one).every(([namespace, group]) => may("edit", namespace, group)) && (
          <span className="inline-flex items-center gap-1">
            <Button size="small" icon={one.active ? Play : Trash2} onClick={() => onLift(one)}>
              {t(one.active ? "resume" : "remove")}
            </Button>
            <IconButton icon={Pencil} label={t("editTitle", { key: one.key })} onClick={() => onEdit(one)} />
          </span>
        ),
    },
  ];
}
