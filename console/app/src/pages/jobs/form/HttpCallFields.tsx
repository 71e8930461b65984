import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { type BodyKind, bodyKinds, callOf, type HttpCall, methods, paramOf, withKind } from "./httpcall";
import { Pairs } from "./Pairs";
import { WrittenFields } from "./WrittenFields";
import { formWords } from "./words";

/** The request of a job that makes an HTTP call. */
export function HttpCallFields() {
  const t = useWords(formWords);
  return (
    <WrittenFields name="http" label={t("httpCall")} read={callOf} write={paramOf}>
      {(call, set) => (
        <>
          <Address call={call} set={set} />
          <Field group name="param.headers" label={t("httpHeaders")}>
            <Pairs
              value={call.headers}
              onChange={(headers) => set({ ...call, headers })}
              add={t("addHeader")}
              names={[t("httpHeader"), t("labelValue")]}
            />
          </Field>
          <Body call={call} set={set} />
          <Answer call={call} set={set} />
        </>
      )}
    </WrittenFields>
  );
}

type Part = { call: HttpCall; set: (call: HttpCall) => void };

function Address({ call, set }: Part) {
  const t = useWords(formWords);
  const options = [{ value: "", label: t("httpAuto") }, ...methods.map((value) => ({ value, label: value }))];
  return (
    <div className="grid gap-4 sm:grid-cols-[14rem_1fr]">
      <Field name="param.method" label={t("httpMethod")}>
        <Select value={call.method} onChange={(method) => set({ ...call, method })} options={options} />
      </Field>
      <Field name="param.url" label="URL" required>
        <Input
          mono
          inputMode="url"
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
        <Field name="param.body" label={names[call.kind]}>
          <Textarea mono value={call.body} onChange={(event) => set({ ...call, body: event.target.value })} />
        </Field>
      )}
      {call.kind === "form" && (
        <Field group name="param.form" label={names.form}>
          <Pairs
            value={call.fields}
            onChange={(fields) => set({ ...call, fields })}
            add={t("addField")}
            names={[t("httpField"), t("labelValue")]}
          />
        </Field>
      )}
    </>
  );
}

function Answer({ call, set }: Part) {
  const t = useWords(formWords);
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field name="param.expect" label={t("httpExpect")} help={t("httpExpectHelp")}>
        <Input mono value={call.expect} onChange={(event) => set({ ...call, expect: event.target.value })} />
      </Field>
      <Field name="param.expect_body" label={t("httpExpectBody")}>
        <Input value={call.expectBody} onChange={(event) => set({ ...call, expectBody: event.target.value })} />
      </Field>
      <Field name="param.timeout" label={t("httpTimeout")} help={t("httpTimeoutHelp")}>
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
