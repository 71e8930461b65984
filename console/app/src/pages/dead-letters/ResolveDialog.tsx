import { useEffect, useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { RunLink } from "@/pages/runs/columns";
import { ParamChoice } from "@/pages/runs/ParamChoice";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { parseDuration } from "@/ui/format";
import { Input } from "@/ui/Input";
import { SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { letterWords } from "./words";

export type Resolution = "redrive" | "close";
/** Which dead letters: some of them, or all that a filter finds. */
export type Which = { runs: string[] } | { filter: Schema<"DeadLetterFilter"> };

type Asked = { settling: Resolution; which: Which; dry: boolean; param?: string; spacing: string; reason: string };

function settle({ settling, which, dry, param, spacing, reason }: Asked): Promise<Schema<"Settled">> {
  if (settling === "close") {
    return post("/dead-letters/close", { body: { ...which, dry_run: dry, ...(reason ? { reason } : {}) } });
  }
  return post("/dead-letters/redrive", {
    body: { ...which, dry_run: dry, ...(param === undefined ? {} : { param }), ...(spacing ? { spacing } : {}) },
  });
}

/** Redrives or closes many dead letters: what it would touch, then what became of each. */
export function ResolveDialog({
  settling,
  which,
  onClose,
}: {
  settling: Resolution;
  which: Which;
  onClose: (done: boolean) => void;
}) {
  const t = useWords(letterWords);
  const shared = useWords(sharedWords);
  const [same, setSame] = useState(true);
  const [param, setParam] = useState("");
  const [spacing, setSpacing] = useState("");
  const [reason, setReason] = useState("");
  const [would, setWould] = useState<Schema<"Settled"> | null>(null);
  const [result, setResult] = useState<Schema<"Settled"> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const text = JSON.stringify(which);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text identifies the selection.
  useEffect(() => {
    let gone = false;
    settle({ settling, which, dry: true, spacing: "", reason: "" })
      .then((answer) => !gone && setWould(answer))
      .catch((error) => !gone && setProblem(toProblem(error)));
    return () => {
      gone = true;
    };
  }, [settling, text]);
  const doIt = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setResult(await settle({ settling, which, dry: false, param: same ? undefined : param, spacing, reason }));
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const count = would?.done ?? 0;
  const action = settling === "redrive" ? t("redriveN", { count }) : t("closeN", { count });
  const spaced = spacing === "" || Number.isFinite(parseDuration(spacing));
  const close = () => onClose(result !== null);
  return (
    <Dialog
      open
      onClose={close}
      title={result ? t("results") : settling === "redrive" ? t("redrive") : t("close")}
      text={result ? undefined : settling === "redrive" ? t("redriveText") : t("closeText")}
      footer={
        result ? (
          <Button look="main" onClick={close}>
            {shared("close")}
          </Button>
        ) : (
          <>
            <Button onClick={close}>{shared("back")}</Button>
            <Button look="main" busy={busy} disabled={count === 0 || !spaced} onClick={() => void doIt()}>
              {action}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {!result && settling === "redrive" && (
          <>
            <ParamChoice {...{ same, setSame, param, setParam }} />
            <Field label={t("spacing")} help={t("spacingHelp")}>
              <Input
                mono
                placeholder="10ms"
                value={spacing}
                aria-invalid={!spaced || undefined}
                onChange={(event) => setSpacing(event.target.value.trim())}
              />
            </Field>
          </>
        )}
        {!result && settling === "close" && (
          <Field label={shared("reason")} help={t("reasonHelp")}>
            <Input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
          </Field>
        )}
        {result && <p role="status">{t("doneMany", { done: result.done, failed: result.failed })}</p>}
        {!result && would && (
          <p>
            <b>{t("would", { count })}</b>
            {would.failed > 0 && `. ${t("cannot", { count: would.failed })}`}
          </p>
        )}
        {!would && !problem && <SkeletonText lines={2} />}
        <Letters settled={result ?? would} />
        {result?.more && <p className="text-warn">{t("more")}</p>}
        {problem && <ErrorState problem={problem} compact />}
      </div>
    </Dialog>
  );
}

function Letters({ settled }: { settled: Schema<"Settled"> | null }) {
  if (!settled || settled.letters.length === 0) return null;
  return (
    <ul className="max-h-56 overflow-y-auto rounded-md border text-xs">
      {settled.letters.slice(0, 100).map((one) => (
        <li key={one.run_id} className="flex gap-2 border-b px-3 py-1 last:border-b-0">
          <RunLink id={one.run_id} />
          <span className="text-soft">{one.job_key}</span>
          {one.new_run && (
            <span>
              → <RunLink id={one.new_run} />
            </span>
          )}
          {one.error && <span className="min-w-0 flex-1 break-words text-bad">{one.error.detail}</span>}
        </li>
      ))}
    </ul>
  );
}
