import { useState } from "react";
import type { Job, Schema } from "@/api/types";
import { Checkbox } from "@/ui/Checkbox";
import { CodeBlock } from "@/ui/Code";
import { Field } from "@/ui/Field";
import type { Faults } from "@/ui/form/faults";
import { Input } from "@/ui/Input";
import { Segmented } from "@/ui/Segmented";
import { Select } from "@/ui/Select";
import { Switch } from "@/ui/Switch";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { fieldsOfParam, inputValue, missingInputs, withInput, withParamField } from "../param";
import { actionWords } from "../words";

type Shared = { value: string | null; onChange: (value: string | null) => void };

/**
 * The parameter of a run: null is the job's own, any text, the empty one too, takes its place. A JSON object is
 * shown field by field. A job with inputs takes their values, and nothing else.
 */
export function ParamInput({ job, ...rest }: { job: Pick<Job, "param" | "inputs"> } & Shared) {
  return job.inputs?.length ? <InputValues inputs={job.inputs} {...rest} /> : <OwnOrTyped own={job.param} {...rest} />;
}

/** A field for each input of a job, under the name that the server gives to what is wrong with its value. */
export function InputValues({ inputs, value, onChange }: { inputs: NonNullable<Job["inputs"]> } & Shared) {
  const t = useWords(actionWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {inputs.map((input) => {
        const set = (one: string) => onChange(withInput(value, input.name, one));
        const one = inputValue(value, input.name);
        const choices = input.type === "boolean" ? ["true", "false"] : input.options;
        return (
          <Field
            key={input.name}
            name={`param.${input.name}`}
            label={input.name}
            required={input.default === undefined}
            help={[
              input.description,
              input.pattern && t("inputPattern", { pattern: input.pattern }),
              input.min !== undefined && t(counted(input) ? "inputMin" : "inputShortest", { n: input.min }),
              input.max !== undefined && t(counted(input) ? "inputMax" : "inputLongest", { n: input.max }),
            ]
              .filter(Boolean)
              .join(" · ")}
          >
            {choices?.length ? (
              <Select
                value={one}
                onChange={set}
                options={[
                  ...(input.default === undefined
                    ? []
                    : [{ value: "", label: t("inputDefault", { value: input.default }) }]),
                  ...choices.filter(Boolean).map((choice) => ({ value: choice, label: choice })),
                ]}
              />
            ) : (
              <Input
                mono
                inputMode={counted(input) ? "decimal" : undefined}
                value={one}
                placeholder={input.default}
                onChange={(event) => set(event.target.value)}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}

/** Errors of required inputs without a value. */
export function faultsOfInputs(inputs: Job["inputs"], param: string | null, said: string): Faults {
  return Object.fromEntries(missingInputs(inputs, param).map((name) => [`param.${name}`, said]));
}

/** Whether the bounds of an input are those of a number, and not of the characters of a text. */
const counted = (input: Schema<"Input">) => input.type === "integer" || input.type === "number";

function OwnOrTyped({ own, value, onChange }: { own: string | undefined } & Shared) {
  const t = useWords(actionWords);
  return (
    <div className="flex flex-col gap-3">
      <Switch checked={value === null} onChange={(on) => onChange(on ? null : (own ?? ""))} help={t("ownParamHelp")}>
        {t("ownParam")}
      </Switch>
      {value === null ? (
        own ? (
          <Field label={t("ownIs")} group>
            <CodeBlock className="max-h-40 whitespace-pre-wrap break-words">{own}</CodeBlock>
          </Field>
        ) : (
          <p className="text-faint text-xs">{t("ownEmpty")}</p>
        )
      ) : (
        <TypedParam value={value} onChange={onChange} />
      )}
    </div>
  );
}

function TypedParam({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useWords(actionWords);
  const fields = fieldsOfParam(value);
  const [way, setWay] = useState<"form" | "text">(fields ? "form" : "text");
  const asForm = way === "form" && fields;
  return (
    <div className="flex flex-col gap-3">
      {fields && (
        <Segmented
          className="self-start"
          label={t("param")}
          value={way}
          onChange={setWay}
          options={[
            { value: "form", label: t("asForm") },
            { value: "text", label: t("asText") },
          ]}
        />
      )}
      {asForm ? (
        <div className="grid gap-3 sm:grid-cols-2">
          {fields.map(([name, one]) =>
            typeof one === "boolean" ? (
              <Checkbox
                key={name}
                className="self-end pb-1.5"
                checked={one}
                onChange={(on) => onChange(withParamField(value, name, on))}
              >
                {name}
              </Checkbox>
            ) : (
              <Field key={name} label={name}>
                <Input
                  mono
                  value={String(one)}
                  onChange={(event) => onChange(withParamField(value, name, event.target.value))}
                />
              </Field>
            ),
          )}
        </div>
      ) : (
        <Field label={t("param")} help={way === "form" ? t("jsonWrong") : undefined}>
          <Textarea mono rows={4} value={value} onChange={(event) => onChange(event.target.value)} />
        </Field>
      )}
    </div>
  );
}
