import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { useManySpaces } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../actions";
import { allJobs, mostJobs } from "../allJobs";
import { type BulkItem, type BulkTarget, doToMany, nameOf } from "../bulk";
import { type JobRef, jobRefText } from "../jobRef";
import { queryOf } from "../list/search";
import { actionWords } from "../words";
import { BulkResults } from "./BulkResults";
import { type LabelLine, LabelLines, labelsOf } from "./LabelLines";

export type BulkAction = Schema<"JobBulk">["action"];
export type { BulkTarget };

const titles = {
  start: "bulkStart",
  stop: "bulkStop",
  trigger: "bulkTrigger",
  delete: "bulkDelete",
  label: "bulkLabel",
} as const;
const deeds = {
  start: "doStartMany",
  stop: "doStopMany",
  trigger: "doTriggerMany",
  delete: "doDeleteMany",
  label: "bulkLabel",
} as const;
const shown = 12;

/** Applies an action to many jobs: shows which, runs it, and shows each result. */
export function BulkDialog({
  action,
  target,
  namespace,
  onClose,
}: {
  action: BulkAction;
  target: BulkTarget;
  /** The namespace of the jobs, or "*". */
  namespace: string;
  onClose: () => void;
}) {
  const t = useWords(actionWords);
  const shared = useWords(sharedWords);
  const changed = useJobsChanged();
  const [lines, setLines] = useState<LabelLine[]>([{ id: 1, key: "", value: "", remove: false }]);
  const [word, setWord] = useState("");
  const [busy, setBusy] = useState(false);
  const [touched, setTouched] = useState(0);
  const [done, setDone] = useState<BulkItem[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const found = useQuery({
    queryKey: ["bulk", namespace, target],
    queryFn: async ({ signal }) => {
      if ("places" in target) return { places: target.places, more: false };
      const { sort: _sort, ...query } = queryOf(target.search, namespace);
      const all = await allJobs(query, signal);
      return { places: all.jobs.map(({ namespace: space, key }) => ({ namespace: space, key })), more: all.more };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const places = found.data?.places ?? [];
  const many = useManySpaces(places);
  const named = (place: JobRef) => (many ? jobRefText(place) : place.key);
  const danger = action === "delete";
  const labels = labelsOf(lines);
  const ready =
    places.length > 0 &&
    (action !== "label" || Object.keys(labels).length > 0) &&
    (!danger || word === String(places.length));
  const go = async () => {
    setBusy(true);
    setProblem(null);
    setTouched(0);
    const items: BulkItem[] = [];
    const deed = { action, labels: action === "label" ? labels : undefined };
    try {
      await doToMany(
        deed,
        target,
        namespace,
        places,
        (query, body) => post("/jobs/bulk", { query, body }),
        (part) => {
          items.push(...part.map((item) => ({ ...item, key: nameOf(item, many) })));
          setTouched(items.length);
        },
      );
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
      if (items.length > 0) setDone(items);
      await changed();
    }
  };
  const failed = done?.filter((item) => item.error).length ?? 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(titles[action], { count: places.length })}
      text={"search" in target && !done ? t("bulkWhole") : undefined}
      footer={
        done ? (
          <Button onClick={onClose}>{shared("close")}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{shared("cancel")}</Button>
            <Button
              look={danger ? "danger" : "main"}
              busy={busy}
              disabled={!ready}
              aria-describedby="bulk-gap"
              onClick={() => void go()}
            >
              {t(deeds[action], { count: places.length })}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {!done && found.isPending && <SkeletonText lines={3} />}
        {!done && places.length > 0 && <KeyList keys={places.map(named)} />}
        {!done && found.data?.more && <p className="text-warn">{t("bulkTooMany", { n: mostJobs })}</p>}
        {!done && action === "label" && <LabelLines lines={lines} onChange={setLines} />}
        {!done && found.data && (
          <p id="bulk-gap" role="status" className="text-soft empty:hidden">
            {places.length === 0 ? t("bulkNoJobs") : action === "label" && !ready ? t("bulkNoLabel") : ""}
          </p>
        )}
        {!done && danger && places.length > 0 && (
          <>
            <p className="text-soft">{t("deleteManyText")}</p>
            <Field label={shared("confirmType", { word: places.length })}>
              <Input mono value={word} onChange={(event) => setWord(event.target.value)} />
            </Field>
          </>
        )}
        {busy && (
          <p role="status" className="text-soft">
            {t("fillState", { done: touched, all: places.length })}
          </p>
        )}
        {done && <BulkResults title={t("bulkDone", { done: done.length - failed, failed })} items={done} />}
        {found.error && <ErrorState compact problem={found.error} />}
        {problem && <ErrorState compact problem={problem} />}
      </div>
    </Dialog>
  );
}

function KeyList({ keys }: { keys: readonly string[] }) {
  const t = useWords(actionWords);
  return (
    <p className="break-words rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
      {keys.slice(0, shown).join(", ")}
      {keys.length > shown && <span className="font-sans"> {t("bulkMany", { n: keys.length - shown })}</span>}
    </p>
  );
}
