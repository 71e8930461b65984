import { X } from "lucide-react";
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

/** Several of many, in the order in which they were chosen. `free` takes texts that are not in the list. */
export function MultiSelect({
  value,
  onChange,
  options,
  placeholder,
  free,
  disabled,
  label,
  className,
}: {
  value: readonly string[];
  onChange: (value: string[]) => void;
  options: Options;
  placeholder?: string;
  free?: boolean;
  disabled?: boolean;
  label?: string;
  className?: string;
}) {
  const t = useWords(sharedWords);
  const field = useFieldProps({});
  const id = useId();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const found = useOptions(options, text, open);
  const known = "lookup" in options ? found.options : options;
  const toggle = (option: Option) => {
    onChange(value.includes(option.value) ? value.filter((one) => one !== option.value) : [...value, option.value]);
    setText("");
  };
  const close = () => setOpen(false);
  const keys = useListKeys(found.options, toggle, close);
  const addText = () => {
    const added = text.trim();
    if (!free || added === "") return false;
    if (!value.includes(added)) onChange([...value, added]);
    setText("");
    return true;
  };
  const named = (one: string) => {
    const option = known.find((o) => o.value === one);
    return option ? textOf(option) : one;
  };
  return (
    <Popover.Root open={open && (found.options.length > 0 || !free)} onOpenChange={(now) => !now && close()}>
      <Popover.Anchor asChild>
        <span
          className={cn(
            controlClass,
            "flex h-auto min-h-8 flex-wrap items-center gap-1 py-1 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent",
            className,
          )}
        >
          {value.map((one) => (
            <span key={one} className="inline-flex items-center gap-1 rounded-sm bg-sunken pr-0.5 pl-1.5 text-xs">
              {named(one)}
              <button
                type="button"
                disabled={disabled}
                aria-label={`${t("delete")} ${named(one)}`}
                onClick={() => onChange(value.filter((other) => other !== one))}
                className="grid size-5 place-items-center rounded-sm text-faint hover:text-ink"
              >
                <X aria-hidden className="size-3" />
              </button>
            </span>
          ))}
          <input
            role="combobox"
            aria-label={label}
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            aria-activedescendant={open && found.options.length > 0 ? `${id}-${keys.at}` : undefined}
            autoComplete="off"
            {...field}
            disabled={disabled}
            placeholder={value.length === 0 ? placeholder : undefined}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onBlur={() => {
              addText();
              close();
            }}
            onKeyDown={(event) => {
              if (event.key === "Backspace" && text === "") onChange(value.slice(0, -1));
              else if ((event.key === "Enter" || event.key === ",") && free && addText()) {
                event.preventDefault();
                close(); // the list would stand over what comes next
              } else if (open) keys.onKeyDown(event);
              else if (event.key === "ArrowDown") setOpen(true);
            }}
            className="min-w-20 flex-1 bg-transparent outline-none"
          />
        </span>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          align="start"
          sideOffset={4}
          className={cn(popupClass, "w-(--radix-popover-trigger-width) min-w-56")}
        >
          <OptionList
            id={id}
            multiple
            options={found.options}
            chosen={value}
            at={keys.at}
            loading={found.loading}
            onAt={keys.setAt}
            onChoose={toggle}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
