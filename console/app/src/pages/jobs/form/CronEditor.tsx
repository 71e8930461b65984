import { type ReactNode, useId, useState } from "react";
import { useController } from "react-hook-form";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { useLanguage, useWords } from "@/words";
import { monthName, weekdayName } from "../scheduleText";
import { BoundText } from "./Bound";
import {
  boundsOf,
  type Cron,
  type CronField,
  type CronFieldName,
  type CronForm,
  cronPresets,
  dayOfWeek,
  fieldsOf,
  formatCron,
  modesOf,
  parseCron,
  startOf,
  withField,
} from "./cron";
import type { JobValues } from "./values";
import { whenWords } from "./whenWords";

/** A cron expression: as text, by presets, and field by field. */
export function CronEditor() {
  const t = useWords(whenWords);
  const { field } = useController<JobValues, "schedule.cron">({ name: "schedule.cron" });
  const cron = parseCron(field.value);
  const preset = cronPresets.find(([, text]) => text === field.value.trim());
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-4 sm:grid-cols-[1fr_15rem]">
        <BoundText name="schedule.cron" mono required label={t("expression")} help={t("expressionHelp")} />
        <Field label={t("presets")}>
          <Select
            placeholder="–"
            value={preset?.[1] ?? ""}
            onChange={field.onChange}
            options={cronPresets.map(([word, text]) => ({ value: text, label: t(word) }))}
          />
        </Field>
      </div>
      {cron ? (
        <fieldset className="grid gap-x-4 gap-y-2 rounded-md border p-3 lg:grid-cols-2">
          <legend className="px-1 text-faint text-xs">{t("fields")}</legend>
          {fieldsOf(cron.form).map((name) => (
            <FieldLine
              key={name}
              cron={cron}
              name={name}
              onChange={(next) => field.onChange(formatCron(withField(cron, name, next)))}
            />
          ))}
        </fieldset>
      ) : (
        <p className="text-faint text-xs">{t("noFields")}</p>
      )}
    </div>
  );
}

function FieldLine({
  cron,
  name,
  onChange,
}: {
  cron: Cron;
  name: CronFieldName;
  onChange: (field: CronField) => void;
}) {
  const t = useWords(whenWords);
  const field = cron.fields[name] ?? { mode: "every" };
  return (
    <div className="grid grid-cols-[3.5rem_8.5rem_1fr] items-start gap-2">
      <span className="pt-1.5 font-medium">{t(name)}</span>
      <Select
        label={t("modeOf", { field: t(name) })}
        value={field.mode}
        onChange={(mode) => onChange(startOf(mode, name, cron.form, field))}
        options={modesOf(name, cron.form).map((mode) => ({ value: mode, label: t(`mode_${mode}`) }))}
      />
      <FieldValue field={field} name={name} form={cron.form} onChange={onChange} />
    </div>
  );
}

type ValueProps = { field: CronField; name: CronFieldName; form: CronForm; onChange: (field: CronField) => void };

function FieldValue({ field, name, form, onChange }: ValueProps) {
  const t = useWords(whenWords);
  const [least, most] = boundsOf(name, form);
  const one = (label: string, value: number, set: (value: number) => void, from = least, to = most) => (
    <NumberBox label={label} value={value} least={from} most={to} onChange={set} />
  );
  const day = (weekday: number, set: (weekday: number) => void) => (
    <WeekdaySelect form={form} value={weekday} onChange={set} />
  );
  switch (field.mode) {
    case "every":
    case "none":
      return <span />;
    case "step":
      return (
        <Row>
          {one(t("stepEvery"), field.step, (step) => onChange({ ...field, step }), 1, most)}
          {form === "quartz" && one(t("stepFrom"), field.from ?? least, (from) => onChange({ ...field, from }))}
        </Row>
      );
    case "range":
      if (name === "weekday") {
        return (
          <Row>
            {day(field.from, (from) => onChange({ ...field, from }))}
            {day(field.to, (to) => onChange({ ...field, to }))}
          </Row>
        );
      }
      return (
        <Row>
          {one(t("rangeFrom"), field.from, (from) => onChange({ ...field, from }))}
          {one(t("rangeTo"), field.to, (to) => onChange({ ...field, to }))}
        </Row>
      );
    case "list":
      return <ValueChips field={field} name={name} form={form} onChange={onChange} />;
    case "last":
      return <Row>{one(t("daysBefore"), field.before, (before) => onChange({ ...field, before }), 0, 30)}</Row>;
    case "workday":
      return (
        <Select
          label={t("nearest")}
          value={String(field.day ?? "")}
          onChange={(text) => onChange({ ...field, day: text === "" ? null : Number(text) })}
          options={[
            { value: "", label: t("lastWorkday") },
            ...Array.from({ length: 31 }, (_, at) => ({ value: String(at + 1), label: `${t("nearest")} ${at + 1}` })),
          ]}
        />
      );
    case "nth":
      return (
        <Row>
          {one(t("nth"), field.nth, (nth) => onChange({ ...field, nth }), 1, 5)}
          {day(field.weekday, (weekday) => onChange({ ...field, weekday }))}
        </Row>
      );
    case "lastOf":
      return <Row>{day(field.weekday, (weekday) => onChange({ ...field, weekday }))}</Row>;
    case "text":
      return (
        <Input
          mono
          aria-label={t(name)}
          value={field.text}
          onChange={(event) => onChange({ mode: "text", text: event.target.value.replace(/\s/g, "") || "*" })}
        />
      );
  }
}

