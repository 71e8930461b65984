import { Plus } from "lucide-react";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { actionWords } from "../words";

/** A label to set, or to remove. */
export type LabelLine = { id: number; key: string; value: string; remove: boolean };

/** The labels as the API takes them: null removes one. */
export function labelsOf(lines: readonly LabelLine[]): Record<string, string> {
  const set = lines.filter((line) => line.key.trim() !== "");
  // The generated type has no null, which the API takes.
  return Object.fromEntries(set.map((line) => [line.key.trim(), line.remove ? null : line.value])) as Record<
    string,
    string
  >;
}

/** Inputs for labels that are set on many jobs. */
export function LabelLines({
  lines,
  onChange,
}: {
  lines: readonly LabelLine[];
  onChange: (lines: LabelLine[]) => void;
}) {
  const t = useWords(actionWords);
  const change = (id: number, part: Partial<LabelLine>) =>
    onChange(lines.map((line) => (line.id === id ? { ...line, ...part } : line)));
  return (
    <div className="flex flex-col gap-2">
      {lines.map((line) => (
        <div key={line.id} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2">
          <Field label={t("labelKey")}>
            <Input mono value={line.key} onChange={(event) => change(line.id, { key: event.target.value })} />
          </Field>
          <Field label={t("labelValue")}>
            <Input
              mono
              value={line.value}
              disabled={line.remove}
              onChange={(event) => change(line.id, { value: event.target.value })}
            />
          </Field>
          <Checkbox className="pb-1.5" checked={line.remove} onChange={(remove) => change(line.id, { remove })}>
            {t("labelRemove")}
          </Checkbox>
        </div>
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        onClick={() =>
          onChange([
            ...lines,
            { id: Math.max(0, ...lines.map((line) => line.id)) + 1, key: "", value: "", remove: false },
          ])
        }
      >
        {t("addLabel")}
      </Button>
    </div>
  );
}
