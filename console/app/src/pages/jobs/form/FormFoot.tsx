import { CircleCheck } from "lucide-react";
import type { Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { DryRun } from "./useDryRun";
import { formWords } from "./words";

/** The foot of the form: whether it could be saved, a note for the revision, and what saves it. */
export function FormFoot({
  isNew,
  dirty,
  busy,
  wrong,
  dry,
  problem,
  note,
  onNote,
  onCancel,
}: {
  isNew: boolean;
  dirty: boolean;
  busy: boolean;
  wrong: number;
  dry: DryRun;
  problem: Problem | null;
  note: string;
  onNote: (note: string) => void;
  onCancel: () => void;
}) {
  const t = useWords(formWords);
  const shared = useWords(sharedWords);
  const refused = problem ?? (dry.state === "bad" ? dry.problem : null);
  return (
    <div className="sticky bottom-0 z-20 -mx-1 flex flex-col gap-2 border-t bg-page px-1 py-3">
      {refused && <ErrorState compact problem={refused} />}
      <div className="flex flex-wrap items-center gap-3">
        <Input
          aria-label={t("note")}
          placeholder={t("notePlaceholder")}
          maxLength={200}
          className="min-w-48 flex-1 basis-48"
          value={note}
          onChange={(event) => onNote(event.target.value)}
        />
        <span role="status" className="min-w-28 text-faint text-xs">
          {wrong > 0 ? (
            <span className="text-bad">{t("wrong", { n: wrong })}</span>
          ) : !dirty && !isNew ? (
            t("unchanged")
          ) : dry.state === "asking" ? (
            t("checking")
          ) : dry.state === "good" ? (
            <span className="inline-flex items-center gap-1 text-good">
              <CircleCheck aria-hidden className="size-3.5" />
              {t("checked")}
            </span>
          ) : null}
        </span>
        <Button onClick={onCancel}>{shared("cancel")}</Button>
        <Button type="submit" look="main" busy={busy} disabled={!isNew && !dirty}>
          {t(isNew ? "create" : "save")}
        </Button>
      </div>
    </div>
  );
}
