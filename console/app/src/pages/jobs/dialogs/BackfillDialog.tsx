import { useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import type { Job, Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { absolute, count, zone } from "@/ui/format";
import { Input } from "@/ui/Input";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../actions";
import { actionWords } from "../words";
import { InstantInput } from "./InstantInput";
import { faultsOfInputs, ParamInput } from "./ParamInput";

type Wish = {
  from: string;
  to: string;
  parallel: string;
  spacing: string;
  max: string;
  skip: boolean;
  param: string | null;
};

const hour = 3_600_000;
const wholeHour = (ms: number) => new Date(Math.floor(ms / hour) * hour).toISOString();
const lastDays = (days: number) => ({ from: wholeHour(Date.now() - days * 24 * hour), to: wholeHour(Date.now()) });
const ranges = [
  ["lastDay", 1],
  ["lastWeek", 7],
  ["lastMonth", 30],
] as const;

/** Runs a job for slots of the past: first what that would be, then how far it is. */
export function BackfillDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const t = useWords(actionWords);
  const shared = useWords(sharedWords);
  const changed = useJobsChanged();
  const [wish, setWish] = useState<Wish>({
    ...lastDays(1),
    parallel: "1",
    spacing: "",
    max: "",
    skip: true,
    param: null,
  });
  const [plan, setPlan] = useState<Schema<"Backfill"> | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const needed = useNeeded();
  const form = useForm({
    faults: {
      from: needed(wish.from),
      to: needed(wish.to),
      ...faultsOfInputs(job.inputs, wish.param, shared("required")),
    },
  });
  const change = (part: Partial<Wish>) => {
    setWish((now) => ({ ...now, ...part }));
    setPlan(null);
  };
  const ask = async (dry: boolean) => {
    const done = await form.send(async () => {
      const answer = await post("/jobs/{key}/backfills", {
        path: { key: job.key },
        query: { namespace: job.namespace, dry_run: dry || undefined },
        body: {
          from: wish.from,
          to: wish.to,
          parallel: Number(wish.parallel) || undefined,
          spacing: wish.spacing.trim() || undefined,
          max: Number(wish.max) || undefined,
          skip_succeeded: wish.skip,
          param: wish.param ?? undefined,
        },
      });
      if (dry) setPlan(answer);
      else {
        setMade(answer.id);
        void changed();
      }
    });
    if (!done) setPlan(null);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("fillTitle", { key: job.key })}
      text={t("fillText")}
      footer={
        made ? (
          <Button onClick={onClose}>{shared("close")}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{shared("cancel")}</Button>
            <Submit form={form} look="plain">
              {t("preview")}
            </Submit>
            <Button look="main" busy={form.busy} disabled={!plan || plan.slots === 0} onClick={() => void ask(false)}>
              {t("doFill")}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <FillProgress id={made} />
      ) : (
        <Form form={form} onSubmit={() => void ask(true)} className="flex flex-col gap-4">
          <WishFields job={job} wish={wish} change={change} />
          {plan && <FillPlan plan={plan} />}
        </Form>
      )}
    </Dialog>
  );
}

function FillPlan({ plan }: { plan: Schema<"Backfill"> }) {
  const t = useWords(actionWords);
  const [language] = useLanguage();
  const said =
    plan.slots > 0 && plan.first && plan.last
      ? t("slots", {
          n: count(plan.slots, language),
          first: absolute(Date.parse(plan.first)),
          last: absolute(Date.parse(plan.last)),
        })
      : t("noSlots");
  return (
    <p role="status" className="rounded-md border bg-sunken px-3 py-2">
      {said}
    </p>
  );
}

function WishFields({ job, wish, change }: { job: Job; wish: Wish; change: (part: Partial<Wish>) => void }) {
  const t = useWords(actionWords);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {ranges.map(([word, days]) => (
          <Button key={word} size="small" onClick={() => change(lastDays(days))}>
            {t(word)}
          </Button>
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field name="from" label={t("from")} help={t("yourZone", { zone })}>
          <InstantInput value={wish.from} onChange={(from) => change({ from })} />
        </Field>
        <Field name="to" label={t("to")}>
          <InstantInput value={wish.to} onChange={(to) => change({ to })} />
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field name="parallel" label={t("parallel")} help={t("parallelHelp")}>
          <Input inputMode="numeric" value={wish.parallel} onChange={(e) => change({ parallel: e.target.value })} />
        </Field>
        <Field name="spacing" label={t("spacing")} help={t("spacingHelp")}>
          <Input mono value={wish.spacing} onChange={(e) => change({ spacing: e.target.value })} />
        </Field>
        <Field name="max" label={t("max")} help={t("maxHelp")}>
          <Input inputMode="numeric" value={wish.max} onChange={(e) => change({ max: e.target.value })} />
        </Field>
      </div>
      <Checkbox checked={wish.skip} onChange={(skip) => change({ skip })}>
        {t("skipDone")}
      </Checkbox>
      <ParamInput job={job} value={wish.param} onChange={(param) => change({ param })} />
    </>
  );
}

const stateWord = { running: "fillRunning", finished: "fillFinished", cancelled: "fillCancelled" } as const;

function FillProgress({ id }: { id: string }) {
  const t = useWords(actionWords);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { data, refetch } = useGet(
    "/backfills/{id}",
    { path: { id } },
    { refetchInterval: (query) => (query.state.data?.state === "running" ? 1_000 : false) },
  );
  if (!data) return null;
  const done = data.succeeded + data.failed + data.skipped;
  const share = (n: number) => `${(100 * n) / Math.max(1, data.slots)}%`;
  const cancel = async () => {
    try {
      await post("/backfills/{id}/cancel", { path: { id }, body: {} });
      await refetch();
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Badge tone={data.state === "running" ? "busy" : data.state === "finished" ? "good" : "idle"}>
          {t(stateWord[data.state])}
        </Badge>
        <span role="status">{t("fillState", { done, all: data.slots })}</span>
        {data.failed > 0 && <span className="text-bad">{t("fillFailed", { n: data.failed })}</span>}
        {data.skipped > 0 && <span className="text-faint">{t("fillSkipped", { n: data.skipped })}</span>}
      </div>
      <div
        role="progressbar"
        aria-label={t("fillState", { done, all: data.slots })}
        aria-valuemin={0}
        aria-valuemax={data.slots}
        aria-valuenow={done}
        className="flex h-2 overflow-hidden rounded-full bg-sunken"
      >
        <span className="bg-good" style={{ width: share(data.succeeded) }} />
        <span className="bg-bad" style={{ width: share(data.failed) }} />
        <span className="bg-control" style={{ width: share(data.skipped) }} />
      </div>
      {data.reason && <p className="text-soft">{reasonText(data.reason)}</p>}
      {data.state === "running" && (
        <div className="flex flex-wrap items-center gap-3">
          <Button size="small" look="dangerPlain" onClick={() => void cancel()}>
            {t("fillCancel")}
          </Button>
          <span className="text-faint text-xs">{t("fillHint")}</span>
        </div>
      )}
      {problem && <ErrorState compact problem={problem} />}
    </div>
  );
}