function Row({ children }: { children: ReactNode }) {
  return <span className="flex flex-wrap gap-2">{children}</span>;
}

function NumberBox({
  label,
  value,
  least,
  most,
  onChange,
}: {
  label: string;
  value: number;
  least: number;
  most: number;
  onChange: (value: number) => void;
}) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-1.5">
      <label htmlFor={id} className="text-faint text-xs">
        {label}
      </label>
      <Input
        id={id}
        type="number"
        min={least}
        max={most}
        className="w-18"
        value={value}
        onChange={(event) => {
          const read = event.target.valueAsNumber;
          if (Number.isInteger(read) && read >= least && read <= most) onChange(read);
        }}
      />
    </span>
  );
}

function WeekdaySelect({
  form,
  value,
  onChange,
}: {
  form: CronForm;
  value: number;
  onChange: (value: number) => void;
}) {
  const t = useWords(whenWords);
  const [language] = useLanguage();
  const [least, most] = boundsOf("weekday", form);
  return (
    <span className="w-24">
      <Select
        label={t("weekday")}
        value={String(value)}
        onChange={(text) => onChange(Number(text))}
        options={Array.from({ length: most - least + 1 }, (_, at) => ({
          value: String(least + at),
          label: weekdayName(dayOfWeek(least + at, form), language),
        }))}
      />
    </span>
  );
}

function ValueChips({ field, name, form, onChange }: ValueProps & { field: Extract<CronField, { mode: "list" }> }) {
  const t = useWords(whenWords);
  const [language] = useLanguage();
  const [least, most] = boundsOf(name, form);
  const [added, setAdded] = useState("");
  const shown = [...new Set([...offered(name, least, most), ...field.values])].sort((a, b) => a - b);
  const named = (value: number) => {
    if (name === "weekday") return weekdayName(dayOfWeek(value, form), language);
    return name === "month" ? monthName(value, language) : String(value);
  };
  const toggle = (value: number) => {
    const values = field.values.includes(value)
      ? field.values.filter((one) => one !== value)
      : [...field.values, value];
    onChange({ mode: "list", values: values.sort((a, b) => a - b) });
  };
  const add = () => {
    const value = Number(added);
    if (added === "" || !Number.isInteger(value) || value < least || value > most) return;
    if (!field.values.includes(value)) toggle(value);
    setAdded("");
  };
  return (
    <fieldset aria-label={t("valuesOf", { field: t(name) })}>
      <div className="flex flex-wrap gap-1">
        {shown.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={field.values.includes(value)}
            onClick={() => toggle(value)}
            className="min-w-7 rounded-sm border px-1 text-xs leading-6 hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-tint aria-pressed:text-accent"
          >
            {named(value)}
          </button>
        ))}
        {(most - least > 31 || name === "year") && (
          <Input
            inputMode="numeric"
            className="h-7 w-14 px-1.5 text-xs"
            aria-label={t("addValue", { field: t(name) })}
            placeholder="+"
            value={added}
            onChange={(event) => setAdded(event.target.value)}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add();
            }}
          />
        )}
      </div>
    </fieldset>
  );
}

/** The values that are offered at once: all of a few, each fifth of many, the next years. */
function offered(name: CronFieldName, least: number, most: number): number[] {
  if (name === "year") return Array.from({ length: 6 }, (_, at) => new Date().getFullYear() + at);
  const step = most - least > 31 ? 5 : 1;
  return Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, at) => least + at * step);
}
