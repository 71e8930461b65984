import { CircleCheck } from "lucide-react";
import { Button } from "@/ui/Button";
import { Attention } from "@/ui/form/Form";
import type { FormState } from "@/ui/form/useForm";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { DryRun } from "./useDryRun";
import { formWords } from "./words";

/** The foot of the form: whether the server would take it, a note for the revision, and the button that saves. */
export function FormFoot({
  form,
  isNew,
  dirty,
  dry,
  note,
  onNote,
  onCancel,
}: {
  form: FormState;
  isNew: boolean;
  dirty: boolean;
  dry: DryRun;
  note: string;
  onNote: (note: string) => void;
  onCancel: () => void;
}) {
  const t = useWords(formWords);
  const shared = useWords(sharedWords);
  return (
    <div className="sticky bottom-0 z-20 -mx-1 flex flex-wrap items-center gap-3 border-t bg-page px-1 py-3">
      <Input
        aria-label={t("note")}
        placeholder={t("notePlaceholder")}
        maxLength={200}
        className="min-w-48 flex-1 basis-48"
        value={note}
        onChange={(event) => onNote(event.target.value)}
      />
      <span role="status" className="text-faint text-xs empty:hidden">
        {!dirty && !isNew ? (
          t("unchanged")
        ) : dry.state === "asking" ? (
          t("checking")
        ) : dry.state === "good" ? (
          <span className="inline-flex items-center gap-1 text-good">
            <CircleCheck aria-hidden className="size-3.5" />
            {t("checked")}
          </span>
        ) : dry.state === "bad" && form.wrong === 0 ? (
          <button type="button" className="text-warn underline-offset-2 hover:underline" onClick={form.attend}>
            {t("notYet")}
          </button>
        ) : null}
      </span>
      <Attention form={form} className="empty:hidden" />
      <Button onClick={onCancel}>{shared("cancel")}</Button>
      <Button type="submit" look="main" busy={form.busy} disabled={!isNew && !dirty}>
        {t(isNew ? "create" : "save")}
      </Button>
    </div>
  );
}
