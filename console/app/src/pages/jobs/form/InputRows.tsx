import { Plus, Trash2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { useWatch } from "react-hook-form";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { Bound } from "./Bound";
import { emptyInput, type InputRow, inputTypes, mostInputs } from "./inputs";
import { inputWords } from "./inputWords";
import type { JobValues } from "./values";

/** The inputs of a job, a box for each. */
export function InputRows() {
  const t = useWords(inputWords);
  const manual = useWatch<JobValues, "schedule.kind">({ name: "schedule.kind" }) === "manual";
  return (
    <Bound name="inputs" label={t("inputs")} help={t("help", { place: "${input:NAME}" })} group>
      {(rows, set) => <Rows rows={rows} onChange={set} manual={manual} />}
    </Bound>
  );
}

function Rows({
  rows,
  onChange,
  manual,
}: {
  rows: readonly InputRow[];
  onChange: (rows: InputRow[]) => void;
  manual: boolean;
}) {
  const t = useWords(inputWords);
  const list = useRef<HTMLDivElement>(null);
  // The focus follows what the keyboard did: into a row that came, to the button when one went.
  const focus = useRef<"last" | "add" | null>(null);
  useEffect(() => {
    if (focus.current === null || !list.current) return;
    const boxes = list.current.querySelectorAll<HTMLElement>("[data-row]");
    const target = focus.current === "last" ? boxes[boxes.length - 1]?.querySelector("input") : list.current.lastChild;
    focus.current = null;
    (target as HTMLElement | null | undefined)?.focus();
  });
  return (
    <div ref={list} className="flex flex-col gap-2">
      {rows.map((row, at) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies an input.
          key={at}
          at={at}
          row={row}
          onChange={(part) => onChange(rows.map((one, index) => (index === at ? { ...one, ...part } : one)))}
          onRemove={() => {
            focus.current = "add";
            onChange(rows.filter((_, index) => index !== at));
          }}
        />
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        disabled={rows.length >= mostInputs}
        onClick={() => {
          focus.current = "last";
          onChange([...rows, emptyInput(manual)]);
        }}
      >
        {t("add")}
      </Button>
    </div>
  );
}

function Row({
  at,
  row,
  onChange,
  onRemove,
}: {
  at: number;
  row: InputRow;
  onChange: (part: Partial<InputRow>) => void;
  onRemove: () => void;
}) {
  const t = useWords(inputWords);
  const name = `inputs.${at}`;
  return (
    <div data-row className="rounded-md border bg-sunken/40 p-3">
      <Field name={name} label={row.name.trim() || t("input", { n: at + 1 })} group>
        <div className="grid gap-3">
          <div className="grid grid-cols-[minmax(0,1fr)_9rem_auto] items-start gap-3">
            <Field name={`${name}.name`} label={t("name")} required>
              <Input
                mono
                placeholder="day"
                value={row.name}
                onChange={(event) => onChange({ name: event.target.value })}
              />
            </Field>
            <Field name={`${name}.type`} label={t("type")}>
              <Select
                value={row.type}
                onChange={(type) => onChange({ type })}
                options={inputTypes.map((value) => ({ value, label: t(value) }))}
              />
            </Field>
            <IconButton icon={Trash2} className="mt-6" label={t("remove", { n: at + 1 })} onClick={onRemove} />
          </div>
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <div className="flex flex-col gap-2">
              <Field name={`${name}.default`} label={t("default")}>
                <Default row={row} onChange={onChange} />
              </Field>
              <Checkbox checked={row.required} help={t("requiredHelp")} onChange={(required) => onChange({ required })}>
                {t("required")}
              </Checkbox>
            </div>
            {row.type !== "boolean" && (
              <Field name={`${name}.options`} label={t("options")} help={t("optionsHelp")}>
                <MultiSelect free value={row.options} onChange={(options) => onChange({ options })} options={[]} />
              </Field>
            )}
          </div>
          {row.type !== "boolean" && <Rules name={name} row={row} onChange={onChange} />}
          <Field name={`${name}.description`} label={t("description")} help={t("descriptionHelp")}>
            <Input value={row.description} onChange={(event) => onChange({ description: event.target.value })} />
          </Field>
        </div>
      </Field>
    </div>
  );
}

type Changed = { row: InputRow; onChange: (part: Partial<InputRow>) => void };

function Default({ row, onChange }: Changed) {
  if (row.type === "boolean") {
    return (
      <Select
        value={row.required ? undefined : row.default}
        disabled={row.required}
        onChange={(value) => onChange({ default: value })}
        options={["true", "false"].map((value) => ({ value, label: value }))}
      />
    );
  }
  return (
    <Input
      mono
      disabled={row.required}
      value={row.required ? "" : row.default}
      onChange={(event) => onChange({ default: event.target.value })}
    />
  );
}

/** What values of an input must be like. */
function Rules({ name, row, onChange }: Changed & { name: string }) {
  const t = useWords(inputWords);
  const text = row.type === "text";
  return (
    <div className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_9rem_9rem]">
      <Field name={`${name}.pattern`} label={t("pattern")} help={t("patternHelp")}>
        <Input
          mono
          placeholder={text ? "[0-9]{4}-[0-9]{2}-[0-9]{2}" : undefined}
          value={row.pattern}
          onChange={(event) => onChange({ pattern: event.target.value })}
        />
      </Field>
      {(["min", "max"] as const).map((bound) => (
        <Field key={bound} name={`${name}.${bound}`} label={t(text ? `${bound}Chars` : bound)}>
          <Input
            mono
            inputMode="decimal"
            value={row[bound]}
            onChange={(event) => onChange({ [bound]: event.target.value })}
          />
        </Field>
      ))}
    </div>
  );
}
