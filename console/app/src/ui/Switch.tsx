import { Switch as S } from "radix-ui";
import { type ReactNode, useId } from "react";
import { ControlLabel } from "./ControlLabel";
import { cn } from "./cn";

/** On or off, at once. */
export function Switch({
  checked,
  onChange,
  label,
  help,
  disabled,
  className,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label?: string;
  help?: ReactNode;
  disabled?: boolean;
  className?: string;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <span className={cn("flex items-start gap-2", className)}>
      <S.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-label={label}
        aria-describedby={help ? `${id}-help` : undefined}
        className="relative mt-0.5 h-4 w-7 shrink-0 rounded-full bg-control transition-colors disabled:opacity-50 data-[state=checked]:bg-accent"
      >
        <S.Thumb className="block size-3 translate-x-0.5 rounded-full bg-white transition-transform data-[state=checked]:translate-x-3.5" />
      </S.Root>
      {children && (
        <ControlLabel of={id} help={help}>
          {children}
        </ControlLabel>
      )}
    </span>
  );
}
