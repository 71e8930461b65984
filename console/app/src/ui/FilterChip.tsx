import { ChevronDown, X } from "lucide-react";
import { Popover } from "radix-ui";
import { useId, useState } from "react";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button } from "./Button";
import { cn } from "./cn";
import type { Filter, FilterValues } from "./FilterBar";
import { isSet } from "./FilterBar";
import { absolute } from "./format";
import { Input } from "./Input";
import { OptionList } from "./OptionList";
import { textOf, useOptions } from "./options";
import { popupClass } from "./popup";
import { useListKeys } from "./useListKeys";

type Value = FilterValues[string];

/** One filter: its name with what it is set to, and what it can be set to behind it. */
export function FilterChip({
  filter,
  value,
  startOpen,
  onChange,
  onClose,
}: {
  filter: Filter;
  value: Value;
  startOpen?: boolean;
  onChange: (value: Value) => void;
  onClose: () => void;
}) {
  const t = useWords(sharedWords);
  const [open, setOpen] = useState(startOpen ?? false);
  const set = isSet(value);
  const change = (now: boolean) => {
    setOpen(now);
    if (!now) onClose();
  };
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <span
        className={cn(
          "inline-flex h-8 max-w-72 items-center rounded-md border bg-raised text-sm",
          set ? "border-accent/60 bg-accent-tint" : "border-line-strong",
        )}
      >
        <Popover.Trigger
          className={cn(
            "inline-flex h-full min-w-0 items-center gap-1.5 rounded-md px-2.5",
            set ? "pr-1" : "text-soft hover:bg-hover hover:text-ink",
          )}
        >
          <span className={set ? "text-soft" : undefined}>{filter.label}</span>
          {set ? (
            <span className="truncate font-medium">
              <Shown filter={filter} value={value} />
            </span>
          ) : (
            <ChevronDown aria-hidden className="size-3.5 text-faint" />
          )}
        </Popover.Trigger>
        {set && (
          <button
            type="button"
            aria-label={`${t("clear")} ${filter.label}`}
            onClick={() => onChange(undefined)}
            className="grid h-full w-6 place-items-center rounded-md text-faint hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        )}
      </span>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={filter.label}
          className={cn(popupClass, "w-64")}
        >
          <Chooser filter={filter} value={value} onChange={onChange} close={() => change(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Shown({ filter, value }: { filter: Filter; value: Value }) {
  const t = useWords(sharedWords);
  const [language] = useLanguage();
  if (filter.kind === "flag") return value === true || value === "true" ? t("yes") : t("no");
  if (filter.kind === "time") return absolute(Date.parse(String(value)));
  const named = (one: string) => {
    if (!filter.options || "lookup" in filter.options) return one;
    const option = filter.options.find((o) => o.value === one);
    return option ? textOf(option) : one;
  };
  const all = Array.isArray(value) ? value : [String(value)];
  return new Intl.ListFormat(language, { style: "narrow", type: "unit" }).format(all.map(named));
}

type ChooserProps = { filter: Filter; value: Value; onChange: (value: Value) => void; close: () => void };

function Chooser(props: ChooserProps) {
  if (props.filter.kind === "text" || props.filter.kind === "time") return <TypedChooser {...props} />;
  return <ListChooser {...props} />;
}

function TypedChooser({ filter, value, onChange, close }: ChooserProps) {
  const t = useWords(sharedWords);
  const time = filter.kind === "time";
  const [text, setText] = useState(() => (time ? localTime(value) : String(value ?? "")));
  const apply = () => {
    const typed = text.trim();
    onChange(typed === "" ? undefined : time ? new Date(typed).toISOString() : typed);
    close();
  };
  return (
    <form
      className="flex flex-col gap-2 p-2"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Input
        type={time ? "datetime-local" : "text"}
        step={time ? 1 : undefined}
        aria-label={filter.label}
        placeholder={filter.placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button look="main" size="small" type="submit">
        {t("filter")}
      </Button>
    </form>
  );
}

/** An instant as the browser's own field takes it, in the zone of the viewer. */
function localTime(value: Value): string {
  const ms = Date.parse(String(value ?? ""));
  return Number.isFinite(ms) ? absolute(ms).replace(" ", "T") : "";
}

function ListChooser({ filter, value, onChange, close }: ChooserProps) {
  const t = useWords(sharedWords);
  const id = useId();
  const [text, setText] = useState("");
  const flags = [
    { value: "true", label: t("yes") },
    { value: "false", label: t("no") },
  ];
  const source = filter.kind === "flag" ? flags : (filter.options ?? []);
  const found = useOptions(source, text, true);
  const many = filter.kind === "many";
  const chosen = Array.isArray(value) ? value : isSet(value) ? [String(value)] : [];
  const choose = (option: { value: string }) => {
    if (filter.kind === "flag") onChange(option.value === "true");
    else if (!many) onChange(option.value);
    else
      onChange(
        chosen.includes(option.value) ? chosen.filter((one) => one !== option.value) : [...chosen, option.value],
      );
    if (!many) close();
  };
  const keys = useListKeys(found.options, choose, close);
  const few = !("lookup" in source) && source.length <= 8;
  return (
    <>
      <div className={few ? "sr-only" : "border-b p-1"}>
        <input
          role="combobox"
          aria-label={`${filter.label}: ${t("search")}`}
          aria-expanded
          aria-controls={id}
          aria-activedescendant={found.options.length > 0 ? `${id}-${keys.at}` : undefined}
          placeholder={`${t("search")} …`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={keys.onKeyDown}
          className="h-7 w-full rounded-sm bg-transparent px-2 outline-none"
        />
      </div>
      <OptionList
        id={id}
        multiple={many}
        options={found.options}
        chosen={chosen}
        at={keys.at}
        loading={found.loading}
        onAt={keys.setAt}
        onChoose={choose}
      />
    </>
  );
}
