import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import type { Pair } from "./values";
import { formWords } from "./words";

/** Names with values, line by line. */
export function Pairs({
  value,
  onChange,
  add,
  names,
  children,
}: {
  value: readonly Pair[];
  onChange: (value: Pair[]) => void;
  add: string;
  /** Names of the two columns. Default: label and value. */
  names?: readonly [key: string, value: string];
  /** Buttons next to the add button. */
  children?: ReactNode;
}) {
  const t = useWords(formWords);
  const id = useId();
  const [nameOfKey, nameOfValue] = names ?? [t("labelKey"), t("labelValue")];
  const change = (at: number, part: Partial<Pair>) =>
    onChange(value.map((pair, index) => (index === at ? { ...pair, ...part } : pair)));
  return (
    <div className="flex flex-col gap-2">
      {value.map((pair, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a line.
        <div key={at} className="grid grid-cols-[1fr_1fr_auto] gap-2">
          <Input
            mono
            id={`${id}key${at}`}
            aria-label={`${nameOfKey} ${at + 1}`}
            placeholder={nameOfKey}
            value={pair.key}
            onChange={(event) => change(at, { key: event.target.value })}
          />
          <Input
            mono
            id={`${id}value${at}`}
            aria-label={`${nameOfValue} ${at + 1}`}
            placeholder={nameOfValue}
            value={pair.value}
            onChange={(event) => change(at, { value: event.target.value })}
          />
          <IconButton
            icon={Trash2}
            label={t("removeLine", { n: at + 1 })}
            onClick={() => onChange(value.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div className="flex gap-2">
        <Button
          size="small"
          icon={Plus}
          disabled={value.length >= 16}
          onClick={() => onChange([...value, { key: "", value: "" }])}
        >
          {add}
        </Button>
        {children}
      </div>
    </div>
  );
}
