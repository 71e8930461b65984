import { Plus, Trash2 } from "lucide-react";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import type { Option } from "@/ui/Select";
import { useWords } from "@/words";
import type { Step } from "./rule";
import { ruleWords } from "./words";

const most = 8;

/** The steps of an escalation, the earliest first. */
export function Steps({
  steps,
  onChange,
  channels,
}: {
  steps: readonly Step[];
  onChange: (steps: Step[]) => void;
  channels: readonly Option[];
}) {
  const t = useWords(ruleWords);
  const change = (id: number, part: Partial<Step>) =>
    onChange(steps.map((step) => (step.id === id ? { ...step, ...part } : step)));
  const add = () =>
    onChange([...steps, { id: Math.max(-1, ...steps.map((step) => step.id)) + 1, after: "", channels: [] }]);
  return (
    <Field name="escalation" group label={t("escalation")} help={t("escalationHelp")}>
      <div className="flex flex-col gap-2">
        {steps.map((step, at) => (
          <fieldset
            key={step.id}
            className="grid grid-cols-[6rem_1fr_auto] items-start gap-2"
            aria-label={t("stepN", { n: at + 1 })}
          >
            <Field name={`escalation.${at}.after`} label={<span className="sr-only">{t("after")}</span>}>
              <Input
                mono
                placeholder="30m"
                value={step.after}
                onChange={(event) => change(step.id, { after: event.target.value.trim() })}
              />
            </Field>
            <Field name={`escalation.${at}.channels`} label={<span className="sr-only">{t("alsoTell")}</span>}>
              <MultiSelect
                value={step.channels}
                onChange={(chosen) => change(step.id, { channels: chosen })}
                options={channels}
                placeholder={t("alsoTell")}
              />
            </Field>
            <IconButton
              icon={Trash2}
              label={t("removeStep", { n: at + 1 })}
              onClick={() => onChange(steps.filter((one) => one.id !== step.id))}
            />
          </fieldset>
        ))}
        <Button size="small" icon={Plus} className="self-start" disabled={steps.length >= most} onClick={add}>
          {t("addStep")}
        </Button>
      </div>
    </Field>
  );
}
