import { useQueryClient } from "@tanstack/react-query";
import { ArrowRightLeft, Search, ShieldAlert } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import { useSession } from "@/session/session";
import { everySpace, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { PageHeader } from "@/ui/PageHeader";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import {
  countBy,
  hasChanges,
  type ImportForm,
  initialForm,
  type Kind,
  missingField,
  type Report,
  requestOf,
} from "./form";
import { Result } from "./Result";
import { SourceFields } from "./SourceFields";
import { TargetFields } from "./TargetFields";
import { importWords } from "./words";

const kinds: readonly Kind[] = ["database", "json", "crontab", "kubernetes"];

/** Takes over what another scheduler has: what it is, what that would come to, and then the deed. */
export function ImportPage() {
  const t = useWords(importWords);
  const { may } = useSession();
  if (!may("admin", everySpace, "*")) {
    return (
      <>
        <PageHeader title={t("title")} />
        <Section>
          <Empty icon={ShieldAlert} title={t("forbidden")}>
            {t("forbiddenText")}
          </Empty>
        </Section>
      </>
    );
  }
  return <Wizard />;
}

function Wizard() {
  const t = useWords(importWords);
  const { of } = useNamespace();
  const queries = useQueryClient();
  const [wish, setWish] = useState<ImportForm>({ ...initialForm, namespace: of });
  const [looked, setLooked] = useState<{ wish: ImportForm; report: Report } | null>(null);
  const [done, setDone] = useState<Report | null>(null);
  const shared = useWords(sharedWords);
  const gap = missingField(wish);
  const form = useForm({ faults: gap ? { [gap]: shared("required") } : {} });
  const [asking, setAsking] = useState(false);
  const set = (part: Partial<ImportForm>) => {
    setWish((now) => ({ ...now, ...part }));
    setDone(null);
  };
  const look = () =>
    form.send(async () => {
      setLooked(null);
      setDone(null);
      setLooked({ wish, report: await post("/imports", { body: requestOf(wish, true) }) });
    });
  const carry = async () => {
    const report = await post("/imports", { body: requestOf(wish, false) });
    setWish((now) => ({ ...now, password: "" }));
    setLooked(null);
    setDone(report);
    void queries.invalidateQueries();
  };
  const stale = looked !== null && looked.wish !== wish;
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <Form form={form} onSubmit={() => void look()} className="flex flex-col gap-4">
        <Section title={t("from")}>
          <RadioGroup
            cards
            label={t("from")}
            value={wish.kind}
            onChange={(kind) => {
              set({ kind });
              form.clear();
              setLooked(null);
            }}
            options={kinds.map((value) => ({ value, label: t(value), help: t(`${value}Help`) }))}
          />
        </Section>
        <Section title={t("where")}>
          <SourceFields wish={wish} set={set} />
        </Section>
        <Section title={t("target")}>
          <TargetFields wish={wish} set={set} />
        </Section>
        {form.problem?.hint && !form.left && <p className="text-soft">{form.problem.hint}</p>}
        <div className="flex flex-wrap items-center gap-3">
          <Submit form={form} look={looked && !stale ? "plain" : "main"} icon={Search} aria-describedby="import-state">
            {t("look")}
          </Submit>
          <p id="import-state" role="status" className="text-soft">
            {form.busy ? t("reading") : gap ? t(`gap_${gap}`) : stale ? t("lookAgain") : ""}
          </p>
        </div>
      </Form>
      {looked && !stale && (
        <Result
          report={looked.report}
          action={
            hasChanges(looked.report) && (
              <Button look="main" icon={ArrowRightLeft} onClick={() => setAsking(true)}>
                {t("carry")}
              </Button>
            )
          }
        />
      )}
      {done && <Result report={done} />}
      {looked && (
        <Confirm
          open={asking}
          onClose={() => setAsking(false)}
          title={t("confirm", { namespace: wish.namespace })}
          text={t("confirmText")}
          action={t("carry")}
          onConfirm={carry}
        >
          <Touched report={looked.report} />
          {wish.start && <p>{t("confirmStart")}</p>}
        </Confirm>
      )}
    </>
  );
}

/** What an import touches, by its deeds. */
function Touched({ report }: { report: Report }) {
  const t = useWords(importWords);
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4">
      {(["create", "change"] as const).flatMap((deed) => {
        const counts = countBy(report.items, (item) => item.action === deed);
        return [
          { label: t("groupCount"), count: counts.group },
          { label: t("jobCount"), count: counts.job },
          { label: t("executorCount"), count: counts.executor },
          { label: t("userCount"), count: counts.user },
        ]
          .filter((one) => one.count > 0)
          .map((one) => (
            <li key={`${deed} ${one.label}`}>
              {t(deed)}: {one.label} <span className="tabular-nums">{one.count}</span>
            </li>
          ));
      })}
    </ul>
  );
}
