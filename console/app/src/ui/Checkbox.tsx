import { Check, Minus } from "lucide-react";
import { Checkbox as C } from "radix-ui";
import { type ReactNode, useId } from "react";
import { ControlLabel } from "./ControlLabel";
import { cn } from "./cn";

/** A checkbox: on, off or mixed. Children are its label. */
export function Checkbox({
  checked,
  onChange,
  label,
  help,
  disabled,
  className,
  children,
}: {
  checked: boolean | "indeterminate";
  onChange: (checked: boolean) => void;
  /** The accessible name, if there is no label. */
  label?: string;
  help?: ReactNode;
  disabled?: boolean;
  className?: string;
  children?: ReactNode;
}) {
  const id = useId();
  const box = (
    <C.Root
      id={id}
      checked={checked}
      onCheckedChange={(now) => onChange(now === true)}
      disabled={disabled}
      aria-label={label}
      aria-describedby={help ? `${id}-help` : undefined}
      className="grid size-4 shrink-0 place-items-center rounded-sm border border-control bg-raised text-accent-ink disabled:opacity-50 data-[state=checked]:border-accent data-[state=indeterminate]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:bg-accent"
    >
      <C.Indicator>
        {checked === "indeterminate" ? (
          <Minus aria-hidden className="size-3" strokeWidth={3} />
        ) : (
          <Check aria-hidden className="size-3" strokeWidth={3} />
        )}
      </C.Indicator>
    </C.Root>
  );
  if (!children) return box;
  return (
    <span className={cn("flex items-start gap-2", className)}>
      <span className="flex h-5 items-center">{box}</span>
      <ControlLabel of={id} help={help}>
        {children}
      </ControlLabel>
    </span>
  );
}
