import { useEffect, useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { RunLink } from "./columns";
import { runsWords } from "./words";

export type BulkDeed = "cancel" | "rerun" | "redrive";
export type BulkFilter = Schema<"RunFilter">;

/** What a bulk action came to, or would come to. */
type Outcome = { done: number; failed: number; more: boolean; items: { id: string; made?: string; error?: string }[] };

async function act(
  deed: BulkDeed,
  ids: string[],
  filter: BulkFilter | null,
  reason: string,
  dry: boolean,
): Promise<Outcome> {
  if (deed === "redrive") {
    const settled = await post("/dead-letters/redrive", { body: { runs: ids, dry_run: dry } });
    return {
      ...settled,
      more: Boolean(settled.more),
      items: settled.letters.map((one) => ({ id: one.run_id, made: one.new_run, error: one.error?.detail })),
    };
  }
  const done = await post("/runs/bulk", {
    body: {
      action: deed,
      ...(filter ? { filter } : { ids }),
      ...(deed === "cancel" && reason ? { reason } : {}),
      dry_run: dry,
    },
  });
  return {
    ...done,
    more: Boolean(done.more),
    items: done.items.map((one) => ({ id: one.key, made: one.run, error: one.error?.detail })),
  };
}

/** Previews a bulk action, runs it, and shows each result. */
export function BulkDialog({
  deed,
  ids,
  filter,
  onClose,
}: {
  deed: BulkDeed;
  /** The runs. Keep the same array while the dialog is open: another one triggers a new preview. */
  ids: string[];
  filter: BulkFilter | null;
  onClose: (done: boolean) => void;
}) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const [all, setAll] = useState(false);
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Outcome | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const used = all ? filter : null;
  const preview = usePreview(deed, ids, used);
  const count = preview.outcome?.done ?? (all ? 0 : ids.length);
  const words = {
    cancel: t("cancelMany", { count }),
    rerun: t("rerunMany", { count }),
    redrive: t("redriveMany", { count }),
  };
  const texts = { cancel: t("cancelText"), rerun: t("rerunText"), redrive: t("redriveText") };
  const doIt = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setResult(await act(deed, ids, used, reason, false));
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const close = () => onClose(result !== null);
  return (
    <Dialog
      open
      onClose={close}
      title={result ? t("results") : words[deed]}
      text={result ? undefined : texts[deed]}
      footer={
        result ? (
          <Button look="main" onClick={close}>
            {shared("close")}
          </Button>
        ) : (
          <>
            <Button onClick={close}>{shared("back")}</Button>
            <Button
              look={deed === "cancel" ? "danger" : "main"}
              busy={busy}
              disabled={!preview.outcome || count === 0}
              onClick={() => void doIt()}
            >
              {words[deed]}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {!result && filter && (
          <Checkbox checked={all} onChange={setAll} help={t("allFoundHelp")}>
            {t("allFound")}
          </Checkbox>
        )}
        {!result && deed === "cancel" && (
          <Field label={shared("reason")} help={t("reasonHelp")}>
            <Input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
          </Field>
        )}
        {result && <p role="status">{t("doneMany", { done: result.done, failed: result.failed })}</p>}
        {result ? <Items outcome={result} /> : <Preview preview={preview} />}
        {result?.more && <p className="text-warn">{t("more")}</p>}
        {problem && <ErrorState problem={problem} compact />}
      </div>
    </Dialog>
  );
}

function usePreview(deed: BulkDeed, ids: string[], filter: BulkFilter | null) {
  const [state, setState] = useState<{ outcome: Outcome | null; problem: Problem | null }>({
    outcome: null,
    problem: null,
  });
  const filterText = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text identifies the filter.
  useEffect(() => {
    let gone = false;
    setState({ outcome: null, problem: null });
    act(deed, ids, filter, "", true)
      .then((outcome) => !gone && setState({ outcome, problem: null }))
      .catch((error) => !gone && setState({ outcome: null, problem: toProblem(error) }));
    return () => {
      gone = true;
    };
  }, [deed, ids, filterText]);
  return state;
}

function Preview({ preview }: { preview: { outcome: Outcome | null; problem: Problem | null } }) {
  const t = useWords(runsWords);
  if (preview.problem) return <ErrorState problem={preview.problem} compact />;
  if (!preview.outcome) {
    return (
      <div aria-busy="true">
        <span className="sr-only">{t("checking")}</span>
        <SkeletonText lines={2} />
      </div>
    );
  }
  return (
    <>
      <p>
        <b>{t("wouldTouch", { count: preview.outcome.done })}</b>
        {preview.outcome.failed > 0 && `. ${t("wouldFail", { count: preview.outcome.failed })}`}
      </p>
      <Items outcome={preview.outcome} />
    </>
  );
}

const most = 100;

function Items({ outcome }: { outcome: Outcome }) {
  const t = useWords(runsWords);
  return (
    <ul className="max-h-56 overflow-y-auto rounded-md border text-xs">
      {outcome.items.slice(0, most).map((item) => (
        <li key={item.id} className="flex gap-2 border-b px-3 py-1 last:border-b-0">
          <RunLink id={item.id} />
          {item.made && (
            <span>
              → <RunLink id={item.made} />
            </span>
          )}
          {item.error && <span className="min-w-0 flex-1 break-words text-bad">{item.error}</span>}
        </li>
      ))}
      {outcome.items.length > most && (
        <li className="px-3 py-1 text-faint">{t("andMore", { n: outcome.items.length - most })}</li>
      )}
    </ul>
  );
}
