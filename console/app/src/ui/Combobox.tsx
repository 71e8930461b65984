import { ChevronDown, X } from "lucide-react";
import { Popover } from "radix-ui";
import { useId, useState } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";
import { useFieldProps } from "./Field";
import { controlClass } from "./Input";
import { OptionList } from "./OptionList";
import { type Options, textOf, useOptions } from "./options";
import { popupClass } from "./popup";
import type { Option } from "./Select";
import { useListKeys } from "./useListKeys";

export type ComboboxProps = {
  value: string;
  onChange: (value: string) => void;
  options: Options;
  placeholder?: string;
  /** Takes a text that is not in the list. */
  free?: boolean;
  /** Lets it be emptied. */
  clearable?: boolean;
  disabled?: boolean;
  label?: string;
  className?: string;
};

/** One of many, found by typing; the server may do the looking. */
export function Combobox(props: ComboboxProps) {
  const { value, onChange, options, placeholder, free, clearable, disabled, label, className } = props;
  const t = useWords(sharedWords);
  const field = useFieldProps({});
  const id = useId();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState<string | null>(null);
  const found = useOptions(options, text ?? "", open);
  const known = "lookup" in options ? found.options : options;
  const chosen = known.find((option) => option.value === value);
  const close = () => {
    setOpen(false);
    setText(null);
  };
  const choose = (option: Option) => {
    onChange(option.value);
    close();
  };
  const keys = useListKeys(found.options, choose, close);
  const leave = () => {
    if (free && text !== null && text !== value) onChange(text.trim());
    close();
  };
  return (
    <Popover.Root open={open} onOpenChange={(now) => !now && close()}>
      <Popover.Anchor asChild>
        <span className={cn("relative inline-flex w-full items-center", className)}>
          <input
            role="combobox"
            aria-label={label}
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            aria-activedescendant={open && found.options.length > 0 ? `${id}-${keys.at}` : undefined}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            {...field}
            disabled={disabled}
            placeholder={placeholder}
            value={text ?? (chosen ? textOf(chosen) : value)}
            onChange={(event) => {
              setText(event.target.value);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onBlur={leave}
            onKeyDown={(event) => {
              if (open) return keys.onKeyDown(event);
              if (event.key === "ArrowDown" || event.key === "ArrowUp") setOpen(true);
            }}
            className={cn(controlClass, clearable && value ? "pr-12" : "pr-8")}
          />
          {clearable && value && !disabled && (
            <button
              type="button"
              aria-label={t("clear")}
              onClick={() => onChange("")}
              className="absolute right-7 grid size-6 place-items-center rounded-sm text-faint hover:text-ink"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          )}
          <ChevronDown aria-hidden className="pointer-events-none absolute right-2.5 size-3.5 text-faint" />
        </span>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={cn(popupClass, "w-(--radix-popover-trigger-width) min-w-56")}
        >
          <OptionList
            id={id}
            options={found.options}
            chosen={[value]}
            at={keys.at}
            loading={found.loading}
            onAt={keys.setAt}
            onChoose={choose}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
