import { type LucideIcon, X } from "lucide-react";
import type { ComponentProps } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";
import { useFieldProps } from "./Field";

/** The classes of everything that is typed or chosen in. */
export const controlClass =
  "h-8 w-full min-w-0 rounded-md border border-control/60 bg-raised px-2.5 text-sm text-ink transition-colors hover:border-control focus-visible:border-accent focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-bad";

export type InputProps = ComponentProps<"input"> & {
  icon?: LucideIcon;
  /** Adds a button that empties it. */
  onClear?: () => void;
  /** The look of code: keys, expressions, addresses. */
  mono?: boolean;
};

/** A line of text. Within a Field it takes the field's label, help and error. */
export function Input({ icon: Icon, onClear, mono, className, ...rest }: InputProps) {
  const field = useFieldProps(rest);
  const t = useWords(sharedWords);
  const input = (
    <input
      autoComplete="off"
      spellCheck={false}
      {...rest}
      {...field}
      className={cn(
        controlClass,
        mono && "font-mono",
        Icon && "pl-8",
        onClear && "pr-7",
        !Icon && !onClear && className,
      )}
    />
  );
  if (!Icon && !onClear) return input;
  return (
    <span className={cn("relative inline-flex w-full items-center", className)}>
      {Icon && <Icon aria-hidden className="pointer-events-none absolute left-2.5 size-3.5 text-faint" />}
      {input}
      {onClear && rest.value !== "" && (
        <button
          type="button"
          aria-label={t("clear")}
          onClick={onClear}
          className="absolute right-1 grid size-6 place-items-center rounded-sm text-faint hover:text-ink"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </span>
  );
}
