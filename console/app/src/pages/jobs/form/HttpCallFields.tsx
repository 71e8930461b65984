import { useState } from "react";
import { useController } from "react-hook-form";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { Hint } from "./Hint";
import { type BodyKind, bodyKinds, callOf, type HttpCall, isWrongJson, methods, paramOf, withKind } from "./httpcall";
import { Pairs } from "./Pairs";
import type { JobValues } from "./values";
import { formWords } from "./words";

/** The request that the parameter of a job is, field by field. The parameter's text leads: what it cannot say here stays there. */
export function HttpCallFields() {
  const t = useWords(formWords);
  const { field } = useController<JobValues, "param">({ name: "param" });
  const [draft, setDraft] = useState<{ call: HttpCall; param: string } | null>(null);
  const call = draft?.param === field.value ? draft.call : callOf(field.value);
  const set = (next: HttpCall) => {
    const param = paramOf(next) ?? field.value;
    setDraft({ call: next, param });
    field.onChange(param);
  };
  return (
    <Field group label={t("httpCall")} help={<Hint>{call ? t("httpHelp") : t("httpOther")}</Hint>}>
      {call && (
        <div className="flex flex-col gap-4 rounded-md border p-3">
          <Address call={call} set={set} />
          <Field group label={t("httpHeaders")}>
            <Pairs
              value={call.headers}
              onChange={(headers) => set({ ...call, headers })}
              add={t("addHeader")}
              names={[t("httpHeader"), t("labelValue")]}
            />
          </Field>
          <Body call={call} set={set} />
          <Answer call={call} set={set} />
        </div>
      )}
    </Field>
  );
}

type Part = { call: HttpCall; set: (call: HttpCall) => void };

function Address({ call, set }: Part) {
  const t = useWords(formWords);
  const options = [{ value: "", label: t("httpAuto") }, ...methods.map((value) => ({ value, label: value }))];
  return (
    <div className="grid gap-4 sm:grid-cols-[14rem_1fr]">
      <Field label={t("httpMethod")}>
        <Select value={call.method} onChange={(method) => set({ ...call, method })} options={options} />
      </Field>
      <Field label="URL" required>
        <Input
          mono
          placeholder="https://example.com/report"
          value={call.url}
          onChange={(event) => set({ ...call, url: event.target.value })}
        />
      </Field>
    </div>
  );
}

function Body({ call, set }: Part) {
  const t = useWords(formWords);
  const names: Record<BodyKind, string> = {
    none: t("bodyNone"),
    text: t("bodyText"),
    json: "JSON",
    form: t("bodyForm"),
  };
  return (
    <>
      <Field label={t("httpBody")} className="sm:max-w-56">
        <Select
          value={call.kind}
          onChange={(kind) => set(withKind(call, kind as BodyKind))}
          options={bodyKinds.map((value) => ({ value, label: names[value] }))}
        />
      </Field>
      {(call.kind === "text" || call.kind === "json") && (
        <Field label={names[call.kind]} error={isWrongJson(call) ? t("wrongJson") : undefined}>
          <Textarea mono value={call.body} onChange={(event) => set({ ...call, body: event.target.value })} />
        </Field>
      )}
      {call.kind === "form" && (
        <Pairs
          value={call.fields}
          onChange={(fields) => set({ ...call, fields })}
          add={t("addField")}
          names={[t("httpField"), t("labelValue")]}
        />
      )}
    </>
  );
}

function Answer({ call, set }: Part) {
  const t = useWords(formWords);
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field label={t("httpExpect")} help={t("httpExpectHelp")}>
        <Input mono value={call.expect} onChange={(event) => set({ ...call, expect: event.target.value })} />
      </Field>
      <Field label={t("httpExpectBody")}>
        <Input value={call.expectBody} onChange={(event) => set({ ...call, expectBody: event.target.value })} />
      </Field>
      <Field label={t("httpTimeout")}>
        <Input
          mono
          placeholder="10s"
          value={call.timeout}
          onChange={(event) => set({ ...call, timeout: event.target.value })}
        />
      </Field>
    </div>
  );
}
