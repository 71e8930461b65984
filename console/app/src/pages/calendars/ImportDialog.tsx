import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { get, put } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Combobox } from "@/ui/Combobox";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { isConflict } from "@/ui/form/conflict";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { RadioGroup } from "@/ui/RadioGroup";
import { Segmented } from "@/ui/Segmented";
import { Textarea } from "@/ui/Textarea";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { problemWords, sharedWords } from "@/words/shared";
import { calendarWords } from "./words";

type Calendar = Schema<"Calendar">;
type From = "rules" | "shipped" | "text";
type Props = {
  namespace: string;
  /** Chooses the namespace, where all are shown. */
  place?: ReactNode;
  /** The keys that are taken. */
  taken?: readonly string[];
  /** The calendar whose rules are replaced; without one a calendar is made. */
  calendar?: Calendar;
  onClose: (saved?: Calendar) => void;
};

/** Makes a calendar, or replaces the rules of one: from nothing, from shipped data, or from a file. */
export function ImportDialog({ namespace, place, taken = [], calendar: now, onClose }: Props) {
  const [calendar] = useState(now); // the one that was looked at
  const t = useWords(calendarWords);
  const shared = useWords(sharedWords);
  const problems = useWords(problemWords);
  const queries = useQueryClient();
  const toast = useToast();
  const [key, setKey] = useState(calendar?.key ?? "");
  const edit = useEdit(() => ({ title: calendar?.title ?? "" }), calendar?.version ?? 0);
  const { title } = edit.values;
  const [from, setFrom] = useState<From>("shipped");
  const [shipped, setShipped] = useState("");
  const [format, setFormat] = useState<"ics" | "csv">("ics");
  const [text, setText] = useState("");
  const [weekends, setWeekends] = useState(true);
  const [saved, setSaved] = useState<Schema<"CalendarSaved"> | null>(null);
  const needed = useNeeded();
  const form = useForm({
    faults: {
      key: needed(key) ?? (!calendar && taken.includes(key) ? problems("conflict") : undefined),
      shipped: from === "shipped" ? needed(shipped) : undefined,
      text: from === "text" ? needed(text) : undefined,
    },
    names: { format: "text" },
  });
  const save = () =>
    form.send(async () => {
      const what = {
        rules: { rules: { mode: "exclude", weekdays: weekends ? ["SAT", "SUN"] : [] } },
        shipped: { shipped, weekends },
        text: { format, text, weekends },
      }[from];
      const answer = await put("/calendars/{key}", {
        path: { key },
        query: { namespace },
        body: { title: title || undefined, version: Number(edit.version), ...what },
      });
      for (const path of ["/calendars", "/calendars/{key}"]) void queries.invalidateQueries({ queryKey: [path] });
      toast.done(t("imported", { key }));
      if (answer.warnings?.length) setSaved(answer);
      else onClose(answer.calendar);
    });
  const adopt = async () => {
    const found = await get("/calendars/{key}", { path: { key }, query: { namespace } });
    edit.adopt({ title: found.title ?? "" }, found.version);
    form.clear();
  };
  const { problem } = form;
  const lost = calendar && problem && isConflict(problem) && <ConflictNotice problem={problem} load={adopt} />;
  if (saved) return <Warned saved={saved} onClose={() => onClose(saved.calendar)} />;
  return (
    <Dialog
      open
      onClose={() => onClose()}
      title={t(calendar ? "importAnew" : "newCalendar")}
      text={calendar && t("importAnewText", { key })}
      footer={
        <>
          <Button onClick={() => onClose()}>{shared("cancel")}</Button>
          <Submit form={form}>{calendar ? t("importAnew") : shared("create")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} instead={lost} className="flex flex-col gap-3">
        {place}
        {!calendar && (
          <Field name="key" label={t("key")} help={t("keyHelp")} required>
            <Input mono value={key} maxLength={64} onChange={(event) => setKey(event.target.value.trim())} />
          </Field>
        )}
        <Field name="title" label={shared("title")} help={t("titleHelp")}>
          <Input value={title} maxLength={200} onChange={(event) => edit.set({ title: event.target.value })} />
        </Field>
        <RadioGroup
          cards
          label={t("from")}
          value={from}
          onChange={setFrom}
          options={[
            { value: "shipped", label: t("fromShipped"), help: t("fromShippedHelp") },
            { value: "text", label: t("fromText"), help: t("fromTextHelp") },
            { value: "rules", label: t("fromRules"), help: t("fromRulesHelp") },
          ]}
        />
        {from === "shipped" && <Shipped value={shipped} onChange={setShipped} />}
        {from === "text" && <FromFile {...{ format, setFormat, text, setText }} />}
        <Checkbox checked={weekends} onChange={setWeekends}>
          {t("weekends")}
        </Checkbox>
        {!problem && <MergedNotice both={edit.both} names={{ title: shared("title") }} />}
      </Form>
    </Dialog>
  );
}

function Warned({ saved, onClose }: { saved: Schema<"CalendarSaved">; onClose: () => void }) {
  const t = useWords(calendarWords);
  const shared = useWords(sharedWords);
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("warnings")}
      footer={
        <Button look="main" onClick={onClose}>
          {shared("close")}
        </Button>
      }
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        {saved.warnings?.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Dialog>
  );
}

function Shipped({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useWords(calendarWords);
  const { data, error: problem, refetch } = useGet("/shipped-calendars", {}, { staleTime: 600_000 });
  if (problem) return <ErrorState problem={problem} compact onRetry={() => void refetch()} />;
  const options = (data?.calendars ?? []).map((one) => ({
    value: one.key,
    label: `${one.title} (${one.key})`,
    help: `${t("shippedYears", { first: one.first_year, last: one.last_year })} · ${one.source}`,
  }));
  return (
    <Field name="shipped" label={t("shipped")} required>
      <Combobox value={value} onChange={onChange} options={options} />
    </Field>
  );
}

function FromFile({
  format,
  setFormat,
  text,
  setText,
}: {
  format: "ics" | "csv";
  setFormat: (format: "ics" | "csv") => void;
  text: string;
  setText: (text: string) => void;
}) {
  const t = useWords(calendarWords);
  const take = async (file: File | undefined) => {
    if (!file) return;
    setFormat(/\.csv$/i.test(file.name) ? "csv" : "ics");
    setText(await file.text());
  };
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Field label={t("file")}>
          <input
            type="file"
            accept=".ics,.csv,text/calendar,text/csv"
            aria-label={t("file")}
            className="max-w-full text-sm"
            onChange={(event) => void take(event.target.files?.[0])}
          />
        </Field>
        <Segmented
          label={t("format")}
          value={format}
          onChange={setFormat}
          options={[
            { value: "ics", label: t("ics") },
            { value: "csv", label: t("csv") },
          ]}
        />
      </div>
      <Field name="text" label={t("fileText")} help={format === "csv" ? t("csvHelp") : undefined} required>
        <Textarea
          rows={8}
          value={text}
          className="font-mono text-xs"
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </>
  );
}
