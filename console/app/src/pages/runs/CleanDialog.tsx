import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Combobox } from "@/ui/Combobox";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { count } from "@/ui/format";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { jobPlace } from "./jobPlace";
import { jobFinder } from "./useRunFilters";
import { runsWords } from "./words";

type Way = Pick<Schema<"Clean">, "older_than" | "keep" | "all">;

const ways = {
  olderMonth: { older_than: "720h" },
  olderQuarter: { older_than: "2160h" },
  olderHalf: { older_than: "4320h" },
  olderYear: { older_than: "8760h" },
  keep1000: { keep: 1_000 },
  keep10000: { keep: 10_000 },
  keep30000: { keep: 30_000 },
  keep100000: { keep: 100_000 },
  everything: { all: true },
} as const satisfies Record<string, Way>;

type WayName = keyof typeof ways;

/** Removes runs of a job before their time, by age or by how many stay. */
export function CleanDialog({
  open,
  onClose,
  job: given,
  onDone,
}: {
  open: boolean;
  onClose: () => void;
  job: string | undefined;
  onDone: () => void;
}) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const toast = useToast();
  const queries = useQueryClient();
  const { namespace, of } = useNamespace();
  const [job, setJob] = useState(given ?? "");
  const [way, setWay] = useState<WayName>("olderMonth");
  const [word, setWord] = useState("");
  const [busy, setBusy] = useState(false);
  const [would, setWould] = useState<Schema<"Cleaned"> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (open) {
      setJob(given ?? "");
      setWord("");
    }
  }, [open, given]);
  useEffect(() => {
    setWould(null);
    setProblem(null);
    if (!open || !job) return;
    const place = jobPlace(job, of);
    let gone = false;
    post("/runs/clean", { body: { job: place.job ?? "", namespace: place.namespace, ...ways[way], dry_run: true } })
      .then((answer) => !gone && setWould(answer))
      .catch((error) => !gone && setProblem(toProblem(error)));
    return () => {
      gone = true;
    };
  }, [open, job, of, way]);
  const clean = async () => {
    setBusy(true);
    let removed = 0;
    const place = jobPlace(job, of);
    try {
      for (;;) {
        const answer = await post("/runs/clean", {
          body: { job: place.job ?? "", namespace: place.namespace, ...ways[way] },
        });
        removed += answer.removed;
        if (!answer.more || answer.removed === 0) break;
      }
      toast.done(t("cleaned", { n: count(removed, language) }));
      void queries.invalidateQueries({ queryKey: ["/runs"] });
      onDone();
      onClose();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const n = count(would?.removed ?? 0, language);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t("cleanTitle")}
      text={t("cleanText")}
      size="small"
      footer={
        <>
          <Button onClick={onClose}>{shared("back")}</Button>
          <Button look="danger" busy={busy} disabled={!would?.removed || word !== job} onClick={() => void clean()}>
            {t("clean")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label={shared("job")} required>
          <Combobox value={job} onChange={setJob} options={jobFinder(namespace)} free placeholder={t("chooseJob")} />
        </Field>
        <Field label={t("cleanWhat")}>
          <Select
            value={way}
            onChange={setWay}
            options={(Object.keys(ways) as WayName[]).map((value) => ({ value, label: t(value) }))}
          />
        </Field>
        {would && <p role="status">{would.more ? t("cleanMore", { n }) : t("cleanCount", { n })}</p>}
        {job && Boolean(would?.removed) && (
          <Field label={shared("confirmType", { word: job })}>
            <Input mono value={word} onChange={(event) => setWord(event.target.value)} />
          </Field>
        )}
        {problem && <ErrorState problem={problem} compact />}
      </div>
    </Dialog>
  );
}
