import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";
import { itemClass } from "./popup";
import type { Option } from "./Select";

/** The list below something that is typed in. The input keeps the focus and names the line at `at`. */
export function OptionList({
  id,
  options,
  chosen,
  at,
  loading,
  multiple,
  onAt,
  onChoose,
}: {
  id: string;
  options: readonly Option[];
  chosen: readonly string[];
  at: number;
  loading?: boolean;
  multiple?: boolean;
  onAt: (at: number) => void;
  onChoose: (option: Option) => void;
}) {
  const t = useWords(sharedWords);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-multiselectable={multiple || undefined}
        className={cn("max-h-72 overflow-y-auto p-1", options.length === 0 && "hidden")}
      >
        {options.map((option, index) => (
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={chosen.includes(option.value)}
            aria-disabled={option.disabled || undefined}
            data-highlighted={index === at ? "" : undefined}
            data-disabled={option.disabled ? "" : undefined}
            className={itemClass}
            onPointerMove={() => onAt(index)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => !option.disabled && onChoose(option)}
            onKeyDown={() => {}}
          >
            <Check
              aria-hidden
              className={cn("size-3.5 shrink-0 text-accent", !chosen.includes(option.value) && "invisible")}
            />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{option.label}</span>
              {option.help && <span className="block truncate text-faint text-xs">{option.help}</span>}
            </span>
          </div>
        ))}
      </div>
      {options.length === 0 && (
        <p className="px-3 py-2 text-faint text-sm" role="status">
          {loading ? t("loading") : t("nothingFound")}
        </p>
      )}
    </>
  );
}
