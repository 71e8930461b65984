import { GitCompareArrows, History, RotateCcw } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import { useList } from "@/api/query";
import type { Job, Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Checkbox } from "@/ui/Checkbox";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../actions";
import { formWords } from "../form/words";
import { AuthorName } from "./AuthorName";
import { DiffDialog } from "./DiffDialog";
import { jobWords } from "./words";

type Revision = Schema<"Revision">;

/** What a job was: who saved it, what changed, and the way back. */
export function HistoryTab({ jobKey, namespace, job }: { jobKey: string; namespace: string; job?: Job }) {
  const t = useWords(jobWords);
  const shared = useWords(sharedWords);
  const { may } = useSession();
  const [codeOnly, setCodeOnly] = useState(false);
  const [diff, setDiff] = useState<{ a: number; b: number } | null>(null);
  const [restoring, setRestoring] = useState<number | null>(null);
  const list = useList("/jobs/{key}/revisions", "before", {
    path: { key: jobKey },
    query: { namespace, limit: 50, changed: codeOnly ? "code" : undefined },
  });
  const rows = list.data?.flatMap((page) => page.revisions);
  const before = (one: Revision) => rows?.[rows.indexOf(one) + 1];
  const newest = rows?.[0]?.number;
  const mayEdit = may("edit", namespace, job?.group);
  const columns: Column<Revision>[] = [
    {
      id: "number",
      title: t("revision"),
      fixed: true,
      cell: (one) => (
        <span className="flex items-center gap-2">
          {one.number}
          {one.number === newest && job && <Badge tone="accent">{t("current")}</Badge>}
          {one.deleted && <Badge tone="bad">{t("deleted")}</Badge>}
        </span>
      ),
    },
    { id: "at", title: t("at"), cell: (one) => <Time at={one.at} /> },
    { id: "by", title: t("by"), cell: (one) => <AuthorName by={one.by} /> },
    {
      id: "changed",
      title: t("changed"),
      cell: (one) => <Changed one={one} first={!before(one) && !list.hasNextPage} />,
    },
    {
      id: "note",
      title: t("note"),
      cell: (one) => <span className="block max-w-96 truncate text-soft">{one.note}</span>,
    },
    {
      id: "actions",
      title: shared("actions"),
      align: "right",
      fixed: true,
      cell: (one) => {
        const older = before(one);
        return (
          <span className="inline-flex gap-0.5">
            {older && (
              <IconButton
                size="small"
                icon={GitCompareArrows}
                label={`${t("compare")}: ${one.number}`}
                onClick={() => setDiff({ a: older.number, b: one.number })}
              />
            )}
            {newest !== undefined && one.number !== newest && (
              <IconButton
                size="small"
                icon={History}
                label={`${t("compareNow")}: ${one.number}`}
                onClick={() => setDiff({ a: one.number, b: newest })}
              />
            )}
            {mayEdit && (one.number !== newest || !job) && (
              <IconButton
                size="small"
                icon={RotateCcw}
                label={`${t("restore")}: ${one.number}`}
                onClick={() => setRestoring(one.number)}
              />
            )}
          </span>
        );
      },
    },
  ];
  return (
    <Section
      flush
      title={t("history")}
      actions={
        <Checkbox checked={codeOnly} onChange={setCodeOnly}>
          {t("codeOnly")}
        </Checkbox>
      }
    >
      <Table
        label={t("history")}
        columns={columns}
        rows={rows}
        rowKey={(one) => String(one.number)}
        problem={list.error}
        onRetry={() => void list.refetch()}
        empty={
          <Empty icon={History} title={t("noHistory")}>
            {t("noHistoryText")}
          </Empty>
        }
        hasMore={list.hasNextPage}
        onMore={() => void list.fetchNextPage()}
        loadingMore={list.isFetchingNextPage}
        stale={list.isPlaceholderData}
      />
      {diff && <DiffDialog jobKey={jobKey} namespace={namespace} {...diff} onClose={() => setDiff(null)} />}
      {restoring !== null && (
        <RestoreDialog
          jobKey={jobKey}
          namespace={namespace}
          number={restoring}
          version={job?.version}
          onClose={() => setRestoring(null)}
        />
      )}
    </Section>
  );
}

function Changed({ one, first }: { one: Revision; first: boolean }) {
  const t = useWords(jobWords);
  if (first) return <span className="text-faint">{t("firstOne")}</span>;
  if (one.changed.length === 0) return <span className="text-faint">–</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {one.changed.slice(0, 4).map((field) => (
        <Badge key={field}>{field}</Badge>
      ))}
      {one.changed.length > 4 && <Badge>+{one.changed.length - 4}</Badge>}
    </span>
  );
}

/** Confirms the restore of a revision. It fails if another user has saved the job since. */
export function RestoreDialog({
  jobKey,
  namespace,
  number,
  version,
  onClose,
  onDone,
}: {
  jobKey: string;
  namespace: string;
  number: number;
  version: number | undefined;
  onClose: () => void;
  onDone?: () => void;
}) {
  const t = useWords(jobWords);
  const form = useWords(formWords);
  const toast = useToast();
  const changed = useJobsChanged();
  const [note, setNote] = useState("");
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("restoreTitle", { n: number })}
      text={t("restoreText")}
      action={t("restore")}
      onConfirm={async () => {
        await post("/jobs/{key}/restore", {
          path: { key: jobKey },
          query: { namespace, note: note.trim() || undefined },
          body: { revision: number, version },
        });
        toast.done(t("restored", { n: number }));
        onDone?.();
        await changed();
      }}
    >
      <Field label={form("note")}>
        <Input
          value={note}
          maxLength={200}
          placeholder={form("notePlaceholder")}
          onChange={(event) => setNote(event.target.value)}
        />
      </Field>
    </Confirm>
  );
}
