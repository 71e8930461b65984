import { ToggleGroup as T } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./cn";

/** One of a few that stand side by side, chosen at once: ranges, views. */
export function Segmented<V extends string>({
  value,
  onChange,
  options,
  label,
  className,
}: {
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: ReactNode; disabled?: boolean }[];
  label: string;
  className?: string;
}) {
  return (
    <T.Root
      type="single"
      value={value}
      onValueChange={(chosen) => chosen && onChange(chosen as V)}
      aria-label={label}
      className={cn("inline-flex h-8 rounded-md border border-line-strong bg-raised p-0.5", className)}
    >
      {options.map((option) => (
        <T.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          className="rounded-sm px-2.5 text-sm text-soft enabled:hover:text-ink disabled:cursor-not-allowed disabled:opacity-50 data-[state=on]:bg-hover data-[state=on]:font-medium data-[state=on]:text-ink"
        >
          {option.label}
        </T.Item>
      ))}
    </T.Root>
  );
}
