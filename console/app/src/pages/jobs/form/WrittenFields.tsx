import type { ReactNode } from "react";
import { useController } from "react-hook-form";
import { Field } from "@/ui/Field";
import { Segmented } from "@/ui/Segmented";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import type { JobValues } from "./values";
import { formWords } from "./words";

type Calls = { http: JobValues["http"]["call"]; command: JobValues["command"]["call"] };

/** A parameter field by field, or as the text that it is. */
export function WrittenFields<N extends keyof Calls>({
  name,
  label,
  read,
  write,
  children,
}: {
  name: N;
  label: string;
  /** The fields of a text; null when they cannot show it. */
  read: (text: string) => Calls[N] | null;
  write: (call: Calls[N]) => string | null;
  children: (call: Calls[N], set: (call: Calls[N]) => void) => ReactNode;
}) {
  const t = useWords(formWords);
  const { field } = useController<JobValues, keyof Calls>({ name });
  const { call, text } = field.value as { call: Calls[N]; text: string | null };
  const shown = text === null ? call : read(text);
  const turn = (to: "fields" | "text") => {
    if (to === "text") field.onChange({ call, text: write(call) ?? "" });
    else if (shown) field.onChange({ call: shown, text: null });
  };
  return (
    <Field
      group
      name="param"
      label={label}
      aside={
        <Segmented
          label={t("writtenAs")}
          value={text === null ? "fields" : "text"}
          onChange={turn}
          options={[
            { value: "fields", label: t("asFields"), disabled: shown === null },
            { value: "text", label: t("asText") },
          ]}
        />
      }
      help={text !== null && shown === null ? t("noFieldsFor") : undefined}
    >
      {text === null ? (
        <div className="flex flex-col gap-4 rounded-md border p-3">
          {children(call, (next) => field.onChange({ call: next, text: null }))}
        </div>
      ) : (
        <Textarea
          mono
          rows={8}
          aria-label={label}
          value={text}
          onChange={(event) => field.onChange({ call, text: event.target.value })}
        />
      )}
    </Field>
  );
}
