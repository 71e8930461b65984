import { absolute } from "@/ui/format";
import { Input } from "@/ui/Input";

/** An instant: typed on the clock of the viewer, kept as the API has it; "" is none. */
export function InstantInput({
  value,
  onChange,
  label,
}: {
  value: string;
  onChange: (value: string) => void;
  label?: string;
}) {
  const ms = Date.parse(value);
  return (
    <Input
      type="datetime-local"
      step={1}
      aria-label={label}
      value={Number.isFinite(ms) ? absolute(ms).replace(" ", "T") : ""}
      onChange={(event) => {
        const typed = Date.parse(event.target.value);
        onChange(Number.isFinite(typed) ? new Date(typed).toISOString() : "");
      }}
    />
  );
}
