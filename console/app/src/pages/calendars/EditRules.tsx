import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { get, put } from "@/api/client";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Field } from "@/ui/Field";
import { isConflict } from "@/ui/form/conflict";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { Input } from "@/ui/Input";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { Textarea } from "@/ui/Textarea";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { readDays, readRanges, readYearly, writeDays, writeRanges, writeYearly } from "./lines";
import { type Rules, turned, weekdays } from "./rules";
import { calendarWords } from "./words";
import { Year } from "./Year";

const parts = ["dates", "ranges", "yearly", "except"] as const;
type Part = (typeof parts)[number];
type Texts = Record<Part, string>;

const readers = { dates: readDays, ranges: readRanges, yearly: readYearly, except: readDays } as const;

function textsOf(rules: Rules): Texts {
  return {
    dates: writeDays(rules.dates),
    ranges: writeRanges(rules.ranges),
    yearly: writeYearly(rules.yearly),
    except: writeDays(rules.except),
  };
}

/** What the form holds of a calendar. The lists of days are texts: what `base` has of them is not looked at. */
function calendarValues(calendar: Schema<"Calendar">): { title: string; base: Rules; texts: Texts } {
  const { dates: _, ranges: __, yearly: ___, except: ____, ...base } = calendar.rules;
  return { title: calendar.title ?? "", base, texts: textsOf(calendar.rules) };
}

/** Edits the rules of a calendar, next to a preview of the year. */
export function EditRules({ calendar: now, onClose }: { calendar: Schema<"Calendar">; onClose: () => void }) {
  const [calendar] = useState(now); // the edited version, even if a newer one arrives
  const t = useWords(calendarWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const edit = useEdit(() => calendarValues(calendar), calendar.version);
  const { title, base, texts } = edit.values;
  const setBase = (next: Rules) => edit.set({ base: next });
  const read = useMemo(
    () => ({
      dates: readers.dates(texts.dates),
      ranges: readers.ranges(texts.ranges),
      yearly: readers.yearly(texts.yearly),
      except: readers.except(texts.except),
    }),
    [texts],
  );
  const draft: Rules = useMemo(
    () => ({
      ...base,
      dates: read.dates.items,
      ranges: read.ranges.items,
      yearly: read.yearly.items,
      except: read.except.items,
    }),
    [base, read],
  );
  const wrong = parts.some((part) => read[part].wrong.length > 0);
  const faultOf = (part: Part) =>
    read[part].wrong.length > 0 ? t("wrongLines", { lines: read[part].wrong.slice(0, 5).join(", ") }) : undefined;
  const form = useForm({
    faults: Object.fromEntries(parts.map((part) => [`rules.${part}`, faultOf(part)])),
    names: Object.fromEntries(
      ["mode", "weekdays", "known_until", "source", ...parts].map((one) => [one, `rules.${one}`]),
    ),
  });
  const save = () =>
    form.send(async () => {
      await put("/calendars/{key}", {
        path: { key: calendar.key },
        query: { namespace: calendar.namespace },
        body: { title: title || undefined, version: Number(edit.version), rules: draft },
      });
      for (const path of ["/calendars", "/calendars/{key}"]) void queries.invalidateQueries({ queryKey: [path] });
      toast.done(t("saved"));
      onClose();
    });
  const adopt = async () => {
    const { key, namespace } = calendar;
    const found = await get("/calendars/{key}", { path: { key }, query: { namespace } });
    edit.adopt(calendarValues(found), found.version);
    form.clear();
  };
  const { problem } = form;
  const lost = problem && isConflict(problem) && <ConflictNotice problem={problem} load={adopt} />;
  const turn = (date: string) => {
    const next = turned(draft, date);
    edit.set({ texts: { ...texts, dates: writeDays(next.dates), except: writeDays(next.except) } });
  };
  return (
    <>
      <Section title={t("editRules")}>
        <Form form={form} onSubmit={() => void save()} instead={lost} className="flex flex-col gap-4">
          <Field name="title" label={shared("title")} help={t("titleHelp")}>
            <Input value={title} maxLength={200} onChange={(event) => edit.set({ title: event.target.value })} />
          </Field>
          <Week rules={base} onChange={setBase} />
          <div className="grid gap-4 lg:grid-cols-2">
            {parts.map((part) => (
              <Field key={part} name={`rules.${part}`} label={t(part)} help={t(`${part}Help`)}>
                <Textarea
                  rows={6}
                  className="font-mono text-xs"
                  value={texts[part]}
                  onChange={(event) => edit.set({ texts: { ...texts, [part]: event.target.value } })}
                />
              </Field>
            ))}
            <Field name="rules.known_until" label={t("knownUntil")} help={t("knownUntilHelp")}>
              <Input
                type="date"
                value={base.known_until ?? ""}
                onChange={(event) => setBase({ ...base, known_until: event.target.value || undefined })}
              />
            </Field>
            <Field name="rules.source" label={t("source")}>
              <Input
                value={base.source ?? ""}
                maxLength={300}
                onChange={(event) => setBase({ ...base, source: event.target.value || undefined })}
              />
            </Field>
          </div>
          {!problem && (
            <MergedNotice both={edit.both} names={{ title: shared("title"), base: t("mode"), texts: t("dates") }} />
          )}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>{shared("cancel")}</Button>
            <Submit form={form}>{shared("save")}</Submit>
          </div>
        </Form>
      </Section>
      <Year rules={draft} onDay={wrong ? undefined : turn} />
    </>
  );
}

function Week({ rules, onChange }: { rules: Rules; onChange: (rules: Rules) => void }) {
  const t = useWords(calendarWords);
  const named = rules.weekdays ?? [];
  return (
    <>
      <Field name="rules.mode" group label={t("mode")}>
        <RadioGroup
          cards
          label={t("mode")}
          value={rules.mode === "only" ? "only" : "exclude"}
          onChange={(mode) => onChange({ ...rules, mode })}
          options={[
            { value: "exclude", label: t("exclude"), help: t("excludeHelp") },
            { value: "only", label: t("only"), help: t("onlyHelp") },
          ]}
        />
      </Field>
      <Field name="rules.weekdays" group label={t("weekdays")}>
        <div className="flex flex-wrap gap-x-4 gap-y-2">
          {[...weekdays.slice(1), weekdays[0]].map((day) => (
            <Checkbox
              key={day}
              checked={named.includes(day)}
              onChange={(on) =>
                onChange({ ...rules, weekdays: weekdays.filter((one) => (one === day ? on : named.includes(one))) })
              }
            >
              {t(day)}
            </Checkbox>
          ))}
        </div>
      </Field>
    </>
  );
}
