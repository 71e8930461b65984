import { RadioGroup as R } from "radix-ui";
import { useId } from "react";
import { cn } from "./cn";
import type { Option } from "./Select";

/** One of a few that are all to be seen, each with what it means. `cards` draws them as boxes side by side. */
export function RadioGroup<V extends string>({
  value,
  onChange,
  options,
  label,
  cards,
  disabled,
  className,
}: {
  value: V;
  onChange: (value: V) => void;
  options: readonly Option<V>[];
  label?: string;
  cards?: boolean;
  disabled?: boolean;
  className?: string;
}) {
  const id = useId();
  return (
    <R.Root
      value={value}
      onValueChange={(chosen) => onChange(chosen as V)}
      aria-label={label}
      disabled={disabled}
      className={cn(
        cards ? "grid grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] gap-2" : "flex flex-col gap-2",
        className,
      )}
    >
      {options.map((option, index) => (
        <label
          key={option.value}
          htmlFor={`${id}-${index}`}
          className={cn(
            "flex items-start gap-2 text-sm",
            cards &&
              "rounded-md border border-line p-2.5 hover:bg-hover has-data-[state=checked]:border-accent has-data-[state=checked]:bg-accent-tint",
          )}
        >
          <R.Item
            id={`${id}-${index}`}
            value={option.value}
            disabled={option.disabled}
            className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-control bg-raised disabled:opacity-50 data-[state=checked]:border-accent"
          >
            <R.Indicator className="size-2 rounded-full bg-accent" />
          </R.Item>
          <span>
            <span className={cards ? "font-medium" : undefined}>{option.label}</span>
            {option.help && (
              <span className={cn("block text-xs", cards ? "text-soft" : "text-faint")}>{option.help}</span>
            )}
          </span>
        </label>
      ))}
    </R.Root>
  );
}
