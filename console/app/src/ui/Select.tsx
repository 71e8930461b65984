import { Check, ChevronDown } from "lucide-react";
import { Select as S } from "radix-ui";
import type { ReactNode } from "react";
import { nonce } from "@/shell/nonce";
import { cn } from "./cn";
import { useFieldProps } from "./Field";
import { controlClass } from "./Input";

export type Option<V extends string = string> = {
  value: V;
  label: ReactNode;
  /** What is typed to find it, and how it is read out; the label itself when that is a text. */
  text?: string;
  help?: ReactNode;
  disabled?: boolean;
};

export type SelectProps<V extends string> = {
  value: V | undefined;
  onChange: (value: V) => void;
  options: readonly Option<V>[];
  placeholder?: string;
  disabled?: boolean;
  /** Its name, when no Field gives it one. */
  label?: string;
  className?: string;
};

// Radix keeps "" for "nothing chosen".
const empty = "\u0000";

/** One of a few. For many, or those that the server knows, see Combobox. */
export function Select<V extends string>({
  value,
  onChange,
  options,
  placeholder,
  disabled,
  label,
  className,
}: SelectProps<V>) {
  const field = useFieldProps({});
  return (
    <S.Root
      value={value === "" ? empty : value}
      onValueChange={(chosen) => onChange((chosen === empty ? "" : chosen) as V)}
      disabled={disabled}
    >
      <S.Trigger
        aria-label={label}
        {...field}
        className={cn(
          controlClass,
          "inline-flex items-center justify-between gap-2 text-left data-placeholder:text-faint",
          className,
        )}
      >
        <span className="truncate">
          <S.Value placeholder={placeholder} />
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </S.Trigger>
      <S.Portal>
        <S.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="anim-rise z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-96 overflow-hidden rounded-lg border border-line-strong bg-raised shadow-lg"
        >
          <S.Viewport nonce={nonce} className="p-1">
            {options.map((option) => (
              <S.Item
                key={option.value}
                value={option.value === "" ? empty : option.value}
                disabled={option.disabled}
                textValue={option.text}
                className="relative flex select-none flex-col rounded-sm py-1 pr-7 pl-2 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover"
              >
                <S.ItemText>{option.label}</S.ItemText>
                {option.help && <span className="text-faint text-xs">{option.help}</span>}
                <S.ItemIndicator className="absolute top-1.5 right-2 text-accent">
                  <Check aria-hidden className="size-3.5" />
                </S.ItemIndicator>
              </S.Item>
            ))}
          </S.Viewport>
        </S.Content>
      </S.Portal>
    </S.Root>
  );
}
